//===- RingProtocol.h - A kernel's barriers and ring under test -*- C++ -*-===//
//
// Lowers a product to a kernel and says whether a simulated run of it does what
// the schedule and the tile say.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_RINGPROTOCOL_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_RINGPROTOCOL_H

#include "KernelSimulator.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/Gemm.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/Schedule/TileScheduler.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace cutltest {

struct Case {
  const char *name;
  const char *config;
  /// Extents `(b…, m, n, k)`, and CTAs that share the units.
  std::vector<int64_t> extents;
  int64_t ctas = 1;
  /// Maps of the operands.
  const char *a = "m, k", *b = "n, k", *d = "m, n";
  const char *resultType = "f16";
  /// Two B, with two accumulators.
  bool gated = false;
  const char *schedule = "#cutl.data_parallel";
  /// Bytes that are left free on both sides of where a CTA keeps the number
  /// that it draws.
  int64_t ticketGap = 0;
};

inline void PrintTo(const Case &test, std::ostream *os) { *os << test.config; }

/// A lowered kernel, with what it was lowered from.
class Protocol {
public:
  /// `name` is the kernel or its alternative, which stores by elements.
  explicit Protocol(const Case &test, llvm::StringRef name = "k");

  /// Under one seed, what is wrong, or nothing.
  std::string run(uint64_t seed) const;
  mlir::LLVM::LLVMFuncOp getKernel() const { return launch.kernel; }
  bool isValid() const { return bool(launch.kernel); }

private:
  std::string getText() const;
  void lower(llvm::StringRef name);
  void placeTicket(mlir::cutl::tile::FixupOp fixup, llvm::StringRef name);
  void readLaunchInfo();
  std::string check(const SimulationResult &result) const;
  /// What a warpgroup of the CTA that does the work of `worker` multiplies.
  std::vector<TileProducts> getExpected(int64_t cta, int64_t worker,
                                        int64_t warpgroup) const;
  /// Whether each tile's sums, and no others, came to an epilogue, once.
  std::string checkSums(const SimulationResult &result) const;
  std::unique_ptr<cutl::schedule::TileScheduler> makeScheduler() const;
  TileProducts getTile(int64_t cta, int64_t consumer,
                       const cutl::schedule::WorkUnit &unit) const;

  const Case &test;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  cutl::heuristics::TileConfig config;
  /// Of each argument of the kernel.
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<int64_t> elementBytes;
  mlir::cutl::GemmDomain domain = mlir::cutl::GemmDomain(0);
  mlir::cutl::ScheduleAttrInterface schedule;
  LaunchInfo launch;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_RINGPROTOCOL_H
