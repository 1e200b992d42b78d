//===- cutl-opt.cpp - Runs passes and pipelines on IR --------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::cutl::registerAllDialects(registry);
  // Transform scripts tile and fuse gemms through their TilingInterface.
  registry.insert<mlir::transform::TransformDialect>();
  mlir::linalg::registerTransformDialectExtension(registry);
  mlir::cutl::registerAllPasses();
  // The upstream passes that tests and users combine with ours.
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::bufferization::registerBufferizationPipelines();
  registry.insert<mlir::transform::TransformDialect>();
  mlir::linalg::registerTransformDialectExtension(registry);
  mlir::transform::registerInterpreterPass();
  mlir::transform::registerTransformPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "cutl optimizer and lowering driver\n", registry));
}
