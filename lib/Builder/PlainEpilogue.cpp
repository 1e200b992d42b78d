//===- PlainEpilogue.cpp - Scales, c, bias and activation as a graph -----===//

#include "PlainEpilogue.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::cutl;
using ::cutl::targetinfo::DataType;

static const char *getOpName(Activation activation) {
  switch (activation) {
  case Activation::Identity:
    return "identity";
  case Activation::Relu:
    return "relu";
  case Activation::GeluErf:
    return "gelu";
  case Activation::GeluTanh:
    return "gelu_tanh";
  case Activation::Silu:
    return "silu";
  case Activation::Sigmoid:
    return "sigmoid";
  case Activation::Tanh:
    return "tanh";
  case Activation::LeakyRelu:
    return "leaky_relu";
  case Activation::HardSwish:
    return "hardswish";
  case Activation::Softplus:
    return "softplus";
  }
  llvm_unreachable("unknown activation");
}

namespace {

/// Numbers the values of a graph that grows.
class GraphWriter {
public:
  /// To be called for every input before the first node.
  unsigned addInput(std::string name, const GemmArrayDescription &array,
                    bool isNumber = false) {
    graph.inputs.push_back({std::move(name), array, isNumber});
    return next++;
  }
  unsigned addNode(std::string op, SmallVector<unsigned, 3> operands,
                   SmallVector<double, 2> numbers = {}) {
    graph.nodes.push_back(
        {std::move(op), std::move(operands), std::move(numbers), nullptr, ""});
    return next++;
  }

  GemmEpilogueDescription graph;

private:
  /// The accumulator is number 0.
  unsigned next = 1;
};

} // namespace

GemmEpilogueDescription
mlir::cutl::describePlainEpilogue(const GemmDescription &description,
                                  const DataType &scaleType) {
  GraphWriter writer;
  GemmArrayDescription scale;
  scale.type = &scaleType;
  unsigned result = 0, c = 0, bias = 0, alpha = 0, beta = 0;
  if (description.c.type)
    c = writer.addInput("C", description.c);
  if (description.bias.type)
    bias = writer.addInput("bias", description.bias);
  if (description.hasAlpha)
    alpha = writer.addInput("alpha", scale, /*isNumber=*/true);
  if (description.hasBeta)
    beta = writer.addInput("beta", scale, /*isNumber=*/true);
  if (description.c.type) {
    for (unsigned *factor : {&alpha, &beta})
      if (!*factor)
        *factor = writer.addNode("constant", {}, {1.0});
    result = writer.addNode("linear_combination", {alpha, result, beta, c});
  } else if (description.hasAlpha) {
    result = writer.addNode("mul", {alpha, result});
  }
  if (description.bias.type)
    result = writer.addNode("add", {result, bias});
  if (description.activation != Activation::Identity) {
    SmallVector<double, 2> numbers;
    if (description.activation == Activation::LeakyRelu)
      numbers.push_back(description.activationArgument);
    result = writer.addNode(getOpName(description.activation), {result},
                            std::move(numbers));
  }
  writer.graph.outputs.push_back({"D", description.d, result, Combiner::None});
  return std::move(writer.graph);
}
