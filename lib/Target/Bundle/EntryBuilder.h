//===- EntryBuilder.h - One entry of a bundle -------------------*- C++ -*-===//

#ifndef CUTL_LIB_TARGET_BUNDLE_ENTRYBUILDER_H
#define CUTL_LIB_TARGET_BUNDLE_ENTRYBUILDER_H

#include "Storage.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cutl {

/// The code of kernels for one chip.
struct KernelImage {
  std::string chip;
  gpu::KernelTableAttr kernels;
  const CutlImage *image = nullptr;
};

/// The images of a `gpu.binary`, one per chip.
using KernelImages = DenseMap<Operation *, SmallVector<KernelImage, 1>>;

/// The struct of an entry, whose binaries have the given images. Fails after an
/// error.
FailureOr<CutlEntry> buildEntry(EntryOp entry, const KernelImages &images,
                                Storage &storage);

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_ENTRYBUILDER_H
