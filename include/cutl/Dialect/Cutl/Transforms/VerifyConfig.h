//===- VerifyConfig.h - Whether a configuration can run ---------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_VERIFYCONFIG_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_VERIFYCONFIG_H

#include "mlir/Support/LLVM.h"

namespace mlir::cutl {

class ProblemOpInterface;
class TileConfigAttr;

/// Fails after an error that names the rule and the nearest legal value if the
/// problem cannot run on its target with `config` and its schedule.
LogicalResult verifyConfig(ProblemOpInterface op, TileConfigAttr config);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_VERIFYCONFIG_H
