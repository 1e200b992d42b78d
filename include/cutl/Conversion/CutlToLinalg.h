//===- CutlToLinalg.h - The meaning of cutl ops in linalg ----------------===//

#ifndef CUTL_CONVERSION_CUTLTOLINALG_H
#define CUTL_CONVERSION_CUTLTOLINALG_H

namespace mlir {
class RewritePatternSet;
namespace cutl {

/// Patterns that replace problem ops by the linalg ops that define them.
void populateCutlToLinalgPatterns(RewritePatternSet &patterns);

} // namespace cutl
} // namespace mlir

#endif // CUTL_CONVERSION_CUTLTOLINALG_H
