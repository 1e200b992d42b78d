//===- Emit.h - Short forms for the operations that kernels are made of ---===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_EMIT_H
#define CUTL_CONVERSION_CUTLTILETONVVM_EMIT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl::nvvm {

/// Address spaces of NVPTX.
enum AddressSpace : unsigned {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  /// Shared memory of any CTA of the cluster.
  kSharedCluster = 7
};

/// A builder with a location and the arithmetic that address computations need.
/// Integers are i32 unless said otherwise, pointers are LLVM pointers.
class Emit {
public:
  Emit(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value i32(int64_t value);
  Value i64(int64_t value);
  Value boolean(bool value);

  Value add(Value x, Value y);
  Value add(Value x, int64_t y);
  /// The sum of two accumulators, or vectors of them: floats or integers.
  Value addSums(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value mul(Value x, int64_t y);
  /// Unsigned quotient and remainder.
  Value div(Value x, Value y);
  Value div(Value x, int64_t y);
  Value rem(Value x, Value y);
  Value rem(Value x, int64_t y);
  Value bitAnd(Value x, int64_t y);
  Value bitXor(Value x, Value y);
  Value shl(Value x, int64_t y);
  Value shr(Value x, int64_t y);
  /// Quotient rounded up, of what is not negative.
  Value ceilDiv(Value x, int64_t y);
  Value maxSigned(Value x, Value y);
  Value compare(arith::CmpIPredicate predicate, Value x, Value y);
  Value equal(Value x, int64_t y);
  Value less(Value x, Value y);
  Value both(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value sext64(Value x);
  Value zext64(Value x);
  /// Between i32 and the indices of a schedule.
  Value index(Value x);
  Value fromIndex(Value x);

  LLVM::LLVMPointerType pointerType(unsigned space);
  /// `base` advanced by `bytes` (i32 or i64).
  Value advance(Value base, Value bytes);
  Value advance(Value base, int64_t bytes);

  /// A vector of values of one type.
  Value vector(ArrayRef<Value> elements);

  /// Runs `body` where `condition` holds.
  void ifThen(Value condition, function_ref<void()> body);
  void ifThenElse(Value condition, function_ref<void()> thenBody,
                  function_ref<void()> elseBody);
  /// The values of one of two bodies, which is the only one to run.
  SmallVector<Value> choose(Value condition,
                            function_ref<SmallVector<Value>()> thenBody,
                            function_ref<SmallVector<Value>()> elseBody);
  /// `for (i = lower; i < upper; i += step)` with values carried around; returns
  /// their final values.
  SmallVector<Value>
  loop(Value lower, Value upper, Value step, ValueRange init,
       function_ref<SmallVector<Value>(Value, ValueRange)> body);

  /// Inline PTX without results. It is not convergent: never a warp collective.
  void inlineAsm(StringRef text, StringRef constraints, ValueRange operands);
  Value inlineAsm(Type result, StringRef text, StringRef constraints,
                  ValueRange operands, bool sideEffects);
  /// A call of an LLVM intrinsic by name.
  Value intrinsic(Type result, StringRef name, ValueRange operands);

  OpBuilder &b;
  Location loc;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_EMIT_H
