//===- CutlTargetAttrs.td - The target attribute -------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLTARGETATTRS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLTARGETATTRS_TD

include "cutl/Dialect/Cutl/IR/CutlBase.td"

def Cutl_TargetAttr : Cutl_Attr<"Target", "target"> {
  let summary = "the chip that code is compiled for";
  let description = [{
    Names a chip of the chip table (`include/cutl/TargetInfo/Targets.td`); limits and capabilities are read from
    there. It is found as the discardable attribute `cutl.target` on an op, a function or a module; the nearest
    enclosing one wins. No pass probes the host.

    ```mlir
    module attributes {cutl.target = #cutl.target<chip = "sm_90a">} { … }
    ```
  }];
  let parameters = (ins StringRefParameter<"chip name as in the chip table">:$chip);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The chip's record. Never null on a verified attribute.
    const ::cutl::targetinfo::Target *getRecord() const;
    /// The nearest `cutl.target` at or above `op`; null if there is none.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLTARGETATTRS_TD
