//===- Pipelines.h - The pipelines and their one options struct ----------===//
//
// The only place that orders passes.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_PIPELINES_PIPELINES_H
#define CUTL_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;

namespace cutl {

/// Knobs of every pipeline, parsed from one text (`chip=sm_90a vector-bits=128`)
/// by cutl-opt, the C API and Python alike.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("Chip to compile for, for example sm_90a; kept if the "
                     "module names one")};
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the CPU's vector registers: 128, 256 or 512"),
      llvm::cl::init(256)};
  Option<bool> canonicalizeEpilogue{
      *this, "canonicalize-epilogue",
      llvm::cl::desc("Simplify the epilogues of gemms"), llvm::cl::init(true)};
  Option<bool> fuseEpilogue{
      *this, "fuse-epilogue",
      llvm::cl::desc("Move elementwise ops beside gemms into their epilogues"),
      llvm::cl::init(true)};
  Option<unsigned> maxOutputs{
      *this, "max-outputs",
      llvm::cl::desc("Outputs that fusion may give a gemm to keep results that "
                     "others use too"),
      llvm::cl::init(0)};
  Option<int64_t> variants{
      *this, "variants",
      llvm::cl::desc("How many kernels a problem may have whose extents are "
                     "known only at run time"),
      llvm::cl::init(4)};
  Option<bool> programmaticLaunch{
      *this, "programmatic-launch",
      llvm::cl::desc("Let kernels start up before those ahead have ended "
                     "(programmatic dependent launch)"),
      llvm::cl::init(true)};
  Option<int64_t> tileM{*this, "tile-m",
                        llvm::cl::desc("Rows per tile on the CPU"),
                        llvm::cl::init(528)};
  Option<int64_t> tileN{*this, "tile-n",
                        llvm::cl::desc("Columns per tile on the CPU"),
                        llvm::cl::init(1024)};
};

/// The part of `cutl-configure` and `cutl-to-cpu` that rewrites epilogues, as the
/// options say.
void buildEpiloguePipeline(OpPassManager &pm, const PipelineOptions &options);

/// `cutl-configure`: target, epilogues, configuration and schedule, verified.
void buildConfigurePipeline(OpPassManager &pm, const PipelineOptions &options);

/// `cutl-to-cpu`: from the dialect, on tensors or memrefs and in any phase, to
/// the LLVM dialect for the host. Tensor results become the destinations they
/// were written to; functions take memrefs of any strides.
void buildToCPUPipeline(OpPassManager &pm, const PipelineOptions &options);

/// The part of `cutl-to-cpu` that leaves `cutl.gemm` on memrefs.
void buildBufferizePipeline(OpPassManager &pm);

/// `cutl-to-tiled`: from the dialect to kernels that say what each CTA does.
void buildToTiledPipeline(OpPassManager &pm, const PipelineOptions &options);

/// The part of `cutl-lower-to-nvvm` that leaves staged kernels.
void buildStagePipeline(OpPassManager &pm);
/// Its passes, which run on one `gpu.module`.
void addStagePasses(OpPassManager &kernels);

/// `cutl-lower-to-nvvm`: kernels of phase `tiled` to the LLVM and NVVM dialects.
void buildLowerToNVVMPipeline(OpPassManager &pm,
                              const PipelineOptions &options);

/// `cutl-to-ptx`: from the dialect to bundles that hold kernels as PTX.
void buildToPTXPipeline(OpPassManager &pm, const PipelineOptions &options);

/// Registers every pass and pipeline of the project under its name.
void registerAllPasses();

/// Registers the dialects that the passes and pipelines may meet, with their
/// interfaces.
void registerAllDialects(DialectRegistry &registry);

} // namespace cutl
} // namespace mlir

#endif // CUTL_PIPELINES_PIPELINES_H
