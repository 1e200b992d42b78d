//===- Warp.cpp - 32 lanes that step through a kernel ---------------------===//

#include "Warp.h"

using namespace cutltest;

Warp::Warp(const SimtProgram &program, llvm::ArrayRef<int64_t> arguments)
    : registers(program.getNumRegisters()) {
  const CodeBlock &body = program.getBody();
  for (auto [reg, value] : llvm::zip_equal(body.arguments, arguments))
    registers[reg].fill(value);
  stack.push_back({&body, 0, ~Mask(0)});
}

int64_t Warp::getUniform(unsigned reg) {
  int64_t value = registers[reg][getFirstLane()];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (getMask() >> lane & 1 && registers[reg][lane] != value)
      error = "lanes of a warp differ where they must agree";
  return value;
}

/// All at once: a value may be both read and written.
void Warp::assign(llvm::ArrayRef<unsigned> to, llvm::ArrayRef<unsigned> from,
                  Mask mask) {
  llvm::SmallVector<Lanes> values;
  for (unsigned reg : from)
    values.push_back(registers[reg]);
  for (auto [reg, value] : llvm::zip_equal(to, values))
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (mask >> lane & 1)
        registers[reg][lane] = value[lane];
}

void Warp::enterIf(const Instruction &branch) {
  Mask mask = getMask(), taken = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1 && registers[branch.operands[0]][lane] & 1)
      taken |= Mask(1) << lane;
  Mask others = mask & ~taken;
  if (taken != 0)
    stack.push_back(
        {branch.regions[0], 0, taken, &branch, branch.regions[1] ? others : 0});
  else if (branch.regions[1])
    stack.push_back({branch.regions[1], 0, others, &branch});
  else
    retire();
}

void Warp::startIteration(Frame &frame) {
  frame.next = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    registers[frame.block->arguments[0]][lane] = frame.index;
}

void Warp::enterFor(const Instruction &loop) {
  llvm::ArrayRef<unsigned> operands = loop.operands;
  Frame frame = {loop.regions[0], 0, getMask(), &loop};
  frame.index = getUniform(operands[0]);
  frame.end = getUniform(operands[1]);
  frame.step = getUniform(operands[2]);
  if (frame.step <= 0)
    error = "a loop with no step";
  if (frame.index >= frame.end) {
    assign(loop.results, operands.drop_front(3), getMask());
    retire();
    return;
  }
  assign(llvm::ArrayRef(frame.block->arguments).drop_front(),
         operands.drop_front(3), frame.mask);
  startIteration(frame);
  stack.push_back(frame);
}

void Warp::yield(const Instruction &yield) {
  Frame &frame = stack.back();
  const Instruction &owner = *frame.owner;
  if (owner.kind == Instruction::Kind::For) {
    frame.index += frame.step;
    if (frame.index < frame.end) {
      assign(llvm::ArrayRef(frame.block->arguments).drop_front(),
             yield.operands, frame.mask);
      startIteration(frame);
      return;
    }
    assign(owner.results, yield.operands, frame.mask);
  } else {
    assign(owner.results, yield.operands, frame.mask);
    if (frame.others != 0) {
      frame = {owner.regions[1], 0, frame.others, &owner};
      return;
    }
  }
  stack.pop_back();
  retire();
}

const Instruction *Warp::advance() {
  using Kind = Instruction::Kind;
  while (error.empty()) {
    const Frame &frame = stack.back();
    const Instruction &instruction = frame.block->code[frame.next];
    switch (instruction.kind) {
    case Kind::Local:
      instruction.evaluate(instruction, registers.data(), frame.mask);
      retire();
      break;
    case Kind::If:
      enterIf(instruction);
      break;
    case Kind::For:
      enterFor(instruction);
      break;
    case Kind::Yield:
      yield(instruction);
      break;
    case Kind::Return:
      return nullptr;
    case Kind::Machine:
      return &instruction;
    }
  }
  return nullptr;
}
