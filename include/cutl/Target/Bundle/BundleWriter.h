//===- BundleWriter.h - structs to a bundle file ----------------*- C++ -*-===//
//
// The counterpart of cutl/Runtime/Loader.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_BUNDLE_BUNDLEWRITER_H
#define CUTL_TARGET_BUNDLE_BUNDLEWRITER_H

#include "cutl/Runtime/Entry.h"
#include <string>

namespace cutl {

/// The bytes of a bundle file. The same structs give the same bytes; an image
/// that several launches point to is written once. Pointers and counts are
/// trusted, as by the runtime.
std::string writeBundle(const CutlBundle &bundle);

} // namespace cutl

#endif // CUTL_TARGET_BUNDLE_BUNDLEWRITER_H
