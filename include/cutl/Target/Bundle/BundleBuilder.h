//===- BundleBuilder.h - Bundles from IR ------------------------*- C++ -*-===//
//
// From `cutl.bundle` operations with serialised kernels to the structs that the
// runtime launches, and to the file that it loads.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_BUNDLE_BUNDLEBUILDER_H
#define CUTL_TARGET_BUNDLE_BUNDLEBUILDER_H

#include "cutl/Runtime/Entry.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>

namespace mlir::cutl {

class Storage;

/// A bundle with the memory that it points into.
class BuiltBundle {
public:
  BuiltBundle();
  ~BuiltBundle();
  BuiltBundle(BuiltBundle &&);

  const CutlBundle &get() const { return bundle; }

private:
  friend FailureOr<BuiltBundle> buildBundle(ModuleOp module);
  std::unique_ptr<Storage> storage;
  CutlBundle bundle = {};
};

/// All `cutl.bundle` operations of a module as one bundle. Their kernels must
/// be serialised and their workspaces planned; what is not is an error.
FailureOr<BuiltBundle> buildBundle(ModuleOp module);

/// The same as the bytes of a file, which the loader accepts.
FailureOr<std::string> exportBundle(ModuleOp module);

} // namespace mlir::cutl

#endif // CUTL_TARGET_BUNDLE_BUNDLEBUILDER_H
