//===- ConsumerFusion.h - Readers that a gemm takes in ----------*- C++ -*-===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_CONSUMERFUSION_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_CONSUMERFUSION_H

#include "ElementwiseOp.h"
#include "EpilogueEdit.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::cutl {

/// The map from a gemm's domain to an operand that an elementwise op addresses
/// by `map` from its own iteration space, dimension `i` of which is dimension
/// `dims[i]` of the domain.
AffineMap composeWithDomain(AffineMap map, ArrayRef<unsigned> dims,
                            GemmDomain domain);

/// Extents that operands give the dimensions of a gemm, to find out whether new
/// operands agree.
class ExtentCheck {
public:
  explicit ExtentCheck(GemmOp op)
      : op(op), extents(op.getDomain().getRank(), ShapedType::kDynamic) {}
  bool add(Type type, AffineMap map);

private:
  GemmOp op;
  SmallVector<int64_t> extents;
};

/// The map of an output.
AffineMap getOutMap(GemmOp op, unsigned out);

/// Finds, for one gemm in tensor form, a group of ops that the epilogue can do
/// instead of them: one that reads results of the gemm, and those that lie on
/// the way to it. The gemm gets no more outputs than it has, or than
/// `maxOutputs` if that is more.
class ConsumerFusion {
public:
  using Missed = std::pair<Operation *, std::string>;

  ConsumerFusion(GemmOp op, unsigned maxOutputs)
      : op(op), maxOutputs(maxOutputs) {}

  /// Whether there is such a group. Changes nothing.
  bool find();
  /// Fuses the group that was found.
  void apply(PatternRewriter &rewriter);
  /// The readers that `find` had to leave behind, and why.
  ArrayRef<Missed> getMissed() const { return missed; }

private:
  /// An op that could be fused by what it does.
  struct Candidate {
    ElementwiseOp op;
    /// The domain dimension of each of its dimensions.
    SmallVector<unsigned> dims;
  };
  /// An output of the new gemm and the value it takes the place of.
  struct NewOut {
    Value replaced;
    AffineMap map;
    Combiner combiner = Combiner::None;
    /// Null where a new tensor is needed.
    Value destination;
    /// What a reduction starts from, if that is not the combiner's identity.
    Value start;
  };
  struct Group {
    /// In the order of the block.
    SmallVector<const Candidate *> members;
    SmallVector<unsigned> keptOuts;
    SmallVector<NewOut> newOuts;
    /// Ops before the last member that have to move before the gemm; empty if
    /// the new gemm stands where the last member does.
    SmallVector<Operation *> hoisted;
    bool atGemm = false;
  };

  bool addCandidate(Operation *reader, std::string &reason);
  bool findGroup(const Candidate &last, std::string &reason);
  bool findOuts(Group &group, std::string &reason);
  bool checkOperands(const Group &group, std::string &reason);
  bool findPlace(Group &group, std::string &reason);
  NewOut makeNewOut(const Group &group, const Candidate &member, unsigned i);
  Value getDestination(Value destination, Type type);
  bool isDropped(const Group &group, unsigned out) const;
  bool dependsOnGemm(Value value);
  Value createEmpty(PatternRewriter &rewriter, const NewOut &out);

  GemmOp op;
  unsigned maxOutputs;
  /// What an epilogue can have computed, with its map from the domain: results
  /// of the gemm and of candidates.
  llvm::DenseMap<Value, AffineMap> available;
  std::vector<std::unique_ptr<Candidate>> candidates;
  llvm::DenseMap<Operation *, bool> dependent;
  Group found;
  SmallVector<Missed> missed;
};

/// Replaces the sizes that are asked of a value computed over the gemm's domain
/// by sizes of the gemm's operands. Whether there were any.
bool replaceDims(PatternRewriter &rewriter, GemmOp op, Value value,
                 AffineMap map);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_CONSUMERFUSION_H
