//===- GemmBuilder.h - Builds a gemm from a plain description ------------===//

#ifndef CUTL_BUILDER_GEMMBUILDER_H
#define CUTL_BUILDER_GEMMBUILDER_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace mlir::cutl {

/// Elementwise function applied to the result of a described gemm.
enum class Activation {
  Identity,
  Relu,
  GeluErf,
  GeluTanh,
  Silu,
  Sigmoid,
  Tanh,
  LeakyRelu,
  HardSwish
};

/// One array of a described gemm.
struct GemmArrayDescription {
  /// Null if the array is absent.
  const ::cutl::targetinfo::DataType *type = nullptr;
  /// The domain's dimension along each dimension of the array: `m`, `n`, `k`, or
  /// a digit for a batch dimension.
  std::string dims;
  /// In memref form, whether the last stride is statically one.
  bool unitStride = false;
};

/// `d = activation(alpha · a b + beta · c + bias)`.
struct GemmDescription {
  std::string name = "gemm";
  bool memrefForm = false;
  int64_t m = ShapedType::kDynamic;
  int64_t n = ShapedType::kDynamic;
  int64_t k = ShapedType::kDynamic;
  SmallVector<int64_t, 2> batch;
  GemmArrayDescription a, b, c, bias, d;
  /// Null for the default accumulator of `a` and `b`.
  const ::cutl::targetinfo::DataType *accumulator = nullptr;
  MathMode math = MathMode::Exact;
  /// Whether the scale is an argument of the function; otherwise it is 1.
  bool hasAlpha = false;
  bool hasBeta = false;
  Activation activation = Activation::Identity;
  /// Slope of a leaky relu.
  double activationArgument = 0.0;
  /// Attributes of the op as text; empty if it has none.
  std::string config, schedule;
};

/// Builds and verifies a module of one function that holds one `cutl.gemm`. The
/// function's arguments are those of a, b, c, bias, d, alpha, beta that are
/// present; in tensor form it returns d. Null, with the reason emitted as an
/// error, if the description breaks a rule. The context must have loaded the
/// arith, cutl and func dialects.
OwningOpRef<ModuleOp> buildGemmModule(MLIRContext *context,
                                      const GemmDescription &description);

/// Emits the function's formula at the builder's position.
Value emitActivation(OpBuilder &builder, Location loc, Activation activation,
                     double argument, Value x);

} // namespace mlir::cutl

#endif // CUTL_BUILDER_GEMMBUILDER_H
