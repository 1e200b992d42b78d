//===- CheckConfigTest.cpp - tests of what cannot run ---------------------===//

#include "Problems.h"
#include "cutl/Heuristics/Heuristics.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

static const Target &hopper() { return *lookupChip("sm_90a"); }

/// "rule: message", or "" when the configuration can run.
static std::string check(const TileConfig &config,
                         const Problem &problem = makeProblem(512, 512, 512)) {
  auto violation = checkConfig(problem, config, hopper());
  if (!violation)
    return "";
  EXPECT_TRUE(violation->nearest.has_value()) << violation->message;
  if (violation->nearest)
    EXPECT_FALSE(checkConfig(problem, *violation->nearest, hopper()))
        << *violation->nearest;
  return violation->rule + ": " + violation->message;
}

static TileConfig tile(int64_t m, int64_t n, KernelKind kernel) {
  TileConfig config;
  config.ctaM = m;
  config.ctaN = n;
  config.kernel = kernel;
  return config;
}

TEST(CheckConfig, AcceptsTheUsualTiles) {
  EXPECT_EQ(check(tile(128, 128, KernelKind::Cooperative)), "");
  EXPECT_EQ(check(tile(256, 128, KernelKind::Cooperative)), "");
  EXPECT_EQ(check(tile(192, 176, KernelKind::Cooperative)), "");
  EXPECT_EQ(check(tile(128, 208, KernelKind::Pingpong)), "");
  EXPECT_EQ(check(tile(64, 256, KernelKind::Single)), "");
}

TEST(CheckConfig, CtaM) {
  EXPECT_EQ(check(tile(100, 128, KernelKind::Cooperative)),
            "cta_m: expected cta m to be 64, 128, 192 or 256, got 100; nearest "
            "legal value is 128");
  EXPECT_EQ(check(tile(-5, 128, KernelKind::Single)),
            "cta_m: expected cta m to be 64, 128, 192 or 256, got -5; nearest "
            "legal value is 64");
  EXPECT_EQ(check(tile(64, 128, KernelKind::Cooperative)),
            "kernel_rows: expected cta m to be 128, 192 or 256 with a "
            "cooperative kernel, got 64; nearest legal value is 128");
  EXPECT_EQ(check(tile(256, 64, KernelKind::Pingpong)),
            "kernel_rows: expected cta m to be 64 or 128 with a pingpong "
            "kernel, got 256; nearest legal value is 128");
}

TEST(CheckConfig, CtaN) {
  EXPECT_EQ(check(tile(128, 201, KernelKind::Pingpong)),
            "cta_n: expected cta n to be a multiple of 8 from 8 to 256, got "
            "201; nearest legal value is 200");
  EXPECT_EQ(check(tile(128, 512, KernelKind::Cooperative)),
            "cta_n: expected cta n to be a multiple of 8 from 8 to 256, got "
            "512; nearest legal value is 256");
  TileConfig bytes = tile(128, 200, KernelKind::Pingpong);
  bytes.ctaK = 128;
  EXPECT_EQ(check(bytes, makeProblem(512, 512, 512, "s8", "s32", "s32")),
            "cta_n: expected cta n to be a multiple of 8 up to 24 and of 16 "
            "above, at most 256, for s8 operands, got 200; nearest legal value "
            "is 192");
}

TEST(CheckConfig, CtaK) {
  TileConfig config = tile(128, 128, KernelKind::Cooperative);
  config.ctaK = 32;
  EXPECT_EQ(check(config),
            "cta_k: expected cta k to be a multiple of 64 (128 bytes of K), "
            "got 32; nearest legal value is 64");
  config.ctaK = 100;
  EXPECT_EQ(check(config),
            "cta_k: expected cta k to be a multiple of 64 (128 bytes of K), "
            "got 100; nearest legal value is 128");
  config.ctaK = 64;
  EXPECT_EQ(check(config, makeProblem(512, 512, 512, "e4m3")),
            "cta_k: expected cta k to be a multiple of 128 (128 bytes of K), "
            "got 64; nearest legal value is 128");
}

TEST(CheckConfig, StagesBuffersAndRaster) {
  TileConfig config = tile(128, 128, KernelKind::Cooperative);
  config.stages = 1;
  EXPECT_EQ(check(config), "stages: expected stages to be at least 2, got 1; "
                           "nearest legal value is 2");
  config.stages = 4;
  config.epilogueBuffers = 0;
  EXPECT_EQ(check(config),
            "epilogue_buffers: expected epilogue buffers to be at least 1, got "
            "0; nearest legal value is 1");
  config.epilogueBuffers = 1;
  config.rasterGroup = 0;
  EXPECT_EQ(check(config), "raster: expected raster group to be at least 1, "
                           "got 0; nearest legal value is 1");
}

