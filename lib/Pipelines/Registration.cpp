//===- Registration.cpp - Dialects, passes and pipelines by name ---------===//

#include "cutl/Conversion/Passes.h"
#include "cutl/Conversion/ScheduleEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/Transforms/BufferizableOpInterfaceImpl.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Target/CPU/Passes.h"
#include "cutl/Target/GPU/Passes.h"
#include "cutl/Target/GPU/Serialize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include <mutex>

using namespace mlir;

static void registerPassesOnce() {
  using namespace mlir::cutl;
  registerCutlConversionPasses();
  registerCutlTargetCPUPasses();
  registerCutlTargetGPUPasses();
  registerCutlTransformsPasses();
  tile::registerCutlTileTransformsPasses();
  PassPipelineRegistration<PipelineOptions>(
      "cutl-configure",
      "Attach the target, choose configurations and schedules, verify them",
      buildConfigurePipeline);
  PassPipelineRegistration<PipelineOptions>(
      "cutl-to-cpu", "Lower to the LLVM dialect for the host processor",
      buildToCPUPipeline);
  PassPipelineRegistration<PipelineOptions>(
      "cutl-to-tiled", "Lower problems to kernels that say what each CTA does",
      buildToTiledPipeline);
  PassPipelineRegistration<PipelineOptions>(
      "cutl-lower-to-nvvm",
      "Lower kernels of phase tiled to the LLVM and NVVM dialects",
      buildLowerToNVVMPipeline);
  PassPipelineRegistration<PipelineOptions>(
      "cutl-to-ptx", "Compile problems to bundles of kernels in PTX",
      buildToPTXPipeline);
  PassPipelineRegistration<>(
      "cutl-bufferize",
      "Bufferize functions so that results become their destinations",
      buildBufferizePipeline);
}

void mlir::cutl::registerAllPasses() {
  // Registering a pipeline twice aborts, and a program may have two users.
  static std::once_flag once;
  std::call_once(once, registerPassesOnce);
}

void mlir::cutl::registerAllDialects(DialectRegistry &registry) {
  registry.insert<CutlDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
                  tile::CutlTileDialect, vector::VectorDialect>();
  registerGpuTranslations(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerScheduleEmissionExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
}
