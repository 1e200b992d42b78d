//===- Phase.h - How far the lowering of an op has come ------------------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_PHASE_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_PHASE_H

#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"

namespace mlir::cutl {

/// The phases of lowering, in order. The first three are properties of a
/// problem op, computed from what it carries and never stored.
enum class Phase { Raw, Targeted, Configured };

StringRef stringifyPhase(Phase phase);

/// The phase of an op: `targeted` once a target is found at or above it,
/// `configured` once it also has a configuration and a schedule.
Phase getPhase(ProblemOpInterface op);

/// Succeeds if `op` has reached `needed`. Otherwise an error names the op, its
/// phase and the passes that `pass` needs to run after.
LogicalResult requirePhase(ProblemOpInterface op, Phase needed, StringRef pass);

/// Succeeds if no problem op is left below `kernel`, so that it has reached
/// phase `tiled`. Otherwise an error names the op, its phase and the pass that
/// `pass` needs to run after.
LogicalResult requireTiled(Operation *kernel, StringRef pass);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_PHASE_H
