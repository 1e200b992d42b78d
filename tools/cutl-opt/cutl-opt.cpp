//===- cutl-opt.cpp - Runs passes and pipelines on IR --------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::cutl::registerAllDialects(registry);
  mlir::cutl::registerAllPasses();
  // The upstream passes that tests and users combine with ours.
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::bufferization::registerBufferizationPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "cutl optimizer and lowering driver\n", registry));
}
