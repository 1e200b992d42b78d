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
    void registerAttributes();
    void registerTypes();
    void registerOps();

  public:
    /// On a kernel: its dynamic shared memory in bytes.
    static constexpr ::llvm::StringLiteral kSharedBytesAttrName = "cutl_tile.shared_bytes";
    /// On a kernel: another kernel of the same arguments that asks less of them.
    static constexpr ::llvm::StringLiteral kAlternativeAttrName = "cutl_tile.alternative";
    /// On a lowered kernel: what the host must know to launch it.
    static constexpr ::llvm::StringLiteral kLaunchInfoAttrName = "cutl_tile.launch_info";
    /// The PTX version that the code of a kernel needs, on its function, where that is more than the chip's.
    static constexpr ::llvm::StringLiteral kMinPtxAttrName = "cutl_tile.min_ptx";
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class CutlTile_Op<string mnemonic, list<Trait> traits = []> : Op<CutlTile_Dialect, mnemonic, traits>;

#endif // CUTL_DIALECT_CUTLTILE_IR_CUTLTILEBASE_TD
