//===- Gemm.cpp - Building a gemm through the C interface ----------------===//

#include "Handles.h"
#include "cutl/Builder/GemmBuilder.h"

using namespace mlir;
using namespace mlir::cutl::capi;
using mlir::cutl::Activation;
using mlir::cutl::GemmArrayDescription;
using mlir::cutl::GemmDescription;
using mlir::cutl::MathMode;

static std::optional<MathMode> getMathMode(CutlMathMode mode) {
  switch (mode) {
  case CUTL_MATH_EXACT:
    return MathMode::Exact;
  case CUTL_MATH_TF32:
    return MathMode::TF32;
  case CUTL_MATH_TF32X3:
    return MathMode::TF32x3;
  case CUTL_MATH_BF16:
    return MathMode::BF16;
  case CUTL_MATH_F16:
    return MathMode::F16;
  }
  return std::nullopt;
}

static std::optional<Activation> getActivation(CutlActivation activation) {
  switch (activation) {
  case CUTL_ACTIVATION_IDENTITY:
    return Activation::Identity;
  case CUTL_ACTIVATION_RELU:
    return Activation::Relu;
  case CUTL_ACTIVATION_GELU:
    return Activation::GeluErf;
  case CUTL_ACTIVATION_GELU_TANH:
    return Activation::GeluTanh;
  case CUTL_ACTIVATION_SILU:
    return Activation::Silu;
  case CUTL_ACTIVATION_SIGMOID:
    return Activation::Sigmoid;
  case CUTL_ACTIVATION_TANH:
    return Activation::Tanh;
  case CUTL_ACTIVATION_LEAKY_RELU:
    return Activation::LeakyRelu;
  case CUTL_ACTIVATION_HARDSWISH:
    return Activation::HardSwish;
  }
  return std::nullopt;
}

namespace {

/// Translates one problem; the first enumerator that means nothing is kept.
class ProblemReader {
public:
  explicit ProblemReader(const CutlGemmProblem &problem) : problem(problem) {}

  GemmDescription read();
  StringRef getFault() const { return fault; }

private:
  void readArray(const char *name, const CutlGemmOperand &operand,
                 GemmArrayDescription &array);
  const ::cutl::targetinfo::DataType *readType(const char *name,
                                               CutlDataType type);

  const CutlGemmProblem &problem;
  std::string fault;
};

} // namespace

const ::cutl::targetinfo::DataType *ProblemReader::readType(const char *name,
                                                            CutlDataType type) {
  const ::cutl::targetinfo::DataType *record = getRecord(type);
  if (!record && type != CUTL_TYPE_NONE)
    fault = ("expected a CutlDataType for " + Twine(name) + ", got " +
             Twine(int(type)))
                .str();
  return record;
}

void ProblemReader::readArray(const char *name, const CutlGemmOperand &operand,
                              GemmArrayDescription &array) {
  array.type = readType(name, operand.type);
  array.dims = operand.dims ? operand.dims : "";
  array.unitStride = operand.unitStride;
}

GemmDescription ProblemReader::read() {
  GemmDescription description;
  auto extent = [](int64_t value) {
    return value == CUTL_DYNAMIC ? ShapedType::kDynamic : value;
  };
  if (problem.name)
    description.name = problem.name;
  if (problem.config)
    description.config = problem.config;
  if (problem.schedule)
    description.schedule = problem.schedule;
  description.memrefForm = problem.memrefForm;
  description.m = extent(problem.m);
  description.n = extent(problem.n);
  description.k = extent(problem.k);
  if (problem.numBatch < 0 || problem.numBatch > CUTL_MAX_BATCH)
    fault = ("expected 0 to " + Twine(CUTL_MAX_BATCH) +
             " batch dimensions, got " + Twine(problem.numBatch))
                .str();
  else
    for (int32_t i = 0; i < problem.numBatch; ++i)
      description.batch.push_back(extent(problem.batch[i]));
  readArray("a", problem.a, description.a);
  readArray("b", problem.b, description.b);
  readArray("c", problem.c, description.c);
  readArray("bias", problem.bias, description.bias);
  readArray("d", problem.d, description.d);
  description.accumulator = readType("accumulator", problem.accumulator);
  description.hasAlpha = problem.hasAlpha;
  description.hasBeta = problem.hasBeta;
  description.activationArgument = problem.activationArgument;
  if (auto mode = getMathMode(problem.math))
    description.math = *mode;
  else
    fault = ("expected a CutlMathMode, got " + Twine(int(problem.math))).str();
  if (auto activation = getActivation(problem.activation))
    description.activation = *activation;
  else
    fault = ("expected a CutlActivation, got " + Twine(int(problem.activation)))
                .str();
  return description;
}

/// Of the struct in version 1000.
static constexpr size_t kFirstProblemSize = offsetof(CutlGemmProblem, config);

CutlStatus cutlGemmModuleCreate(CutlContext *context,
                                const CutlGemmProblem *problem,
                                CutlModule **module) {
  if (!context || !problem || !module)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    DiagnosticScope scope(*context);
    // A caller of version 1000 has a shorter struct.
    CutlGemmProblem whole = {};
    size_t size = problem->structSize;
    if (size != sizeof(CutlGemmProblem) && size != kFirstProblemSize)
      return report(*context, CUTL_ERROR_INVALID_ARGUMENT,
                    "expected structSize " + Twine(sizeof(CutlGemmProblem)) +
                        ", got " + Twine(size));
    std::memcpy(&whole, problem, size);
    ProblemReader reader(whole);
    GemmDescription description = reader.read();
    if (!reader.getFault().empty())
      return report(*context, CUTL_ERROR_INVALID_ARGUMENT, reader.getFault());
    OwningOpRef<ModuleOp> op =
        mlir::cutl::buildGemmModule(&context->mlir, description);
    if (!op)
      return CUTL_ERROR_VERIFY;
    *module = new CutlModule{context, std::move(op)};
    return CUTL_OK;
  });
}
