//===- TileProgram.h - Running functions of gemms CTA by CTA ------*- C++
//-*-===//
//
// Lowers a function through the tile level to the host, calls it on arrays of
// any extents and compares with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_TILEPROGRAM_H
#define CUTL_TEST_UNIT_CONVERSION_TILEPROGRAM_H

#include "TestPasses.h"
#include "cutl/Reference/GemmReference.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace cutltest {

/// A context with everything registered.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// How a module is lowered.
struct TileOptions {
  int64_t grid = 1;
  std::string order = "forward";
  /// None if `fault.fault` is empty.
  mlir::cutl::TestCutlSeedFaultOptions fault;
  /// Whether intermediates lie in the caller's workspace.
  bool plansWorkspace = false;
};

/// Gives every gemm of `module` a target, `config` and `schedule`.
void configure(mlir::ModuleOp module, const std::string &config,
               const std::string &schedule = "#cutl.data_parallel");

/// Lowers a copy of a configured module and compiles it; null, after a failure
/// of the test, if that fails.
std::unique_ptr<mlir::cutl::CpuEngine> compileTiled(mlir::ModuleOp module,
                                                    const TileOptions &options);

/// An array with pads between its rows and guards around them.
class GuardedArray {
public:
  GuardedArray(mlir::Type type, llvm::ArrayRef<int64_t> sizes);

  /// NaN in every element, and other bytes around them, which shows where a NaN
  /// is written too.
  void poison();
  /// Numbers in every element, and NaN around them, which shows what is read.
  void fillRandom(uint64_t seed);
  bool guardsAreIntact() const;
  mlir::cutl::NumericArray get();
  mlir::cutl::HostArgument getHost();
  const std::vector<unsigned char> &getBytes() const { return bytes; }

private:
  unsigned char *getStart() { return bytes.data() + first * elementBytes; }
  /// Sets the bytes of every element of `target`, which is laid out like
  /// `bytes`.
  void setElements(std::vector<unsigned char> &target,
                   unsigned char value) const;

  mlir::Type type;
  llvm::SmallVector<int64_t, 4> sizes, strides;
  int64_t elementBytes, first;
  unsigned char guard;
  std::vector<unsigned char> bytes;
};

/// The arguments of one call of a function of gemms.
class TileCall {
public:
  /// Arrays for the extents `(b…, m, n, k)` of each gemm in order; inputs are
  /// random, what is only written is poison.
  TileCall(mlir::ModuleOp module,
           llvm::ArrayRef<llvm::SmallVector<int64_t>> extents);

  /// Calls with what the arrays were made with, and says what is wrong, or
  /// nothing.
  std::string run(const mlir::cutl::CpuEngine &engine);

  /// What calls get as their workspace, and leave to those that follow.
  std::vector<unsigned char> workspace = std::vector<unsigned char>(1 << 16);

  /// The bytes of all arrays after a call.
  std::vector<unsigned char> getBytes() const;

private:
  struct Argument {
    /// Empty for a number. The first is as it was made, the second is passed.
    std::vector<GuardedArray> array;
    mlir::cutl::HostScalar scalar;
  };

  std::string name;
  std::vector<Argument> arguments;
  mlir::cutl::FunctionReference reference;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_TILEPROGRAM_H
