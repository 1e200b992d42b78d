//===- LaunchInfo.h - What the host must know to launch a kernel ----------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_LAUNCHINFO_H
#define CUTL_CONVERSION_CUTLTILETONVVM_LAUNCHINFO_H

#include "KernelFrame.h"

namespace mlir::cutl::nvvm {

/// The kernel's parameters in order, its tensor maps, block, cluster, shared
/// memory and grid, as attributes:
///
/// * `block`, `cluster`: threads of a CTA, CTAs of a cluster;
/// * `shared_bytes`: dynamic shared memory;
/// * `tile`: elements of m and n of a unit of work; the grid is the least of
///   their number and of the CTAs that run at once;
/// * `params`: one dictionary per parameter, `kind` one of `tensor_map`,
///   `extent` (`dim`), `pointer` (`arg`), `stride` (`arg`, `index`) and
///   `scalar` (`arg`);
/// * a tensor map has `arg`, `dims` and `box` (innermost first, names of the
///   problem's dimensions and elements) and `swizzle`; its operand's address and
///   pitch must be multiples of 16 bytes. An operand with no elements is
///   described with extents of 1 at any valid address: its elements are not
///   read.
DictionaryAttr makeLaunchInfo(MLIRContext *context,
                              const KernelRequest &request);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_LAUNCHINFO_H
