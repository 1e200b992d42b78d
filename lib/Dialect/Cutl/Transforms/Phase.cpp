//===- Phase.cpp - How far the lowering of an op has come ----------------===//

#include "cutl/Dialect/Cutl/Transforms/Phase.h"

using namespace mlir;
using namespace mlir::cutl;

StringRef mlir::cutl::stringifyPhase(Phase phase) {
  switch (phase) {
  case Phase::Raw:
    return "raw";
  case Phase::Targeted:
    return "targeted";
  case Phase::Configured:
    return "configured";
  }
  return "unknown";
}

/// The pass after which an op has reached a phase.
static StringRef getEnablingPass(Phase phase) {
  switch (phase) {
  case Phase::Raw:
    return "";
  case Phase::Targeted:
    return "cutl-attach-target";
  case Phase::Configured:
    return "cutl-select-config";
  }
  return "";
}

Phase mlir::cutl::getPhase(ProblemOpInterface op) {
  if (!TargetAttr::lookup(op))
    return Phase::Raw;
  if (!op.getConfigAttr() || !op.getScheduleAttr())
    return Phase::Targeted;
  return Phase::Configured;
}

LogicalResult mlir::cutl::requirePhase(ProblemOpInterface op, Phase needed,
                                       StringRef pass) {
  Phase phase = getPhase(op);
  if (phase >= needed)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expected phase '")
      << stringifyPhase(needed) << "' or later in " << pass << ", got '"
      << stringifyPhase(phase) << "'; run ";
  for (int next = int(phase) + 1; next <= int(needed); ++next)
    diag << (next == int(phase) + 1 ? "" : ", then ")
         << getEnablingPass(Phase(next));
  diag << " first";
  return diag;
}

LogicalResult mlir::cutl::requireTiled(Operation *kernel, StringRef pass) {
  bool tiled = true;
  kernel->walk([&](ProblemOpInterface op) {
    tiled = false;
    op->emitOpError("expected phase 'tiled' or later in ")
        << pass << ", got '" << stringifyPhase(getPhase(op))
        << "'; run convert-cutl-to-cutl-tile first";
  });
  return success(tiled);
}
