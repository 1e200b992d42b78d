//===- SimtProgram.h - Kernels in a form to step through ----------*- C++
//-*-===//
//
// A kernel of `scf`, `arith`, LLVM and NVVM operations as lists of instructions
// on numbered registers of 32 lanes. Integers and pointers have their values, and
// f32 have their bits as far as a fixup goes: what a mainloop returns, and what is
// stored, loaded and added. Everything else (numbers that are multiplied, other
// memory) is zero and may decide nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SIMTPROGRAM_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SIMTPROGRAM_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace cutltest {

inline constexpr unsigned kLanes = 32;
using Lanes = std::array<int64_t, kLanes>;
using Mask = uint32_t;

/// Where dynamic shared memory starts in each CTA.
inline constexpr int64_t kSharedBase = 1024;

/// An address in shared memory of another CTA: its rank in the cluster, plus
/// one, is above this many bits.
inline constexpr unsigned kRankShift = 32;

/// Numbers that threads store and load at once in a workspace.
inline constexpr unsigned kVectorLength = 4;
bool isWorkspaceVector(mlir::Type type);

struct CodeBlock;

struct Instruction {
  enum class Kind {
    /// Reads and writes registers alone.
    Local,
    If,
    For,
    Yield,
    Return,
    /// Waits for, or is seen by, something outside of the warp.
    Machine
  };
  using Evaluate = void (*)(const Instruction &, Lanes *registers, Mask);

  Kind kind = Kind::Local;
  mlir::Operation *op = nullptr;
  /// Of a value with parts, such as a vector, the first of its registers.
  llvm::SmallVector<unsigned, 4> operands, results;
  Evaluate evaluate = nullptr;
  int64_t immediate = 0;
  /// Bits of the first operand and of the first result.
  unsigned operandBits = 64, resultBits = 64;
  /// Of an `If` and, the first only, of a `For`.
  const CodeBlock *regions[2] = {nullptr, nullptr};
};

struct CodeBlock {
  std::vector<Instruction> code;
  llvm::SmallVector<unsigned, 4> arguments;
};

class SimtProgram {
public:
  explicit SimtProgram(mlir::LLVM::LLVMFuncOp function);

  /// What cannot be simulated, or nothing.
  const std::string &getError() const { return error; }
  const CodeBlock &getBody() const { return *body; }
  size_t getNumRegisters() const { return numRegisters; }

private:
  const CodeBlock *compile(mlir::Block &block);
  void compile(mlir::Operation &op, Instruction &instruction);
  unsigned getRegister(mlir::Value value);

  size_t numRegisters = 0;
  llvm::DenseMap<mlir::Value, unsigned> registers;
  std::vector<std::unique_ptr<CodeBlock>> blocks;
  const CodeBlock *body;
  std::string error;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_SIMTPROGRAM_H
