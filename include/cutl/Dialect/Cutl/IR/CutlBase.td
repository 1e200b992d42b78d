//===- CutlBase.td - The cutl dialect and its base classes ---*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLBASE_TD
#define CUTL_DIALECT_CUTL_IR_CUTLBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Cutl_Dialect : Dialect {
  let name = "cutl";
  let cppNamespace = "::mlir::cutl";
  let summary = "GEMM and convolution problems with fused epilogues";
  let description = [{
    Problem-level operations on tensors or memrefs, without threads: what is computed, and the decisions (target,
    tile configuration, schedule) that lowering reads. Layout is expressed by the indexing map of each operand and
    the strides of its memref, never by a type.

    Version log: 0.1 introduces the dialect.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::affine::AffineDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Discardable attribute that holds the target on an op, a function or a module; the nearest enclosing one wins.
    static constexpr ::llvm::StringLiteral kTargetAttrName = "cutl.target";
    /// Argument types of a host entry point, kept by the CPU target while the function is lowered.
    static constexpr ::llvm::StringLiteral kHostSignatureAttrName = "cutl.host_signature";
    /// Sizes that must agree, and arguments that are written; see cutl-record-host-rules.
    static constexpr ::llvm::StringLiteral kHostTiesAttrName = "cutl.host_ties";
    static constexpr ::llvm::StringLiteral kHostWritesAttrName = "cutl.host_writes";
    /// What errors call an argument of a function or an entry.
    static constexpr ::llvm::StringLiteral kNameAttrName = "cutl.name";

  private:
    void registerAttributes();
    void registerOps();
    void attachEpilogueModels();

  public:
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

/// Every op states the dialect version that introduced it and the group it is documented under.
class Cutl_Op<string mnemonic, string since, string group, list<Trait> traits = []>
    : Op<Cutl_Dialect, mnemonic, traits> {
  string sinceVersion = since;
  string docGroup = group;
}

class Cutl_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Cutl_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLBASE_TD
