//===- LinalgContractionToVector.h - Contractions to vectors ----*- C++ -*-===//
//
// Lowers linalg contractions on memrefs to packed, register-blocked loops.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_LINALGCONTRACTIONTOVECTOR_H
#define CUTL_CONVERSION_LINALGCONTRACTIONTOVECTOR_H

#include "cutl/Conversion/Passes.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class RewriterBase;
namespace linalg {
class GenericOp;
} // namespace linalg

namespace cutl {

/// Replaces `op` by packed loops if it is a contraction as the description of
/// `convert-linalg-contraction-to-vector` defines it; otherwise leaves the IR
/// untouched and fails after telling the rewriter's listener the reason.
/// `whyNot`, when given, receives that reason too.
LogicalResult convertContractionToVector(
    RewriterBase &rewriter, linalg::GenericOp op,
    const ConvertLinalgContractionToVectorOptions &options,
    std::string *whyNot = nullptr);

} // namespace cutl
} // namespace mlir

#endif // CUTL_CONVERSION_LINALGCONTRACTIONTOVECTOR_H
