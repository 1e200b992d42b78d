//===- CutlTileBase.td - The cutl_tile dialect ---------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_CUTLTILEBASE_TD
#define CUTL_DIALECT_CUTLTILE_IR_CUTLTILEBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def CutlTile_Dialect : Dialect {
  let name = "cutl_tile";
  let cppNamespace = "::mlir::cutl::tile";
  let summary = "What one CTA of a kernel does";
  let description = [{
    The inside of a kernel: the loop over units of work, the product of one CTA tile and its epilogue. It is private to
    the lowering and free to change; problems are stated in `cutl`.
  }];
  let dependentDialects = ["::mlir::cutl::CutlDialect"];
  let extraClassDeclaration = [{
  private:
    void registerTypes();
    void registerOps();

  public:
  }];
  let useDefaultTypePrinterParser = 1;
}

class CutlTile_Op<string mnemonic, list<Trait> traits = []> : Op<CutlTile_Dialect, mnemonic, traits>;

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEBASE_TD
