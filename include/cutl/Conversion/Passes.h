//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//
//
// Declares the options, constructors and registration of every conversion pass.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_PASSES_H
#define CUTL_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::cutl {

#define GEN_PASS_DECL
#include "cutl/Conversion/Passes.h.inc"

/// Registers every conversion pass with the global pass registry.
#define GEN_PASS_REGISTRATION
#include "cutl/Conversion/Passes.h.inc"

} // namespace mlir::cutl

#endif // CUTL_CONVERSION_PASSES_H
