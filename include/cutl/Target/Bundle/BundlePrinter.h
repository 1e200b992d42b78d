//===- BundlePrinter.h - What a bundle holds, as text -----------*- C++ -*-===//

#ifndef CUTL_TARGET_BUNDLE_BUNDLEPRINTER_H
#define CUTL_TARGET_BUNDLE_BUNDLEPRINTER_H

#include "cutl/Runtime/Entry.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::cutl {

/// Prints everything in a bundle that cutlBundleVerify accepts, for people and
/// tests: expressions in infix form, images by kind and size.
void printBundle(const CutlBundle &bundle, llvm::raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_TARGET_BUNDLE_BUNDLEPRINTER_H