TEST(CheckConfig, BudgetOfSMs) {
  Problem problem = makeProblem(512, 512, 512);
  TileConfig config = tile(128, 128, KernelKind::Cooperative);
  config.clusterM = config.clusterN = 2;
  problem.smBudget = 4;
  EXPECT_EQ(check(config, problem), "");
  problem.smBudget = 3;
  EXPECT_EQ(check(config, problem),
            "sm_budget: expected a cluster of at most 3 ctas with sm_budget = "
            "3, got 2x2 = 4; nearest legal cluster is 2x1");
  problem.smBudget = 1;
  EXPECT_EQ(checkConfig(problem, config, hopper())->nearest->clusterSize(), 1);
  problem.smBudget = 132;
  EXPECT_EQ(check(config, problem), "");
}

TEST(CheckConfig, BudgetsThatNoChipHas) {
  auto message = [](int64_t budget) {
    Problem problem = makeProblem(512, 512, 512);
    problem.smBudget = budget;
    auto violation = checkConfig(
        problem, tile(128, 128, KernelKind::Cooperative), hopper());
    return violation ? violation->rule + ": " + violation->message : "";
  };
  EXPECT_EQ(message(133), "sm_budget: expected sm_budget to be 1 to 132 on "
                          "sm_90a, got 133; nearest legal value is 132");
  EXPECT_EQ(message(0), "sm_budget: expected sm_budget to be 1 to 132 on "
                        "sm_90a, got 0; nearest legal value is 1");
}

TEST(CheckConfig, BatchInvariance) {
  Problem problem = makeProblem(512, 512, 512);
  problem.batchInvariant = true;
  TileConfig config = tile(64, 64, KernelKind::Single);
  EXPECT_EQ(check(config, problem), "");
  config.swapOperands = true;
  EXPECT_EQ(check(config, problem),
            "batch_invariant: expected operands in the roles that they have "
            "for every m with batch_invariant, got swap_operands = true; "
            "nearest legal value is false");
  config.swapOperands = false;
  config.ctaK = 128;
  EXPECT_EQ(check(config, problem),
            "batch_invariant: expected cta k to be 64, as for every m with "
            "batch_invariant, got 128; nearest legal value is 64");
  // 128 bytes are another number of bytes.
  Problem bytes = makeProblem(512, 512, 512, "e4m3");
  bytes.batchInvariant = true;
  EXPECT_EQ(check(config, bytes), "");
}

TEST(CheckConfig, SharedMemory) {
  TileConfig config = tile(128, 256, KernelKind::Cooperative);
  config.epilogueBuffers = 2;
  EXPECT_EQ(config.sharedMemoryBytes(makeProblem(512, 512, 512)),
            4 * (128 + 256) * 128 + 2 * 2 * 64 * 128 + 4 * 16);
  EXPECT_EQ(check(config), "");
  config.stages = 5;
  EXPECT_EQ(check(config),
            "shared_memory: expected at most 232448 bytes of shared memory on "
            "sm_90a, got 278608 with 5 stages; nearest legal configuration has "
            "4 stages of 64 in k and 2 epilogue buffers");
}

TEST(CheckConfig, StagingBuffersOfFewBytesTakeABoxEach) {
  TileConfig config = tile(64, 8, KernelKind::Single);
  config.epilogueBuffers = 2;
  config.stages = 25;
  Problem problem = makeProblem(512, 512, 512, "f16", "f32", "e4m3");
  EXPECT_EQ(config.sharedMemoryBytes(problem),
            25 * (64 + 8) * 128 + 2 * 1024 + 25 * 16);
  EXPECT_EQ(check(config, problem),
            "shared_memory: expected at most 232448 bytes of shared memory on "
            "sm_90a, got 232848 with 25 stages; nearest legal configuration "
            "has 25 stages of 64 in k and 1 epilogue buffer");
}

TEST(CheckConfig, AccumulatorRegisters) {
  TileConfig config = tile(128, 208, KernelKind::Pingpong);
  EXPECT_EQ(config.accumulatorRegisters(makeProblem(512, 512, 512)), 208);
  config.ctaN = 216;
  EXPECT_EQ(check(config),
            "accumulator_registers: expected at most 208 accumulator registers "
            "per thread, got 216 with cta n 216; nearest legal cta n is 208");
  // Four warpgroups are compiled for 128 registers each.
  EXPECT_EQ(check(tile(192, 192, KernelKind::Cooperative)), "");
  EXPECT_EQ(check(tile(192, 200, KernelKind::Cooperative)),
            "accumulator_registers: expected at most 96 accumulator registers "
            "per thread, got 100 with cta n 200; nearest legal cta n is 192");
  // A gated pair has two accumulators for every column.
  Problem gated = makeProblem(512, 512, 512);
  gated.accumulators = 2;
  EXPECT_EQ(check(tile(128, 128, KernelKind::Pingpong), gated),
            "accumulator_registers: expected at most 208 accumulator registers "
            "per thread, got 256 with cta n 128; nearest legal cta n is 104");
}

