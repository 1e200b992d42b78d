//===- NarrowMath.cpp - Functions whose result is rounded later ----------===//

#include "cutl/Dialect/Cutl/IR/NarrowMath.h"

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Results below the normal numbers may be zero.
static constexpr double kLeastNormal = 0x1p-126;

double NarrowError::getBound(double operand, double result) const {
  auto part = [](double factor, double of) {
    return std::isfinite(of) ? factor * std::fabs(of) : 0.0;
  };
  return part(relative, result) + part(ofOperand, operand) + absolute;
}

std::optional<NarrowError>
mlir::cutl::getNarrowError(Operation *op, NarrowPrecision precision) {
  using Result = std::optional<NarrowError>;
  bool isFine = precision == NarrowPrecision::Fine;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<SigmoidOp, SoftplusGradOp, SigmoidGradOp, TanhGradOp, math::ExpOp>(
          [](auto) {
            return NarrowError{0x1p-17, 0.0, kLeastNormal};
          })
      // Where the sigmoid is zero the operand is up to 88.
      .Case([](SiluOp) {
        return NarrowError{0x1p-17, 0.0, 0x1p-119};
      })
      .Case([](math::Exp2Op) {
        return NarrowError{0x1p-22, 0.0, kLeastNormal};
      })
      .Case<TanhOp, math::TanhOp>([&](auto) {
        return NarrowError{isFine ? 0x1p-18 : 0x1p-15, 0.0, 0.0};
      })
      .Case([&](SoftplusOp) {
        return NarrowError{isFine ? 0x1p-17 : 0x1p-14, 0.0, kLeastNormal};
      })
      .Case([&](GeluOp gelu) -> Result {
        if (gelu.getForm() != GeluForm::Erf)
          return std::nullopt;
        return isFine ? NarrowError{0x1p-17, 0x1p-40, 0.0}
                      : NarrowError{0x1p-14, 0x1p-28, 0.0};
      })
      // These are zero at a negative operand.
      .Case([](SiluGradOp) {
        return NarrowError{0.0, 0.0, 0x1p-18};
      })
      .Case([&](GeluGradOp gelu) -> Result {
        if (gelu.getForm() != GeluForm::Erf)
          return std::nullopt;
        return NarrowError{0.0, 0.0, isFine ? 0x1p-18 : 0x1p-15};
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The precision for a float of at most 16 bits.
static std::optional<NarrowPrecision> getPrecision(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() > 16)
    return std::nullopt;
  // 8-bit floats have fewer digits than bf16.
  return floatType.isF16() ? NarrowPrecision::Fine : NarrowPrecision::Coarse;
}

/// What the user rounds the value to, to nearest.
static std::optional<NarrowPrecision> getRounding(Operation *user) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(user)) {
    auto mode = truncate.getRoundingmode().value_or(
        arith::RoundingMode::to_nearest_even);
    if (mode != arith::RoundingMode::to_nearest_even &&
        mode != arith::RoundingMode::to_nearest_away)
      return std::nullopt;
    return getPrecision(truncate.getType());
  }
  if (auto convert = dyn_cast<ConvertOp>(user))
    return getPrecision(convert.getType());
  // Two at a time, as the epilogue of a kernel packs them.
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(user)) {
    if (call.getIntrin() == "llvm.nvvm.ff2bf16x2.rn")
      return NarrowPrecision::Coarse;
    if (call.getIntrin() == "llvm.nvvm.ff2f16x2.rn")
      return NarrowPrecision::Fine;
  }
  return std::nullopt;
}

/// Whether the relative error of the result is at most the sum of those of the
/// operands.
static bool keepsRelativeError(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::MulFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp, ReluOp, LeakyReluOp,
          ClampOp>(user))
    return true;
  // A divisor may be small enough to be flushed to zero.
  if (isa<arith::DivFOp, math::CopySignOp>(user))
    return use.getOperandNumber() == 0;
  return isa<arith::SelectOp>(user) && use.getOperandNumber() != 0;
}

std::optional<NarrowPrecision> mlir::cutl::getNarrowUse(Operation *op) {
  Value result = op->getResult(0);
  if (auto precision = getPrecision(result.getType()))
    return precision;
  if (!result.getType().isF32())
    return std::nullopt;
  NarrowPrecision finest = NarrowPrecision::Coarse;
  llvm::SetVector<Value> values;
  values.insert(result);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      if (keepsRelativeError(use)) {
        values.insert(use.getOwner()->getResult(0));
        continue;
      }
      auto precision = getRounding(use.getOwner());
      if (!precision)
        return std::nullopt;
      finest = std::max(finest, *precision);
    }
  return finest;
}
