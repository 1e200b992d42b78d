//===- Jit.cpp - Compiling text in the CPU target's tests -----------------===//
//
// Parses functions, lowers them, and passes strided arrays to them.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "cutl/Conversion/Passes.h"
#include "cutl/Target/CPU/LowerToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  return registry;
}

llvm::Expected<std::unique_ptr<CpuEngine>>
cutltest::compile(const std::string &text, const std::string &cpu,
                  unsigned optLevel) {
  auto fail = [](const char *what) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
  };
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return fail("the text does not parse");
  auto vectorBits = CpuEngine::getVectorBits(cpu);
  if (!vectorBits)
    return vectorBits.takeError();
  PassManager pm(&context);
  LinalgToLLVMOptions options;
  options.vectorBits = *vectorBits;
  // Small blocks, so that small arrays cover several of them.
  options.blockM = 24;
  options.blockN = 32;
  options.blockK = 16;
  buildLinalgToLLVMPipeline(pm, options);
  if (failed(pm.run(*module)))
    return fail("the pipeline failed");
  CpuEngineOptions engineOptions;
  engineOptions.cpu = cpu;
  engineOptions.optLevel = optLevel;
  return CpuEngine::create(*module, engineOptions);
}

unsigned cutltest::countContractions(const std::string &text) {
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  auto count = [&] {
    unsigned generics = 0;
    module->walk([&](linalg::GenericOp) { ++generics; });
    return generics;
  };
  unsigned before = count();
  PassManager pm(&context);
  pm.addPass(createConvertLinalgContractionToVector());
  return succeeded(pm.run(*module)) ? before - count() : 0;
}

const char *cutltest::getName(Type type) {
  constexpr const char *names[] = {"f16", "bf16", "f32", "f64",
                                   "i8",  "i32",  "i64"};
  return names[int(type)];
}

unsigned cutltest::getBits(Type type) {
  constexpr unsigned bits[] = {16, 16, 32, 64, 8, 32, 64};
  return bits[int(type)];
}

static constexpr unsigned char kGuard = 0xa5;
static constexpr int64_t kMargin = 8;

Array::Array(Type type, std::vector<int64_t> sizes, Layout layout)
    : type(type), sizes(std::move(sizes)) {
  int64_t rank = this->sizes.size();
  strides.resize(rank);
  int64_t step = layout == Layout::spaced ? 3 : 1;
  int64_t low = 0, high = 0;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = layout == Layout::columnMajor ? i : rank - 1 - i;
    strides[dim] = layout == Layout::reversed ? -step : step;
    int64_t size = std::max<int64_t>(this->sizes[dim], 1);
    (strides[dim] < 0 ? low : high) += strides[dim] * (size - 1);
    step *= size + (layout == Layout::padded ? 5 : 0);
  }
  first = kMargin - low;
  bytes.assign((first + high + 1 + kMargin) * getBits(type) / 8, kGuard);
}

int64_t Array::locate(llvm::ArrayRef<int64_t> index) const {
  int64_t position = first;
  for (size_t i = 0; i < index.size(); ++i)
    position += index[i] * strides[i];
  return position * getBits(type) / 8;
}

template <typename T> static T load(const unsigned char *address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

double Array::get(llvm::ArrayRef<int64_t> index) const {
  const unsigned char *at = bytes.data() + locate(index);
  switch (type) {
  case Type::f16:
    return halfToFloat(load<uint16_t>(at));
  case Type::bf16: {
    uint32_t bits = uint32_t(load<uint16_t>(at)) << 16;
    return load<float>(reinterpret_cast<unsigned char *>(&bits));
  }
  case Type::f32:
    return load<float>(at);
  case Type::f64:
    return load<double>(at);
  case Type::i8:
    return load<int8_t>(at);
  case Type::i32:
    return load<int32_t>(at);
  case Type::i64:
    return double(load<int64_t>(at));
  }
  return NAN;
}

void Array::set(llvm::ArrayRef<int64_t> index, double value) {
  auto store = [&](auto typed) {
    std::memcpy(bytes.data() + locate(index), &typed, sizeof(typed));
  };
  switch (type) {
  case Type::f16:
    return store(doubleToHalf(value));
  case Type::bf16:
    return store(doubleToBfloat(value));
  case Type::f32:
    return store(float(value));
  case Type::f64:
    return store(value);
  case Type::i8:
    return store(int8_t(value));
  case Type::i32:
    return store(int32_t(value));
  case Type::i64:
    return store(int64_t(value));
  }
}

void Array::fill(uint32_t seed, int range, double unit) {
  uint32_t state = seed * 2654435761u + 1;
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    state = state * 1664525u + 1013904223u;
    set(index, (int(state >> 16) % (2 * range + 1) - range) * unit);
  });
}

bool Array::guardsAreIntact() const {
  std::vector<bool> isElement(bytes.size());
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    int64_t start = locate(index);
    for (unsigned i = 0; i < getBits(type) / 8; ++i)
      isElement[start + i] = true;
  });
  for (size_t i = 0; i < bytes.size(); ++i)
    if (!isElement[i] && bytes[i] != kGuard)
      return false;
  return true;
}

HostArray Array::host() {
  return {bytes.data() + first * getBits(type) / 8, getBits(type),
          int64_t(sizes.size()), sizes.data(), strides.data()};
}

void cutltest::forEachIndex(
    llvm::ArrayRef<int64_t> sizes,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  for (int64_t size : sizes)
    if (size == 0)
      return;
  std::vector<int64_t> index(sizes.size());
  while (true) {
    body(index);
    size_t dim = sizes.size();
    while (dim > 0 && ++index[dim - 1] == sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}
