//===- SharedArray.h - Static shared memory of a kernel ------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_SHAREDARRAY_H
#define CUTL_CONVERSION_CUTLTILETONVVM_SHAREDARRAY_H

#include "Emit.h"

namespace mlir::cutl::nvvm {

/// Declares shared memory for `count` values of `type`, whose first is aligned to
/// 16 bytes. It starts with anything.
LLVM::GlobalOp createSharedArray(Emit &e, StringRef name, Type type,
                                 int64_t count);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_SHAREDARRAY_H
