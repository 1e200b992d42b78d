//===- Jit.h - Compiling text in the CPU target's tests ---------*- C++ -*-===//
//
// Parses functions, lowers them, and passes strided arrays to them.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CPU_JIT_H
#define CUTL_TEST_UNIT_CPU_JIT_H

#include "cutl/Target/CPU/CpuEngine.h"
#include "cutl/Target/CPU/CpuSymbols.h"
#include <vector>

namespace cutltest {

/// Lowers `text` (functions on memrefs) for `cpu` and compiles it.
llvm::Expected<std::unique_ptr<mlir::cutl::CpuEngine>>
compile(const std::string &text, const std::string &cpu, unsigned optLevel = 1);

/// The number of linalg.generic operations that the contraction pass rewrites.
unsigned countContractions(const std::string &text);

/// The element types of arrays, with their values as doubles.
enum class Type { f16, bf16, f32, f64, i8, i32, i64 };
const char *getName(Type type);
unsigned getBits(Type type);

/// How an array lies in memory.
enum class Layout { rowMajor, columnMajor, padded, spaced, reversed };
inline constexpr Layout allLayouts[] = {Layout::rowMajor, Layout::columnMajor,
                                        Layout::padded, Layout::spaced,
                                        Layout::reversed};

/// An array with guard bytes around it and in the gaps between its elements.
class Array {
public:
  Array(Type type, std::vector<int64_t> sizes, Layout layout);

  double get(llvm::ArrayRef<int64_t> index) const;
  void set(llvm::ArrayRef<int64_t> index, double value);
  /// Sets every element to a small integer times `unit`.
  void fill(uint32_t seed, int range = 4, double unit = 1);
  /// Whether no byte outside the elements has changed.
  bool guardsAreIntact() const;
  mlir::cutl::HostArray host();
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }

private:
  int64_t locate(llvm::ArrayRef<int64_t> index) const;

  Type type;
  std::vector<int64_t> sizes, strides;
  int64_t first = 0;
  std::vector<unsigned char> bytes;
};

/// Calls `body` for every index below `sizes`.
void forEachIndex(llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CPU_JIT_H
