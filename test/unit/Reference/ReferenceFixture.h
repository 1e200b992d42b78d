//===- ReferenceFixture.h - Gemms from text, on small arrays ------*- C++
//-*-===//

#ifndef CUTL_TEST_UNIT_REFERENCE_REFERENCEFIXTURE_H
#define CUTL_TEST_UNIT_REFERENCE_REFERENCEFIXTURE_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/IR/RefArithmetic.h"
#include "cutl/Reference/GemmReference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

namespace mlir::cutl {

class ReferenceFixture : public ::testing::Test {
protected:
  ReferenceFixture() {
    context.loadDialect<CutlDialect, func::FuncDialect, tensor::TensorDialect,
                        memref::MemRefDialect>();
  }

  /// The function of a module.
  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    return *module->getOps<func::FuncOp>().begin();
  }

  /// An array whose element at row-major number i is `values(i)`.
  NumericBuffer make(Type type, ArrayRef<int64_t> sizes,
                     llvm::function_ref<double(int64_t)> values) {
    NumericBuffer buffer(type, sizes);
    for (int64_t i = 0, e = buffer.get().getNumElements(); i < e; ++i)
      writeElement(type, buffer.get().data, buffer.get().getOffset(i),
                   values(i));
    return buffer;
  }
  NumericBuffer makeRandom(Type type, ArrayRef<int64_t> sizes, uint64_t seed) {
    NumericBuffer buffer(type, sizes);
    buffer.fillRandom(seed);
    return buffer;
  }
  static double at(const NumericArray &array, int64_t index) {
    return ElementReader::get(array.elementType)
        ->read(array.data, array.getOffset(index));
  }

  /// Evaluates a function whose first output is checked by `expected`, which
  /// gives the exact value of element `i`.
  ReferenceOutput evaluate(StringRef text, ArrayRef<NumericArray> arguments,
                           ReferenceOptions options = {}) {
    func::FuncOp function = parse(text);
    EXPECT_TRUE(function);
    if (!function)
      return {};
    FailureOr<FunctionReference> reference =
        evaluateFunction(function, arguments, options);
    EXPECT_TRUE(succeeded(reference));
    if (failed(reference))
      return {};
    return reference->results.empty()
               ? reference->writtenArguments.front().second
               : reference->results.front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context);
  Type f64 = Float64Type::get(&context);
  Type i8 = IntegerType::get(&context, 8), i32 = IntegerType::get(&context, 32);
};

} // namespace mlir::cutl

#endif // CUTL_TEST_UNIT_REFERENCE_REFERENCEFIXTURE_H
