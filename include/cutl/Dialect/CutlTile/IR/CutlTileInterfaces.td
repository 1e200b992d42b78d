//===- CutlTileInterfaces.td - Interfaces of the tile level --*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def CutlTile_ScheduleEmissionInterface : AttrInterface<"ScheduleEmissionInterface"> {
  let cppNamespace = "::mlir::cutl::tile";
  let description = [{
    What a schedule's arithmetic is in IR. Every schedule has it as an external model; a lowering of the work loop asks
    the attribute and knows no kind of schedule.
  }];
  let methods = [
    InterfaceMethod<"How many of `workers` workers, at least one, have something to do, as an index.", "::mlir::Value",
      "emitGridSize",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "const ::mlir::cutl::tile::WorkSpace &":$space,
           "::mlir::Value":$workers)>,
    InterfaceMethod<[{How many places for partial results the units of `workers` workers need, as an index; null where
      the schedule does not split k.}],
      "::mlir::Value", "emitSlotCount",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "const ::mlir::cutl::tile::WorkSpace &":$space,
           "::mlir::Value":$workers),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<[{The loop of worker number `worker` of `workers` over its units. `body` is called once, with the
      builder inside the loop; it gets the values that the loop carries, `init` at first, and returns them for the next
      unit. Leaves the builder behind the loop and returns what is carried out of it.}],
      "::llvm::SmallVector<::mlir::Value>", "emitWorkLoop",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "const ::mlir::cutl::tile::WorkSpace &":$space,
           "::mlir::Value":$worker, "::mlir::Value":$workers, "::mlir::ValueRange":$init,
           "::mlir::cutl::tile::WorkBody":$body)>
  ];
}

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEINTERFACES_TD
