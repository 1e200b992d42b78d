//===- cutl-test-opt.cpp - The optimizer driver with test passes ---------===//

#include "CutlTestPasses.h"
#include "TestPasses.h"
#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::cutl::registerAllDialects(registry);
  mlir::cutl::registerAllPasses();
  mlir::cutl::registerCutlTestPasses();
  mlir::cutl::registerCutlTileTestPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "cutl optimizer driver with test passes\n", registry));
}
