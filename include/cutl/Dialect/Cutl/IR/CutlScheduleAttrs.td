//===- CutlScheduleAttrs.td - Schedule attributes ------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"

def Cutl_DataParallelAttr : Cutl_Attr<"DataParallel", "data_parallel",
    [DeclareAttrInterfaceMethods<Cutl_ScheduleAttrInterface>]> {
  let summary = "one unit of work per CTA tile, claimed by persistent CTAs";
  let description = [{
    Each unit of work is one output tile with its whole k range, so nothing is reduced between CTAs and no workspace is
    needed. Units are numbered in raster order. CTAs never wait for each other, so CTA `c` of `grid` may simply take units
    `c, c + grid, c + 2·grid, …`.

    ```mlir
    schedule(#cutl.data_parallel)
    ```
  }];
  let parameters = (ins);
  let hasCustomAssemblyFormat = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLSCHEDULEATTRS_TD
