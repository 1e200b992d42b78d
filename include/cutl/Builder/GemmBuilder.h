//===- GemmBuilder.h - Builds a gemm from a plain description ------------===//

#ifndef CUTL_BUILDER_GEMMBUILDER_H
#define CUTL_BUILDER_GEMMBUILDER_H

#include "cutl/Builder/EpilogueGraph.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
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
  HardSwish,
  Softplus
};

/// One array of a described gemm.
struct GemmArrayDescription {
  /// Null if the array is absent.
  const ::cutl::targetinfo::DataType *type = nullptr;
  /// The domain's dimension along each dimension of the array: `m`, `n`, `k`,
  /// or a digit for a batch dimension.
  std::string dims;
  /// In memref form, whether the last stride is statically one.
  bool unitStride = false;
  /// In memref form, the stride of the dimension before the last in elements;
  /// 0 if it may be any.
  int64_t pitch = 0;
};

/// An auxiliary operand of a described epilogue.
struct GemmEpilogueInput {
  std::string name;
  GemmArrayDescription array;
  /// Whether it is a number by value, of the array's type, not an array.
  bool isNumber = false;
};

/// A result of a described epilogue.
struct GemmEpilogueOutput {
  std::string name;
  GemmArrayDescription array;
  /// Number of the value, as in EpilogueNode.
  unsigned value = 0;
  /// None exactly if the array has every dimension but `k`.
  Combiner combiner = Combiner::None;
};

/// An epilogue as a graph over the accumulators and the inputs.
struct GemmEpilogueDescription {
  SmallVector<GemmEpilogueInput, 4> inputs;
  SmallVector<EpilogueNode> nodes;
  SmallVector<GemmEpilogueOutput, 2> outputs;
  /// What it computes in: null for f64 with an f64 accumulator, otherwise f32.
  const ::cutl::targetinfo::DataType *computeType = nullptr;
};

/// `d = activation(alpha · a b + beta · c + bias)`, or what `epilogue` says.
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
  /// Whether sums of integers saturate, and after how many elements of k those
  /// of 8-bit floats are promoted.
  bool saturate = false;
  std::optional<int64_t> promote;
  /// Whether no more is promised of where A, or B, lies than whole elements.
  bool unalignedA = false;
  bool unalignedB = false;
  /// Whether the scale is an argument of the function; otherwise it is 1.
  bool hasAlpha = false;
  bool hasBeta = false;
  Activation activation = Activation::Identity;
  /// Slope of a leaky relu.
  double activationArgument = 0.0;
  /// Further operands like `b`, each with an accumulator of its own.
  SmallVector<GemmArrayDescription, 1> moreB;
  /// How `b` holds the columns of two accumulators.
  Split split = Split::None;
  /// In place of c, bias, d, the scales and the activation.
  std::optional<GemmEpilogueDescription> epilogue;
  /// What is demanded of the way it is computed.
  bool deterministic = true;
  bool batchInvariant = false;
  std::optional<int64_t> smBudget;
  /// Attributes of the op as text; empty if it has none.
  std::string config, schedule;
};

/// Builds and verifies a module of one function that holds one `cutl.gemm`. The
/// function's arguments are those of a, b, c, bias, d, alpha, beta that are
/// present, or with an epilogue a, the b's, the input arrays, the outputs and
/// the input numbers; in tensor form it returns the outputs. Null, with the
/// reason emitted as an error, if the description breaks a rule. The context
/// must have loaded the arith, cutl, func and math dialects.
OwningOpRef<ModuleOp> buildGemmModule(MLIRContext *context,
                                      const GemmDescription &description);

/// The attributes of an op whose configuration or schedule is given; null where
/// the text is empty.
struct GemmDecisions {
  TileConfigAttr config;
  ScheduleAttrInterface schedule;
};

/// Parses the texts of a configuration and of a schedule. Fails, with the
/// reason emitted as an error, if one is something else. The context must have
/// loaded the cutl dialect.
FailureOr<GemmDecisions>
parseGemmDecisions(MLIRContext *context, StringRef config, StringRef schedule);

} // namespace mlir::cutl

#endif // CUTL_BUILDER_GEMMBUILDER_H
