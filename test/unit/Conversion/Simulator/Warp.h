//===- Warp.h - 32 lanes that step through a kernel ---------------*- C++
//-*-===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WARP_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WARP_H

#include "SimtProgram.h"

namespace cutltest {

/// Lanes execute together; those that a branch excludes are masked. A warp
/// stops at every instruction of the machine, which only the machine executes.
class Warp {
public:
  Warp(const SimtProgram &program, llvm::ArrayRef<int64_t> arguments);

  /// Steps to the next instruction of the machine and returns it; null at the
  /// end of the kernel and after an error.
  const Instruction *advance();
  /// Leaves the instruction that `advance` returned.
  void retire() { ++stack.back().next; }

  Mask getMask() const { return stack.back().mask; }
  /// The lowest lane that is active.
  unsigned getFirstLane() const { return __builtin_ctz(getMask()); }
  const Lanes &get(unsigned reg) const { return registers[reg]; }
  void set(unsigned reg, unsigned lane, int64_t value) {
    registers[reg][lane] = value;
  }
  /// The value that all active lanes have; an error if they differ.
  int64_t getUniform(unsigned reg);

  const std::string &getError() const { return error; }

private:
  struct Frame {
    const CodeBlock *block;
    size_t next = 0;
    Mask mask;
    /// The If or For that the block belongs to, in the frame below.
    const Instruction *owner = nullptr;
    /// Lanes that the other region of an If awaits.
    Mask others = 0;
    int64_t index = 0, end = 0, step = 0;
  };

  void enterIf(const Instruction &branch);
  void enterFor(const Instruction &loop);
  void yield(const Instruction &yield);
  void assign(llvm::ArrayRef<unsigned> to, llvm::ArrayRef<unsigned> from,
              Mask mask);
  void startIteration(Frame &frame);

  std::vector<Lanes> registers;
  std::vector<Frame> stack;
  std::string error;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_WARP_H
