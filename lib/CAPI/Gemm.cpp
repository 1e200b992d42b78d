//===- Gemm.cpp - Building a gemm through the C interface ----------------===//

#include "Handles.h"
#include "cutl/Builder/GemmBuilder.h"

using namespace mlir;
using namespace mlir::cutl::capi;
using mlir::cutl::Activation;
using mlir::cutl::Combiner;
using mlir::cutl::EpilogueNode;
using mlir::cutl::GemmArrayDescription;
using mlir::cutl::GemmDescription;
using mlir::cutl::GemmEpilogueDescription;
using mlir::cutl::MathMode;
using mlir::cutl::Split;

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
  case CUTL_ACTIVATION_SOFTPLUS:
    return Activation::Softplus;
  }
  return std::nullopt;
}

static std::optional<Combiner> getCombiner(CutlCombiner combiner) {
  switch (combiner) {
  case CUTL_COMBINER_NONE:
    return Combiner::None;
  case CUTL_COMBINER_ADD:
    return Combiner::Add;
  case CUTL_COMBINER_MAX:
    return Combiner::Max;
  case CUTL_COMBINER_MIN:
    return Combiner::Min;
  case CUTL_COMBINER_AMAX:
    return Combiner::AMax;
  }
  return std::nullopt;
}

static std::optional<Split> getSplit(CutlSplit split) {
  switch (split) {
  case CUTL_SPLIT_NONE:
    return Split::None;
  case CUTL_SPLIT_HALVES:
    return Split::Halves;
  case CUTL_SPLIT_INTERLEAVED:
    return Split::Interleaved;
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
  void readEpilogue(const CutlEpilogue &epilogue,
                    GemmEpilogueDescription &description);
  const ::cutl::targetinfo::DataType *readType(const char *name,
                                               CutlDataType type);
  /// A list of `size` entries; empty, with a fault, if it is null.
  template <typename T>
  ArrayRef<T> readList(const char *name, const T *list, size_t size) {
    if (list || size == 0)
      return ArrayRef(list, size);
    fault = ("expected " + Twine(size) + " " + name + ", got null").str();
    return {};
  }

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
  array.pitch = operand.pitch;
}

static const char *orEmpty(const char *text) { return text ? text : ""; }

void ProblemReader::readEpilogue(const CutlEpilogue &epilogue,
                                 GemmEpilogueDescription &description) {
  if (epilogue.structSize != sizeof(CutlEpilogue)) {
    fault = ("expected structSize " + Twine(sizeof(CutlEpilogue)) +
             " for the epilogue, got " + Twine(epilogue.structSize))
                .str();
    return;
  }
  description.computeType = readType("computeType", epilogue.computeType);
  for (const CutlEpilogueInput &input :
       readList("inputs", epilogue.inputs, epilogue.numInputs)) {
    auto &to = description.inputs.emplace_back();
    to.name = orEmpty(input.name);
    readArray(to.name.c_str(), input.array, to.array);
    to.isNumber = input.isNumber;
  }
  for (const CutlEpilogueNode &node :
       readList("nodes", epilogue.nodes, epilogue.numNodes)) {
    EpilogueNode &to = description.nodes.emplace_back();
    to.op = orEmpty(node.op);
    to.name = orEmpty(node.name);
    to.type = readType(to.op.c_str(), node.type);
    llvm::append_range(to.operands,
                       readList("operands", node.operands, node.numOperands));
    llvm::append_range(to.numbers,
                       readList("numbers", node.numbers, node.numNumbers));
  }
  for (const CutlEpilogueOutput &output :
       readList("outputs", epilogue.outputs, epilogue.numOutputs)) {
    auto &to = description.outputs.emplace_back();
    to.name = orEmpty(output.name);
    readArray(to.name.c_str(), output.array, to.array);
    to.value = output.value;
    if (auto combiner = getCombiner(output.combiner))
      to.combiner = *combiner;
    else
      fault = ("expected a CutlCombiner for " + Twine(to.name) + ", got " +
               Twine(int(output.combiner)))
                  .str();
  }
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
  for (const CutlGemmOperand &b :
       readList("moreB", problem.moreB, problem.numMoreB))
    readArray("moreB", b, description.moreB.emplace_back());
  if (auto split = getSplit(problem.split))
    description.split = *split;
  else
    fault = ("expected a CutlSplit, got " + Twine(int(problem.split))).str();
  description.deterministic = !problem.anyOrder;
  description.batchInvariant = problem.batchInvariant;
  if (problem.smBudget != 0)
    description.smBudget = problem.smBudget;
  description.saturate = problem.saturate;
  if (problem.promote != 0)
    description.promote = problem.promote;
  description.unalignedA = problem.unalignedA;
  description.unalignedB = problem.unalignedB;
  if (problem.epilogue)
    readEpilogue(*problem.epilogue, description.epilogue.emplace());
  return description;
}

/// Of the struct in versions 1000, 1001, 1002 and 1003, 1004 to 1006, and 1007.
static constexpr size_t problemSizes[] = {
    offsetof(CutlGemmProblem, config), offsetof(CutlGemmProblem, moreB),
    offsetof(CutlGemmProblem, anyOrder), offsetof(CutlGemmProblem, saturate),
    sizeof(CutlGemmProblem)};

CutlStatus cutlGemmModuleCreate(CutlContext *context,
                                const CutlGemmProblem *problem,
                                CutlModule **module) {
  if (!context || !problem || !module)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    DiagnosticScope scope(*context);
    // A caller of an earlier version has a shorter struct.
    CutlGemmProblem whole = {};
    size_t size = problem->structSize;
    if (!llvm::is_contained(problemSizes, size))
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

CutlStatus cutlGemmCheckDecisions(CutlContext *context, const char *config,
                                  const char *schedule) {
  if (!context)
    return CUTL_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    DiagnosticScope scope(*context);
    return succeeded(mlir::cutl::parseGemmDecisions(
               &context->mlir, orEmpty(config), orEmpty(schedule)))
               ? CUTL_OK
               : CUTL_ERROR_VERIFY;
  });
}
