//===- KernelStep.h - A kernel launch as a step of a variant ----*- C++ -*-===//

#ifndef CUTL_LIB_TARGET_BUNDLE_KERNELSTEP_H
#define CUTL_LIB_TARGET_BUNDLE_KERNELSTEP_H

#include "EntryValues.h"
#include "Guards.h"
#include "LaunchInfo.h"
#include "Storage.h"

namespace mlir::cutl {

/// Where `array` starts.
CutlAddress makeAddress(const ArrayValue &array, Storage &storage);

/// The launch of a kernel that is described by `info`, as step `index` of its
/// variant. What it needs of the call is added to `guards`. Fails after an
/// error at `op`.
FailureOr<CutlLaunch> makeKernelLaunch(LaunchKernelOp op,
                                       const LaunchInfo &info, int32_t index,
                                       const EntryValues &values,
                                       Guards &guards, Storage &storage);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_KERNELSTEP_H
