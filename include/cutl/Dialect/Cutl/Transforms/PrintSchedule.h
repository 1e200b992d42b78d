//===- PrintSchedule.h - Schedules for people to look at --------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_PRINTSCHEDULE_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_PRINTSCHEDULE_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::cutl {

/// Writes the schedules of all problem ops at or below `root`, as text or as
/// one SVG document; nothing where there are none. Fails after errors, on
/// behalf of `pass`, if an op has not reached phase `configured`, has dynamic
/// extents or more units of work than can be looked at, and then has written
/// nothing.
LogicalResult printSchedules(Operation *root, bool asSvg, StringRef pass,
                             raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_PRINTSCHEDULE_H
