//===- Pipelines.cpp - The order of passes -------------------------------===//

#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Target/CPU/LowerToLLVM.h"
#include "cutl/Target/GPU/Passes.h"
#include "cutl/Target/GPU/Serialize.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::cutl::buildEpiloguePipeline(OpPassManager &pm,
                                       const PipelineOptions &options) {
  if (options.fuseEpilogue)
    pm.addPass(createCutlFuseEpilogue({options.maxOutputs}));
  if (options.canonicalizeEpilogue)
    pm.addPass(createCutlCanonicalizeEpilogue());
}

void mlir::cutl::buildConfigurePipeline(OpPassManager &pm,
                                        const PipelineOptions &options) {
  pm.addPass(createCutlAttachTarget({options.chip}));
  buildEpiloguePipeline(pm, options);
  pm.addPass(createCutlSelectConfig({options.variants}));
  pm.addPass(createCutlVerifyConfig());
}

void mlir::cutl::buildBufferizePipeline(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // A result that is one of the destinations needs no second way out.
  pm.addPass(createCutlDropReturnedDestinations());
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.modifyPublicFunctions = true;
  results.hoistStaticAllocs = true;
  results.hoistDynamicAllocs = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(results));
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::cutl::buildToCPUPipeline(OpPassManager &pm,
                                    const PipelineOptions &options) {
  buildEpiloguePipeline(pm, options);
  pm.addPass(createCutlVerifyCPU());
  buildBufferizePipeline(pm);
  pm.addPass(createCutlRecordHostRules());
  pm.addNestedPass<func::FuncOp>(
      createCutlTileForCPU({options.tileM, options.tileN}));
  pm.addPass(createConvertCutlToLinalg());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  LinalgToLLVMOptions lower;
  lower.vectorBits = options.vectorBits;
  buildLinalgToLLVMPipeline(pm, lower);
}

/// Passes over the kernels of bundles.
static OpPassManager &nestKernels(OpPassManager &pm) {
  return pm.nest<mlir::cutl::BundleOp>().nest<gpu::GPUModuleOp>();
}

void mlir::cutl::buildToTiledPipeline(OpPassManager &pm,
                                      const PipelineOptions &options) {
  buildConfigurePipeline(pm, options);
  buildBufferizePipeline(pm);
  pm.addPass(createCutlOutlineKernels());
  nestKernels(pm).addPass(createConvertCutlToCutlTile());
  // Repacked operands and partial results are intermediates as well.
  pm.addNestedPass<mlir::cutl::BundleOp>(tile::createCutlTileRepackOperands());
  pm.addNestedPass<mlir::cutl::BundleOp>(tile::createCutlApplySchedule());
  pm.addNestedPass<mlir::cutl::BundleOp>(tile::createCutlTileSplitReductions());
  pm.addPass(createCutlPlanWorkspace());
}

void mlir::cutl::buildStagePipeline(OpPassManager &pm) {
  addStagePasses(nestKernels(pm));
}

void mlir::cutl::addStagePasses(OpPassManager &kernels) {
  kernels.addPass(tile::createCutlTileSelectTransfers());
  kernels.addPass(tile::createCutlTilePipeline());
  kernels.addPass(tile::createCutlTileSpecializeWarps());
  kernels.addPass(tile::createCutlTileAllocateSmem());
}

void mlir::cutl::buildLowerToNVVMPipeline(OpPassManager &pm,
                                          const PipelineOptions &options) {
  buildStagePipeline(pm);
  OpPassManager &kernels = nestKernels(pm);
  ConvertCutlTileToNVVMOptions conversion;
  conversion.programmaticLaunch = options.programmaticLaunch;
  kernels.addPass(createConvertCutlTileToNVVM(conversion));
  kernels.addPass(createConvertCutlMathToNVVM());
  buildLowerKernelsToLLVM(pm.nest<mlir::cutl::BundleOp>());
}

void mlir::cutl::buildToPTXPipeline(OpPassManager &pm,
                                    const PipelineOptions &options) {
  buildToTiledPipeline(pm, options);
  buildLowerToNVVMPipeline(pm, options);
  pm.addPass(createCutlSerializeKernels());
}
