//===- Passes.h - Passes of the GPU target ----------------------*- C++ -*-===//
//
// Declares the constructors and registration of the GPU target's passes.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_GPU_PASSES_H
#define CUTL_TARGET_GPU_PASSES_H

#include "cutl/Target/GPU/Serialize.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::cutl {

#define GEN_PASS_DECL
#include "cutl/Target/GPU/Passes.h.inc"

/// Registers every pass of the GPU target with the global pass registry.
#define GEN_PASS_REGISTRATION
#include "cutl/Target/GPU/Passes.h.inc"

} // namespace mlir::cutl

#endif // CUTL_TARGET_GPU_PASSES_H
