//===- CostModelTest.cpp - tests of the cost breakdown --------------------===//

#include "cutl/Heuristics/CostModel.h"
#include "Problems.h"
#include "cutl/Heuristics/Heuristics.h"

#include "gtest/gtest.h"

#include <limits>
#include <sstream>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

static const Target &hopper() { return *lookupChip("sm_90a"); }

static TileConfig pingpong(int64_t n) {
  TileConfig config;
  config.ctaN = n;
  config.kernel = KernelKind::Pingpong;
  return config;
}

TEST(CostModel, CountsWaves) {
  Cost cost =
      estimateCost(makeProblem(8192, 8192, 8192), pingpong(200), hopper());
  EXPECT_EQ(cost.ctas, 64 * 41);
  EXPECT_EQ(cost.waves, 20);
  EXPECT_EQ(cost.kIterations, 128);
  EXPECT_EQ(cost.limiter, Limiter::Tensor);
}

TEST(CostModel, BudgetsOfSMsTakeMoreWaves) {
  Problem problem = makeProblem(8192, 8192, 8192);
  problem.smBudget = 33;
  Cost cost = estimateCost(problem, pingpong(200), hopper());
  EXPECT_EQ(cost.ctas, 64 * 41);
  EXPECT_EQ(cost.waves, (64 * 41 + 32) / 33);
  Problem whole = makeProblem(8192, 8192, 8192);
  EXPECT_GT(cost.predictedUs,
            3.7 * estimateCost(whole, pingpong(200), hopper()).predictedUs);
  // Whole clusters only.
  TileConfig config = pingpong(128);
  config.clusterM = 2;
  EXPECT_EQ(estimateCost(problem, config, hopper()).waves, 64 * 64 / 32);
  problem.smBudget = 132;
  EXPECT_EQ(estimateCost(problem, pingpong(200), hopper()).waves, 20);
}

TEST(CostModel, ClustersFillWholeAndHostFewerCtas) {
  TileConfig config = pingpong(128);
  config.clusterM = 4;
  // Five rows of tiles become eight; 120 of 132 SMs can host clusters of four.
  Cost cost = estimateCost(makeProblem(640, 128 * 120, 64), config, hopper());
  EXPECT_EQ(cost.ctas, 8 * 120);
  EXPECT_EQ(cost.waves, 8);
}

TEST(CostModel, SwappedOperandsExchangeTheExtents) {
  TileConfig config;
  config.ctaM = 64;
  config.ctaN = 16;
  config.kernel = KernelKind::Single;
  Problem problem = makeProblem(16, 6144, 4096);
  EXPECT_EQ(estimateCost(problem, config, hopper()).ctas, 384);
  config.swapOperands = true;
  Cost cost = estimateCost(problem, config, hopper());
  EXPECT_EQ(cost.ctas, 96);
  EXPECT_EQ(cost.limiter, Limiter::Memory);
  EXPECT_DOUBLE_EQ(cost.paddedWork, 1);
}

TEST(CostModel, MemoryFloorCountsEveryByteOnce) {
  Cost cost =
      estimateCost(makeProblem(1000, 2000, 3000), pingpong(128), hopper());
  double bytes = 2.0 * (1000 * 3000 + 2000 * 3000 + 1000 * 2000);
  EXPECT_NEAR(cost.memoryFloorUs, bytes / 4.5e6, 1e-9);
}

TEST(CostModel, BatchAndGroupsAddTiles) {
  Problem problem = makeProblem(256, 256, 256);
  problem.batch = 10;
  EXPECT_EQ(estimateCost(problem, pingpong(128), hopper()).ctas, 40);
  problem.batch = 1;
  problem.groups = 3;
  EXPECT_EQ(estimateCost(problem, pingpong(128), hopper()).ctas, 8);
}

