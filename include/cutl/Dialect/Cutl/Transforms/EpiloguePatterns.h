//===- EpiloguePatterns.h - Rewrites of epilogues ---------------*- C++ -*-===//
//
// What cutl-fuse-epilogue and cutl-canonicalize-epilogue apply, for other
// compilers' passes.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_EPILOGUEPATTERNS_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_EPILOGUEPATTERNS_H

namespace mlir {
class RewritePatternSet;

namespace cutl {

/// Patterns on `cutl.gemm` in tensor form that move into its region what is
/// done to each element of its results and auxiliary operands. A gemm gets no
/// more outputs than it has, or than `maxOutputs` if that is more.
void populateFuseEpiloguePatterns(RewritePatternSet &patterns,
                                  unsigned maxOutputs = 0);

/// Patterns on `cutl.gemm` that drop operands, outputs and constants it does
/// not need, and patterns on ops of its region. To be applied with folding.
void populateCanonicalizeEpiloguePatterns(RewritePatternSet &patterns);

} // namespace cutl
} // namespace mlir

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_EPILOGUEPATTERNS_H
