//===- LowerToLLVM.h - From linalg on memrefs to LLVM -----------*- C++ -*-===//
//
// The lower half of the CPU pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_LOWERTOLLVM_H
#define CUTL_TARGET_CPU_LOWERTOLLVM_H

#include <cstdint>

namespace mlir {
class OpPassManager;
namespace cutl {

struct LinalgToLLVMOptions {
  /// Width of a vector register in bits: 128, 256 or 512.
  unsigned vectorBits = 256;
  /// Packed block of a contraction in elements; see
  /// `convert-linalg-contraction-to-vector`.
  int64_t blockM = 132, blockN = 256, blockK = 256;
};

/// Adds the passes that take a module of functions with `linalg.generic` and
/// other linalg operations on memrefs, `scf`, `arith`, `math`, `memref` and
/// `vector` down to the LLVM dialect. Public functions that return nothing
/// become entry points of the CPU engine.
void buildLinalgToLLVMPipeline(OpPassManager &pm,
                               const LinalgToLLVMOptions &options);

} // namespace cutl
} // namespace mlir

#endif // CUTL_TARGET_CPU_LOWERTOLLVM_H