TEST(CostModel, EmptyProblemsCostALaunch) {
  for (Problem problem : {makeProblem(0, 128, 128), makeProblem(128, 0, 128)}) {
    Cost cost = estimateCost(problem, pingpong(128), hopper());
    EXPECT_EQ(cost.ctas, 0);
    EXPECT_EQ(cost.waves, 0);
    EXPECT_EQ(cost.limiter, Limiter::Launch);
  }
  // Without K there is still an epilogue to run.
  Cost cost = estimateCost(makeProblem(128, 128, 0), pingpong(128), hopper());
  EXPECT_EQ(cost.ctas, 1);
  EXPECT_EQ(cost.kIterations, 0);
  EXPECT_GT(cost.epilogueUs, 0);
}

TEST(CostModel, DynamicExtentsUseTheGuess) {
  Cost dynamic = estimateCost(makeProblem(kDynamic, 4096, kDynamic),
                              pingpong(128), hopper());
  Cost fixed =
      estimateCost(makeProblem(4096, 4096, 4096), pingpong(128), hopper());
  EXPECT_EQ(dynamic.predictedUs, fixed.predictedUs);
}

TEST(CostModel, HugeExtentsDoNotOverflow) {
  int64_t huge = std::numeric_limits<int64_t>::max();
  Problem problem = makeProblem(huge, huge, huge);
  problem.batch = huge;
  Cost cost = estimateCost(problem, pingpong(128), hopper());
  EXPECT_GT(cost.predictedUs, 0);
  EXPECT_GT(cost.waves, 0);
}

TEST(CostModel, CooperativeKernelsShowTheirEpilogue) {
  Problem problem = makeProblem(8192, 8192, 1024);
  TileConfig coop;
  coop.ctaN = 192;
  Cost exposed = estimateCost(problem, coop, hopper());
  Cost hidden = estimateCost(problem, pingpong(192), hopper());
  EXPECT_GT(exposed.epilogueUs, 5 * hidden.epilogueUs);
  problem.epilogue = {5, 0, true};
  Cost gelu = estimateCost(problem, coop, hopper());
  EXPECT_GT(gelu.epilogueUs, exposed.epilogueUs);
  // The pingpong kernel hides most of that, all but the last tile.
  Cost hiddenGelu = estimateCost(problem, pingpong(192), hopper());
  EXPECT_LT(hiddenGelu.predictedUs, hidden.predictedUs * 1.06);
}

TEST(CostModel, NarrowTilesWriteElements) {
  TileConfig config;
  config.ctaM = 64;
  config.kernel = KernelKind::Single;
  Problem problem = makeProblem(512, 512, 512);
  auto epilogue = [&](int64_t n) {
    config.ctaN = n;
    Cost cost = estimateCost(problem, config, hopper());
    return cost.epilogueUs / cost.waves / n;
  };
  EXPECT_NEAR(epilogue(16) / epilogue(32), 18, 1e-6);
  EXPECT_NEAR(epilogue(64) / epilogue(32), 1, 1e-6);
  config.swapOperands = true;
  EXPECT_NEAR(epilogue(16) / epilogue(32), 1, 1e-6);
}

TEST(CostModel, RowsWithinSectorsTakeLonger) {
  TileConfig config;
  config.ctaM = 64;
  config.kernel = KernelKind::Single;
  Problem problem = makeProblem(512, 512, 512);
  auto epilogue = [&](int64_t n) {
    config.ctaN = n;
    Cost cost = estimateCost(problem, config, hopper());
    return cost.epilogueUs / cost.waves / n;
  };
  // 168 columns of 16 bits are ten and a half sectors.
  EXPECT_NEAR(epilogue(168) / epilogue(176), 1.3, 1e-6);
  EXPECT_NEAR(epilogue(176) / epilogue(192), 1, 1e-6);
  // As long as rows of the result do not start at sectors themselves.
  problem.outputs.front().addressAlignment = 256;
  problem.outputs.front().pitchAlignment = 16;
  EXPECT_NEAR(epilogue(168) / epilogue(176), 1, 1e-6);
  // Tiles along m, which is not contiguous in a result.
  problem = makeProblem(512, 512, 512);
  config.swapOperands = true;
  EXPECT_NEAR(epilogue(168) / epilogue(176), 1, 1e-6);
}