TEST(CheckConfig, Clusters) {
  TileConfig config = tile(128, 128, KernelKind::Cooperative);
  config.clusterM = 3;
  EXPECT_EQ(check(config),
            "cluster: expected cluster m to be a power of two from 1 to 8 on "
            "sm_90a, got 3; nearest legal value is 2");
  config.clusterM = 4;
  config.clusterN = 4;
  EXPECT_EQ(check(config),
            "cluster: expected a cluster of at most 8 ctas on sm_90a, got 4x4 "
            "= 16; nearest legal cluster is 4x2");
}

TEST(CheckConfig, TypesWithoutAFamilyHaveNoNearest) {
  auto violation = checkConfig(makeProblem(8, 8, 8, "f64", "f64", "f64"),
                               TileConfig(), hopper());
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->rule, "family");
  EXPECT_FALSE(violation->nearest);
}

TEST(CheckConfig, AnyValuesGetAnAnswerAndALegalNeighbour) {
  const int64_t values[] = {std::numeric_limits<int64_t>::min(),
                            -1,
                            0,
                            1,
                            2,
                            63,
                            64,
                            128,
                            192,
                            255,
                            256,
                            100000,
                            std::numeric_limits<int64_t>::max()};
  std::mt19937 random(7);
  auto pick = [&] { return values[random() % std::size(values)]; };
  Problem problem = makeProblem(512, 512, 512);
  for (int i = 0; i < 20000; ++i) {
    TileConfig config;
    config.ctaM = pick();
    config.ctaN = pick();
    config.ctaK = pick();
    config.stages = pick();
    config.clusterM = pick();
    config.clusterN = pick();
    config.rasterGroup = pick();
    config.epilogueBuffers = pick();
    config.kernel = KernelKind(random() % 3);
    auto violation = checkConfig(problem, config, hopper());
    if (!violation)
      continue;
    ASSERT_TRUE(violation->nearest) << config << ": " << violation->message;
    ASSERT_FALSE(checkConfig(problem, *violation->nearest, hopper()));
  }
}
TEST(CheckConfig, WhatNoValueMendsHasNoNearest) {
  Problem problem = makeProblem(256, 256, 256, "f16", "f32");
  problem.accumulators = 60;
  TileConfig config;
  config.ctaM = 64;
  config.ctaN = 8;
  config.ctaK = 64;
  config.stages = 2;
  config.kernel = KernelKind::Single;
  std::optional<Violation> violation = checkConfig(problem, config, hopper());
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message,
            "expected at most 208 accumulator registers per thread, got 240 "
            "with cta n 8; no cta n is legal with 60 accumulators");
  EXPECT_FALSE(violation->nearest);
}

TEST(CheckConfig, ManyProductsHaveAStageOfOneAtom) {
  Problem problem = makeProblem(256, 256, 256, "f16", "f32");
  problem.accumulators = 13;
  problem.b.major = Major::MN;
  Ranked ranked = rankConfigs(problem, hopper());
  ASSERT_EQ(ranked.error, "");
  for (const Candidate &candidate : ranked.candidates)
    EXPECT_FALSE(checkConfig(problem, candidate.config, hopper()));
}

TEST(CheckConfig, WhatHasToBeRepackedIs) {
  Problem problem = makeProblem(512, 512, 512, "e4m3");
  TileConfig config = rankConfigs(problem, hopper()).candidates.front().config;
  // More than has to be is legal.
  config.repackB = true;
  EXPECT_FALSE(checkConfig(problem, config, hopper()));
  auto check = [&](const std::string &message) {
    std::optional<Violation> violation = checkConfig(problem, config, hopper());
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->rule, "repack");
    EXPECT_EQ(violation->message, message);
    ASSERT_TRUE(violation->nearest);
    EXPECT_FALSE(checkConfig(problem, *violation->nearest, hopper()));
  };
  problem.a.major = Major::MN;
  check("expected repack to list a, which is mn_major, while wgmma takes e4m3 "
        "k_major, got [b]; nearest legal value is [a, b]");
  problem.a.major = Major::Strided;
  check("expected repack to list a, which has no contiguous dimension that is "
        "m, n or k, got [b]; nearest legal value is [a, b]");
  problem.a.major = Major::K;
  problem.b.addressAlignment = 1;
  config.repackB = false;
  check("expected repack to list b, whose rows start at multiples of 1 bytes, "
        "not 16, got []; nearest legal value is [b]");
}
