//===- PaddedMemory.cpp - Intermediates with aligned rows ----------------===//

#include "cutl/Dialect/Cutl/Transforms/PaddedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

std::optional<int64_t> mlir::cutl::getPaddingUnit(Type element,
                                                  int64_t bytes) {
  if (!element.isIntOrFloat())
    return std::nullopt;
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits < 8 || bits > 128 || 128 % bits != 0)
    return std::nullopt;
  return bytes * 8 / bits;
}

Value mlir::cutl::allocatePadded(OpBuilder &builder, Location loc, Type element,
                                 ArrayRef<OpFoldResult> sizes, int64_t unit) {
  SmallVector<OpFoldResult> padded(sizes);
  if (std::optional<int64_t> columns = getConstantIntValue(sizes.back())) {
    padded.back() = builder.getIndexAttr(llvm::alignTo(*columns, unit));
  } else {
    Value units = arith::ConstantIndexOp::create(builder, loc, unit);
    Value rounded = arith::CeilDivSIOp::create(
        builder, loc, cast<Value>(sizes.back()), units);
    padded.back() =
        arith::MulIOp::create(builder, loc, rounded, units).getResult();
  }
  auto [shape, dynamic] = decomposeMixedValues(padded);
  Value wide = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, element), dynamic);
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, loc, wide, zeros, sizes, ones);
}
