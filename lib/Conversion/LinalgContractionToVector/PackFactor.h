//===- PackFactor.h - Packing one side of a contraction ---------*- C++ -*-===//
//
// Emits the loops that evaluate a factor over a block into a panel.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_PACKFACTOR_H
#define CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_PACKFACTOR_H

#include "ContractionAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

namespace mlir::cutl {

/// Creates operations at one location, with index constants shared: they are
/// placed where the emitter was made, so everything must be emitted below.
class LoopEmitter {
public:
  LoopEmitter(OpBuilder &builder, Location loc);

  Value constant(int64_t value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value min(Value lhs, Value rhs);
  Value equal(Value lhs, Value rhs);

  /// `for iv = lower to upper step step`, with `body(iv)` emitted inside.
  void loop(Value lower, Value upper, int64_t step,
            function_ref<void(Value)> body);
  /// `if condition`, with branches that yield nothing.
  void branch(Value condition, function_ref<void()> thenBody,
              function_ref<void()> elseBody = {});

  OpBuilder &b;
  Location loc;

private:
  /// The constant zero, before which the others are placed.
  Operation *firstConstant;
  /// No dense map: that has no room for the greatest and least number.
  std::map<int64_t, Value> constants;
};

/// Reads the inputs of one contraction.
class FactorPacker {
public:
  /// Emits what every block shares, at the emitter's present position.
  FactorPacker(LoopEmitter &emitter, const Contraction &contraction,
               const Factor &factor);

  /// Evaluates the factor for `lanes` lanes and `depth` values of k into
  /// `panel`, a memref of blocks x k x lanes of one register tile; lanes that
  /// the last register tile lacks become zero. `origin` has an index for every
  /// loop dimension: where the block starts.
  void pack(ArrayRef<Value> origin, Value lanes, Value depth, Value panel);

private:
  /// An input read as whole vectors along the lanes.
  struct StridedInput {
    Value base, offset;
    SmallVector<Value> strides;
  };

  SmallVector<Value> indices(unsigned input, ArrayRef<Value> point);
  Value evaluate(ArrayRef<Value> point, int64_t width);
  Value readInput(unsigned input, ArrayRef<Value> point, int64_t width);
  bool prepareVectors();

  LoopEmitter &e;
  const Contraction &contraction;
  linalg::GenericOp op;
  const Factor &factor;
  /// Set when vectors can be read, given that `contiguous` holds at run time.
  bool vectorizable = false;
  Value contiguous;
  llvm::SmallDenseMap<unsigned, StridedInput> views;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_CONVERSION_LINALGCONTRACTIONTOVECTOR_PACKFACTOR_H
