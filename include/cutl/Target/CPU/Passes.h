//===- Passes.h - Passes of the CPU target ----------------------*- C++ -*-===//
//
// Declares the constructors and registration of the CPU target's passes.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_PASSES_H
#define CUTL_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::cutl {

#define GEN_PASS_DECL
#include "cutl/Target/CPU/Passes.h.inc"

/// Registers every pass of the CPU target with the global pass registry.
#define GEN_PASS_REGISTRATION
#include "cutl/Target/CPU/Passes.h.inc"

} // namespace mlir::cutl

#endif // CUTL_TARGET_CPU_PASSES_H
