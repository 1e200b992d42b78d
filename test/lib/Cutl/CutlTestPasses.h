//===- CutlTestPasses.h - Passes for tests of problems -------------------===//

#ifndef CUTL_TEST_LIB_CUTL_CUTLTESTPASSES_H
#define CUTL_TEST_LIB_CUTL_CUTLTESTPASSES_H

namespace mlir::cutl {

/// Registers `test-cutl-list-configs`, which prints every configuration that
/// cutl-select-config chooses from, best first, in lines `function: attribute`.
void registerCutlTestPasses();

} // namespace mlir::cutl

#endif // CUTL_TEST_LIB_CUTL_CUTLTESTPASSES_H