TEST(CostModel, ClustersCostAStart) {
  Problem problem = makeProblem(4096, 4096, 4096);
  TileConfig config = pingpong(208);
  double alone = estimateCost(problem, config, hopper()).predictedUs;
  config.clusterM = 2;
  double paired = estimateCost(problem, config, hopper()).predictedUs;
  EXPECT_GT(paired, alone + .5);
  EXPECT_LT(paired, alone * 1.1);
}

TEST(CostModel, LimitsMeetSmoothly) {
  // The mainloop of the wider tile takes about as long as the weights.
  TileConfig config;
  config.kernel = KernelKind::Single;
  config.ctaM = 64;
  config.ctaN = 128;
  Cost cost = estimateCost(makeProblem(64, 8192, 8192), config, hopper());
  EXPECT_GT(cost.predictedUs, 1.75 + cost.memoryFloorUs);
  EXPECT_LT(cost.predictedUs, 1.75 + 1.5 * cost.memoryFloorUs);
}

TEST(CostModel, PitchClasses) {
  TileConfig coop;
  coop.ctaN = 256;
  Problem problem = makeProblem(4096, 4096, 4104);
  double aligned = estimateCost(problem, coop, hopper()).predictedUs;
  problem.a.pitchAlignment = problem.b.pitchAlignment = 128;
  EXPECT_EQ(estimateCost(problem, coop, hopper()).predictedUs, aligned);
  problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
  Cost straddling = estimateCost(problem, coop, hopper());
  // A row comes from two lines of the cache.
  EXPECT_EQ(straddling.limiter, Limiter::Cache);
  EXPECT_GT(straddling.predictedUs, 1.1 * aligned);
  EXPECT_EQ(straddling.repackUs, 0);
  // Rows of a copy share no line.
  problem.a.pitchAlignment = 2;
  coop.repackA = coop.repackB = true;
  Cost repacked = estimateCost(problem, coop, hopper());
  EXPECT_GT(repacked.repackUs, 0);
  EXPECT_DOUBLE_EQ(repacked.predictedUs, aligned + repacked.repackUs);
}

TEST(CostModel, NamesWhatLimits) {
  auto limiter = [](int64_t m, int64_t n, int64_t k) {
    Problem problem = makeProblem(m, n, k);
    Cost cost = rankConfigs(problem, hopper()).candidates.front().cost;
    EXPECT_GT(cost.limiterUs, 0);
    EXPECT_LE(cost.limiterUs, cost.predictedUs);
    return std::string(limiterName(cost.limiter));
  };
  EXPECT_EQ(limiter(4096, 4096, 65536), "tensor");
  EXPECT_EQ(limiter(1, 16384, 16384), "memory");
  EXPECT_EQ(limiter(4096, 4096, 64), "memory");
  EXPECT_EQ(limiter(64, 64, 64), "launch");
  EXPECT_EQ(limiter(128, 128, 65536), "tiles");
}

TEST(CostModel, NamesWhatAConfigurationIsShortOf) {
  TileConfig config;
  config.ctaN = 32;
  // Rows that straddle cache lines arrive more slowly than they are multiplied;
  // with all of the chip at it, the cache is slower still.
  auto unaligned = [&](int64_t m, int64_t n) {
    Problem problem = makeProblem(m, n, 4096);
    problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
    return estimateCost(problem, config, hopper()).limiter;
  };
  EXPECT_EQ(unaligned(10 * 128, 9 * 32), Limiter::Loads);
  EXPECT_EQ(unaligned(100 * 128, 100 * 32), Limiter::Cache);
  // Written element by element.
  config.ctaN = 24;
  EXPECT_EQ(estimateCost(makeProblem(8192, 8192, 64), config, hopper()).limiter,
            Limiter::Epilogue);
}

TEST(CostModel, PrintsABreakdown) {
  std::ostringstream os;
  os << estimateCost(makeProblem(8192, 8192, 8192), pingpong(200), hopper());
  EXPECT_NE(os.str().find("2624 CTA tiles in 20 waves, 128 k iterations"),
            std::string::npos)
      << os.str();
  EXPECT_NE(os.str().find("limited by tensor, which takes "), std::string::npos)
      << os.str();
}
