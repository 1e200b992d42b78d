//===- ShapeResolver.h - Sizes of dynamic dimensions by name ------*- C++
//-*-===//

#ifndef CUTL_LIB_TOOLS_CUTLRUN_SHAPERESOLVER_H
#define CUTL_LIB_TOOLS_CUTLRUN_SHAPERESOLVER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir::cutl {

/// Sizes of a function's arguments and results, in the order of its signature;
/// empty for numbers.
struct FunctionSizes {
  SmallVector<SmallVector<int64_t, 4>, 8> arguments, results;
  /// Multiplications and additions of the function's products.
  double flops = 0.0;
};

/// Ties dimensions of values together through the maps of the function's gemms
/// and gives them the sizes in `settings` (`m=512`). A name is that of a gemm's
/// dimension (`m`), in a function of several gemms also with the gemm's number
/// (`gemm1.n`), or that of an argument's dimension (`A.1`, or `arg0.1` if the
/// argument has no name). Emits an error for names and sizes that do not fit,
/// and for dimensions left open.
FailureOr<FunctionSizes> resolveSizes(func::FuncOp function,
                                      ArrayRef<std::string> settings);

} // namespace mlir::cutl

#endif // CUTL_LIB_TOOLS_CUTLRUN_SHAPERESOLVER_H
