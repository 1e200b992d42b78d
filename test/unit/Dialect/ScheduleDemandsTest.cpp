//===- ScheduleDemandsTest.cpp - schedules that a product refuses ---------===//
//
// Schedules that add as units arrive, or divide k by the number of tiles, are
// strings here.
//
//===----------------------------------------------------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Schedule/TileScheduler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

struct NamedSchedule final
    : ScheduleAttrInterface::ExternalModel<NamedSchedule, StringAttr> {
  std::unique_ptr<::cutl::schedule::TileScheduler>
  makeScheduler(Attribute, const ::cutl::schedule::TileSpace &,
                const ::cutl::schedule::Raster &, int64_t) const {
    return nullptr;
  }
  std::string checkSchedule(Attribute, const ::cutl::heuristics::Problem &,
                            const ::cutl::heuristics::TileConfig &,
                            const ::cutl::targetinfo::Target &) const {
    return "";
  }
  bool addsAsUnitsArrive(Attribute attr) const {
    return cast<StringAttr>(attr).getValue() == "arrival";
  }
  bool dividesByTiles(Attribute attr) const {
    return cast<StringAttr>(attr).getValue() == "by_tiles";
  }
};

/// What cutl-verify-config says of a product with that clause and schedule;
/// empty if nothing.
std::string verify(StringRef execution, StringRef schedule) {
  MLIRContext context;
  context.loadDialect<CutlDialect, func::FuncDialect>();
  StringAttr::attachInterface<NamedSchedule>(context);
  std::string text =
      (R"(func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>,
                       %d: memref<64x64xf32>)
              attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
            cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) )" +
       execution +
       R"( config(#cutl.tile_config<cta = [64, 64, 64], stages = 2,
                                    kernel = single>)
               schedule(")" +
       schedule + R"(") {
            ^bb0(%acc: f32):
              cutl.yield %acc : f32
            } : (memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>) -> ()
            return
          })")
          .str();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "not parsed: " + said;
  PassManager manager(&context);
  manager.addPass(createCutlVerifyConfig());
  EXPECT_EQ(failed(manager.run(*module)), !said.empty());
  return said;
}

TEST(ScheduleDemands, OrderOfArrivalNeedsLeave) {
  EXPECT_EQ(verify("", "arrival"),
            "'cutl.gemm' op has a schedule that it does not allow "
            "(deterministic): expected sums in a fixed order, got \"arrival\"; "
            "nearest legal schedule is #cutl.data_parallel");
  EXPECT_EQ(verify("execution(deterministic = false)", "arrival"), "");
  EXPECT_EQ(verify("", "fixed"), "");
}

TEST(ScheduleDemands, BatchInvarianceDividesKAlike) {
  EXPECT_EQ(verify("execution(batch_invariant)", "by_tiles"),
            "'cutl.gemm' op has a schedule that it does not allow "
            "(batch_invariant): expected a division of k that does not depend "
            "on m, got \"by_tiles\"; nearest legal schedule is "
            "#cutl.data_parallel");
  EXPECT_EQ(verify("", "by_tiles"), "");
  EXPECT_EQ(verify("execution(batch_invariant)", "fixed"), "");
}

/// Of shared memory a CTA that takes turns has four bytes more than its
/// configuration says.
TEST(ScheduleDemands, TurnsTakeSharedMemory) {
  namespace h = ::cutl::heuristics;
  using ::cutl::targetinfo::lookupDataType;
  MLIRContext context;
  context.loadDialect<CutlDialect>();
  h::Problem problem;
  problem.a.type = problem.b.type = lookupDataType("f16");
  problem.accumulator = lookupDataType("f32");
  problem.outputs = {{lookupDataType("f16"), 0}};
  h::TileConfig config;
  int64_t bytes = config.sharedMemoryBytes(problem);
  auto check = [&](PartReduction reduction, int64_t limit) {
    ::cutl::targetinfo::Target target =
        *::cutl::targetinfo::lookupChip("sm_90a");
    target.sharedMemoryPerCta = uint32_t(limit);
    return SplitKAttr::get(&context, 4, reduction)
        .checkSchedule(problem, config, target);
  };
  EXPECT_EQ(check(PartReduction::Turnstile, bytes + 4), "");
  EXPECT_EQ(check(PartReduction::Turnstile, bytes + 3),
            "expected at most " + std::to_string(bytes + 3) +
                " bytes of shared memory with the 4 of a turnstile's ticket, "
                "got " +
                std::to_string(bytes + 4) +
                "; nearest legal configuration has 3 stages");
  EXPECT_EQ(check(PartReduction::LastArriver, bytes), "");
}

} // namespace
