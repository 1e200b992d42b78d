//===- TestPasses.h - Passes for tests of the tile level -----------------===//

#ifndef CUTL_TEST_LIB_CUTLTILE_TESTPASSES_H
#define CUTL_TEST_LIB_CUTLTILE_TESTPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::cutl {

#define GEN_PASS_DECL
#include "TestPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "TestPasses.h.inc"

} // namespace mlir::cutl

#endif // CUTL_TEST_LIB_CUTLTILE_TESTPASSES_H
