//===- OutlineEntries.h - Runs of problem ops become entries -------------===//

#ifndef CUTL_LIB_DIALECT_CUTL_TRANSFORMS_OUTLINEENTRIES_H
#define CUTL_LIB_DIALECT_CUTL_TRANSFORMS_OUTLINEENTRIES_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::cutl {

/// Problem ops of one block that become one entry, in their order.
using GemmRun = SmallVector<GemmOp, 4>;

/// The maximal runs of a function: between two problem ops of one run stand
/// only allocations and ops without effects.
SmallVector<GemmRun> findRuns(func::FuncOp function);

/// Moves `run` into a new entry called `name` at the end of `bundle`, with the
/// views, sizes and intermediates that it alone needs, and leaves a launch in
/// its place. The workspace and the stream are the function's last arguments.
EntryOp outlineRun(const GemmRun &run, BundleOp bundle, StringRef name);

/// Lets the rows of the entry's intermediates start at multiples of 16 bytes,
/// which TMA needs of every pitch.
void padIntermediates(EntryOp entry);

} // namespace mlir::cutl

#endif // CUTL_LIB_DIALECT_CUTL_TRANSFORMS_OUTLINEENTRIES_H
