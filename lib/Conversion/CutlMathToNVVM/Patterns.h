//===- Patterns.h - The pattern sets of the conversion ----------*- C++ -*-===//

#ifndef CUTL_CONVERSION_CUTLMATHTONVVM_PATTERNS_H
#define CUTL_CONVERSION_CUTLMATHTONVVM_PATTERNS_H

#include "cutl/Conversion/CutlMathToNVVM.h"

namespace mlir::cutl::nvvm {

/// The ops of `math` and the epilogue ops of `cutl`.
void populateFunctionPatterns(RewritePatternSet &patterns,
                              const HardwareMath &hardware);
/// cutl.convert, where PTX has an instruction for it.
void populateConvertPatterns(RewritePatternSet &patterns);
/// Conversions that name a rounding mode, and everything of 8-bit floats.
void populateConversionPatterns(RewritePatternSet &patterns);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLMATHTONVVM_PATTERNS_H
