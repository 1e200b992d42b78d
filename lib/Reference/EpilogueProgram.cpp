//===- EpilogueProgram.cpp - An epilogue region ready to evaluate --------===//

#include "EpilogueProgram.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::cutl;

FailureOr<EpilogueProgram> EpilogueProgram::get(Block &body) {
  EpilogueProgram program;
  llvm::DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  for (BlockArgument argument : body.getArguments())
    number(argument);
  for (Operation &op : body.without_terminator()) {
    auto epilogueOp = dyn_cast<EpilogueOpInterface>(op);
    if (!epilogueOp || op.getNumResults() != 1)
      return op.emitError(
                 "expected an op with a reference value in the epilogue, got '")
             << op.getName() << "'";
    Step step{epilogueOp, {}, 0, std::nullopt};
    if (auto precision = getNarrowUse(&op))
      step.narrow = getNarrowError(&op, *precision);
    for (Value operand : op.getOperands())
      step.operands.push_back(number(operand));
    step.result = number(op.getResult(0));
    program.slots.resize(numbers.size());
    // Constants are evaluated once.
    if (step.operands.empty())
      program.slots[step.result] = epilogueOp.evaluateReference({});
    else
      program.steps.push_back(std::move(step));
  }
  for (Value value : body.getTerminator()->getOperands())
    program.yielded.push_back(number(value));
  program.slots.resize(numbers.size());
  return program;
}

void EpilogueProgram::run(ArrayRef<RefValue> arguments,
                          SmallVectorImpl<RefValue> &results) {
  std::copy(arguments.begin(), arguments.end(), slots.begin());
  SmallVector<RefValue, 4> operands;
  for (Step &step : steps) {
    operands.clear();
    for (unsigned slot : step.operands)
      operands.push_back(slots[slot]);
    RefValue &result = slots[step.result];
    result = step.op.evaluateReference(operands);
    if (step.narrow)
      result.error += step.narrow->getBound(operands[0].value, result.value);
  }
  results.clear();
  for (unsigned slot : yielded)
    results.push_back(slots[slot]);
}
