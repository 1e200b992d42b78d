//===- LaunchInfo.h - What a lowered kernel says of itself ------*- C++ -*-===//
//
// The attribute `cutl_tile.launch_info` of a kernel, checked and typed.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TARGET_BUNDLE_LAUNCHINFO_H
#define CUTL_LIB_TARGET_BUNDLE_LAUNCHINFO_H

#include "cutl/Runtime/Entry.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::cutl {

struct LaunchInfo {
  /// Units of work along one dimension: its size over `tile`, rounded up.
  struct GridDim {
    unsigned argument, dim;
    int64_t tile;
  };
  enum class Kind { TensorMap, Size, Pointer, Stride, Scalar };
  struct Parameter {
    Kind kind;
    /// Of the kernel.
    unsigned argument;
    /// Of a size or stride.
    unsigned dim = 0;
    /// Of a tensor map, innermost first: dimensions of the memref, elements.
    SmallVector<unsigned> dims;
    SmallVector<uint32_t> box;
    CutlSwizzle swizzle = CUTL_SWIZZLE_NONE;
    /// Whether the kernel writes through it.
    bool isStored = false;
    /// Whether it rounds the f32 elements that it loads to tf32.
    bool roundsToTF32 = false;
  };

  /// Threads of a CTA, CTAs of a cluster, bytes of dynamic shared memory.
  int64_t block = 0, cluster = 1, sharedBytes = 0;
  SmallVector<GridDim> grid;
  SmallVector<Parameter> parameters;
  /// Whether the kernel waits for what runs before it.
  bool isProgrammatic = false;
  /// A kernel that does the same and asks for less; empty if there is none.
  StringRef alternative;
};

/// Reads the attribute of kernel `name`, which is called with values of
/// `types`. An error is at `op`.
FailureOr<LaunchInfo> readLaunchInfo(Operation *op, StringRef name,
                                     DictionaryAttr attribute, TypeRange types);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_LAUNCHINFO_H
