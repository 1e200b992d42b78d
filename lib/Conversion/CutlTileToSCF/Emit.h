//===- Emit.h - Index arithmetic and loops, short to write ---------------===//

#ifndef CUTL_CONVERSION_CUTLTILETOSCF_EMIT_H
#define CUTL_CONVERSION_CUTLTILETOSCF_EMIT_H

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::cutl::tilescf {

/// A builder with its location. Indices are not negative unless a difference
/// makes them so.
struct Emit {
  OpBuilder &b;
  Location loc;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  /// The sum of two accumulators, floats or integers.
  Value addSums(Value x, Value y) {
    return createCombine(b, loc, Combiner::Add, x, y);
  }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value mul(Value x, int64_t y) { return mul(x, index(y)); }
  Value ceilDiv(Value x, int64_t y) {
    return arith::CeilDivUIOp::create(b, loc, x, index(y));
  }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(b, loc, x, y); }
  /// Of signed values.
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }

  Value load(Value memref, ValueRange indices) {
    return memref::LoadOp::create(b, loc, memref, indices);
  }
  void store(Value value, Value memref, ValueRange indices) {
    memref::StoreOp::create(b, loc, value, memref, indices);
  }

  /// `for i = begin to end step step`, in order; leaves the builder behind it.
  void loop(Value begin, Value end, Value step,
            function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, loc, begin, end, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  void loop(Value end, function_ref<void(Value)> body) {
    loop(index(0), end, index(1), body);
  }
  void loop(int64_t end, function_ref<void(Value)> body) {
    loop(index(end), body);
  }
  /// Runs `body` where `condition` holds; leaves the builder behind it.
  void ifThen(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }
};

} // namespace mlir::cutl::tilescf

#endif // CUTL_CONVERSION_CUTLTILETOSCF_EMIT_H
