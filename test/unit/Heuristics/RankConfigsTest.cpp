//===- RankConfigsTest.cpp - tests of the ranking -------------------------===//

#include "Problems.h"
#include "cutl/Heuristics/Heuristics.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

static const Target &hopper() { return *lookupChip("sm_90a"); }

TEST(RankConfigs, EveryCandidateCanRun) {
  int64_t sizes[] = {0,    1,        7,
                     64,   130,      1001,
                     8192, kDynamic, std::numeric_limits<int64_t>::max()};
  for (int64_t m : sizes)
    for (int64_t n : sizes)
      for (int64_t k : sizes) {
        Problem problem = makeProblem(m, n, k);
        Ranked ranked = rankConfigs(problem, hopper());
        ASSERT_EQ(ranked.error, "");
        EXPECT_GE(ranked.candidates.size(), 12u);
        for (const Candidate &candidate : ranked.candidates)
          EXPECT_FALSE(checkConfig(problem, candidate.config, hopper()))
              << candidate.config << " for " << problem;
      }
}

/// All that the order of a sum over k depends on.
TEST(RankConfigs, BatchInvariantCandidatesSumAlike) {
  for (const char *type : {"bf16", "e4m3"})
    for (int64_t m : {int64_t(0), int64_t(1), int64_t(17), int64_t(128),
                      int64_t(4096), kDynamic})
      for (int64_t k : {int64_t(100), int64_t(2048), kDynamic}) {
        Problem problem = makeProblem(m, 2048, k, type);
        problem.batchInvariant = true;
        Ranked ranked = rankConfigs(problem, hopper());
        ASSERT_EQ(ranked.error, "");
        EXPECT_GE(ranked.candidates.size(), 12u);
        for (const Candidate &candidate : ranked.candidates) {
          EXPECT_FALSE(candidate.config.swapOperands) << candidate.config;
          EXPECT_EQ(candidate.config.ctaK, problem.swizzleAtomK())
              << candidate.config;
          EXPECT_FALSE(checkConfig(problem, candidate.config, hopper()))
              << candidate.config << " for " << problem;
        }
      }
}

/// Rows that are reduced over n are summed tile by tile.
TEST(RankConfigs, BatchInvariantReductionsHaveOneTile) {
  for (Major major : {Major::K, Major::MN}) {
    std::optional<TileConfig> first;
    for (int64_t m : {1, 17, 257, 1024, 16384}) {
      Problem problem = makeProblem(m, 2048, 2048);
      problem.a.major = major;
      problem.a.pitchAlignment = major == Major::MN ? m * 2 : 4096;
      problem.reductions = 1;
      problem.batchInvariant = true;
      Ranked ranked = rankConfigs(problem, hopper());
      ASSERT_EQ(ranked.error, "");
      TileConfig config = ranked.candidates.front().config;
      EXPECT_EQ(config, first.value_or(config)) << "for m = " << m;
      first = config;
      // The cost is that of the actual problem.
      EXPECT_EQ(ranked.candidates.front().cost.ctas,
                estimateCost(problem, config, hopper()).ctas);
    }
  }
}

TEST(RankConfigs, ClustersFitTheBudget) {
  Problem problem = makeProblem(4096, 4096, 4104);
  problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
  auto largest = [&] {
    int64_t size = 0;
    for (const Candidate &candidate : rankConfigs(problem, hopper()).candidates)
      size = std::max(size, candidate.config.clusterSize());
    return size;
  };
  EXPECT_EQ(largest(), 4);
  problem.smBudget = 2;
  EXPECT_EQ(largest(), 2);
  problem.smBudget = 1;
  EXPECT_EQ(largest(), 1);
}

/// The widths of candidates with these rows, kernel and swap, in order.
static std::vector<int64_t> widths(const Ranked &ranked, int64_t m,
                                   KernelKind kernel, bool swap = false) {
  std::vector<int64_t> result;
  for (const Candidate &candidate : ranked.candidates)
    if (candidate.config.ctaM == m && candidate.config.kernel == kernel &&
        candidate.config.swapOperands == swap)
      result.push_back(candidate.config.ctaN);
  std::sort(result.begin(), result.end());
  return result;
}

/// Multiples of 8 up to `last`.
static std::vector<int64_t> upTo(int64_t last) {
  std::vector<int64_t> result;
  for (int64_t n = 8; n <= last; n += 8)
    result.push_back(n);
  return result;
}

TEST(RankConfigs, EveryWidthThatRegistersHold) {
  Ranked ranked = rankConfigs(makeProblem(4096, 4096, 4096), hopper());
  EXPECT_EQ(widths(ranked, 64, KernelKind::Single), upTo(256));
  EXPECT_EQ(widths(ranked, 64, KernelKind::Single, true), upTo(64));
  EXPECT_EQ(widths(ranked, 64, KernelKind::Pingpong), upTo(256));
  EXPECT_EQ(widths(ranked, 128, KernelKind::Cooperative), upTo(256));
  EXPECT_EQ(widths(ranked, 128, KernelKind::Pingpong), upTo(208));
  EXPECT_EQ(widths(ranked, 192, KernelKind::Cooperative), upTo(192));
  EXPECT_EQ(widths(ranked, 256, KernelKind::Cooperative), upTo(208));
}

TEST(RankConfigs, RingsFillTheMemoryAsMeasured) {
  // Tile, stages, rows of K in a stage and staging buffers that were fastest.
  struct Measured {
    int64_t m, n;
    KernelKind kernel;
    bool swap;
    int64_t stages, atoms, buffers;
  };
  const Measured table[] = {
      {64, 8, KernelKind::Single, true, 10, 2, 0},
      {64, 16, KernelKind::Single, true, 9, 2, 0},
      {64, 32, KernelKind::Single, true, 8, 2, 0},
      {64, 64, KernelKind::Single, true, 6, 2, 0},
      {64, 64, KernelKind::Single, false, 6, 2, 0},
      {64, 96, KernelKind::Single, false, 10, 1, 2},
      {64, 128, KernelKind::Single, false, 8, 1, 2},
      {64, 256, KernelKind::Single, false, 5, 1, 2},
      {128, 96, KernelKind::Cooperative, false, 7, 1, 1},
      {128, 128, KernelKind::Cooperative, false, 6, 1, 2},
      {128, 128, KernelKind::Pingpong, false, 6, 1, 1},
      {128, 144, KernelKind::Pingpong, false, 5, 1, 1},
      {128, 176, KernelKind::Pingpong, false, 5, 1, 1},
      {128, 184, KernelKind::Pingpong, false, 4, 1, 2},
      {128, 192, KernelKind::Pingpong, false, 4, 1, 2},
      {128, 200, KernelKind::Pingpong, false, 4, 1, 1},
      {128, 208, KernelKind::Pingpong, false, 4, 1, 1},
      {128, 224, KernelKind::Cooperative, false, 4, 1, 2},
      {128, 256, KernelKind::Cooperative, false, 4, 1, 2},
      {192, 176, KernelKind::Cooperative, false, 4, 1, 0},
      {256, 128, KernelKind::Cooperative, false, 4, 1, 1},
  };
  Ranked ranked = rankConfigs(makeProblem(4096, 4096, 4096), hopper());
  for (const Measured &row : table) {
    const TileConfig *found = nullptr;
    for (const Candidate &candidate : ranked.candidates)
      if (candidate.config.ctaM == row.m && candidate.config.ctaN == row.n &&
          candidate.config.kernel == row.kernel &&
          candidate.config.swapOperands == row.swap)
        found = &candidate.config;
    ASSERT_TRUE(found) << row.m << "x" << row.n;
    EXPECT_EQ(found->stages, row.stages) << *found;
    EXPECT_EQ(found->ctaK, 64 * row.atoms) << *found;
    if (row.buffers)
      EXPECT_EQ(found->epilogueBuffers, row.buffers) << *found;
  }
}

TEST(RankConfigs, RankingIsQuick) {
  Problem problem = makeProblem(1016, 3464, 1384);
  problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
  auto best = std::chrono::duration<double>::max();
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    Ranked ranked = rankConfigs(problem, hopper());
    ASSERT_GT(ranked.candidates.size(), 300u);
    best = std::min<std::chrono::duration<double>>(
        best, std::chrono::steady_clock::now() - start);
  }
  std::printf("ranking takes %.2f ms\n", best.count() * 1e3);
  EXPECT_LT(best.count(), 5e-3);
}

TEST(RankConfigs, IsDeterministic) {
  Problem problem = makeProblem(2048, 2048, 2048);
  Ranked first = rankConfigs(problem, hopper());
  Ranked second = rankConfigs(problem, hopper());
  ASSERT_EQ(first.candidates.size(), second.candidates.size());
  for (size_t i = 0; i < first.candidates.size(); ++i)
    EXPECT_EQ(first.candidates[i].config, second.candidates[i].config);
}

TEST(RankConfigs, FullWavesOfPingpongAreFirst) {
  // 128x200 fills its last wave best, and hides its epilogue.
  Ranked ranked = rankConfigs(makeProblem(8192, 8192, 4096), hopper());
  EXPECT_EQ(ranked.candidates.front().config.str(),
            "128x200x64 pingpong, 4 stages, raster 16 along m");
}

TEST(RankConfigs, OnlyStraddlingPitchesGetClusters) {
  Problem problem = makeProblem(4096, 4096, 4104);
  for (const Candidate &candidate : rankConfigs(problem, hopper()).candidates)
    EXPECT_EQ(candidate.config.clusterSize(), 1);
  problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
  const Ranked ranked = rankConfigs(problem, hopper());
  const Candidate &best = ranked.candidates.front();
  EXPECT_EQ(best.config.clusterSize(), 2) << best.config;
  EXPECT_GE(best.config.ctaM * best.config.ctaN, 128 * 176) << best.config;
}

TEST(RankConfigs, PairsShareRowsThatStraddle) {
  // Measured: 128x160 in fours and 128x208 in pairs, a quarter faster than
  // alone.
  Problem problem = makeProblem(3832, 2520, 1400);
  problem.a.pitchAlignment = problem.b.pitchAlignment = 16;
  const TileConfig best =
      rankConfigs(problem, hopper()).candidates.front().config;
  EXPECT_GE(best.clusterSize(), 2) << best;
  EXPECT_EQ(best.clusterM, 2) << best;
}

TEST(RankConfigs, BytesFillTheSwizzleWithTwiceTheK) {
  Ranked ranked = rankConfigs(makeProblem(8192, 8192, 8192, "e4m3"), hopper());
  ASSERT_EQ(ranked.error, "");
  EXPECT_EQ(ranked.candidates.front().config.ctaK, 128);
  ranked = rankConfigs(makeProblem(8192, 8192, 8192, "tf32", "f32", "f32"),
                       hopper());
  ASSERT_EQ(ranked.error, "");
  EXPECT_EQ(ranked.candidates.front().config.ctaK, 32);
}

TEST(RankConfigs, IntegersAvoidWidthsWithoutAnAtom) {
  Ranked ranked =
      rankConfigs(makeProblem(8192, 8192, 8192, "s8", "s32", "s32"), hopper());
  ASSERT_EQ(ranked.error, "");
  for (const Candidate &candidate : ranked.candidates)
    EXPECT_TRUE(candidate.config.ctaN < 32 || candidate.config.ctaN % 16 == 0)
        << candidate.config;
}

TEST(RankConfigs, GatedPairsFitTheRegisters) {
  Problem problem = makeProblem(4096, 4096, 4096);
  problem.accumulators = 2;
  Ranked ranked = rankConfigs(problem, hopper());
  ASSERT_EQ(ranked.error, "");
  for (const Candidate &candidate : ranked.candidates)
    EXPECT_LE(candidate.config.accumulatorRegisters(problem), 208);
}

TEST(RankConfigs, TooManyAccumulatorsIsANamedAnswer) {
  Problem problem = makeProblem(4096, 4096, 4096);
  problem.accumulators = 100;
  EXPECT_EQ(rankConfigs(problem, hopper()).error,
            "bf16 with 100 accumulators fits no configuration of wgmma on "
            "sm_90a");
}

TEST(RankConfigs, TypesWithoutAPathGetANamedAnswer) {
  auto error = [](const char *type, const char *acc, const char *chip) {
    Ranked ranked = rankConfigs(makeProblem(512, 512, 512, type, acc, acc),
                                *lookupChip(chip));
    EXPECT_TRUE(ranked.candidates.empty());
    return ranked.error;
  };
  EXPECT_EQ(error("f64", "f64", "sm_90a"),
            "f64 has no wgmma atom on sm_90a; its family is mma_sync, which "
            "has no configurations yet");
  EXPECT_EQ(error("f32", "f32", "sm_90a"),
            "f32 has no wgmma atom on sm_90a; its family is simt, which has "
            "no configurations yet");
  EXPECT_EQ(error("bf16", "f32", "sm_80"),
            "the family of bf16 on sm_80 is mma_sync, which has no "
            "configurations yet");
  EXPECT_EQ(error("f16", "f32", "sm_100a"),
            "the family of f16 on sm_100a is tcgen05, which has no "
            "configurations yet");
  EXPECT_EQ(error("e2m1", "f32", "sm_90a"),
            "e2m1 into f32 has no mma atom on sm_90a");
}

TEST(RankConfigs, MixedAndMissingTypesGetANamedAnswer) {
  Problem problem = makeProblem(512, 512, 512, "f16");
  problem.b.type = lookupDataType("s8");
  EXPECT_EQ(rankConfigs(problem, hopper()).error,
            "f16 x s8 into f32 has no mma atom on sm_90a");
  problem.b.type = nullptr;
  EXPECT_EQ(rankConfigs(problem, hopper()).error,
            "expected element types for a, b and the accumulator");
}

/// What every candidate of `problem` repacks, "" if that differs.
static std::string getRepacked(const Problem &problem) {
  std::vector<Candidate> candidates =
      rankConfigs(problem, hopper()).candidates;
  EXPECT_FALSE(candidates.empty());
  auto text = [](const TileConfig &config) {
    return std::string(config.repackA ? "a" : "-") +
           (config.repackB ? "b" : "-");
  };
  for (const Candidate &candidate : candidates)
    if (text(candidate.config) != text(candidates.front().config))
      return "";
  return text(candidates.front().config);
}

TEST(RankConfigs, OperandsThatCannotBeReadWhereTheyLieAreRepacked) {
  Problem problem = makeProblem(512, 512, 512, "e4m3");
  EXPECT_EQ(getRepacked(problem), "--");
  problem.b.major = Major::MN;
  EXPECT_EQ(getRepacked(problem), "-b");
  problem.a.major = Major::Strided;
  EXPECT_EQ(getRepacked(problem), "ab");
  problem = makeProblem(512, 512, 512);
  problem.a.major = problem.b.major = Major::MN;
  EXPECT_EQ(getRepacked(problem), "--");
  for (auto [alignment, repacked] :
       {std::pair(0, "--"), std::pair(16, "--"), std::pair(8, "a-"),
        std::pair(2, "a-"), std::pair(128, "--")}) {
    problem.a.pitchAlignment = alignment;
    EXPECT_EQ(getRepacked(problem), repacked) << alignment;
    std::swap(problem.a.pitchAlignment, problem.a.addressAlignment);
    EXPECT_EQ(getRepacked(problem), repacked) << alignment;
    problem.a.addressAlignment = 0;
  }
}

TEST(RankConfigs, PartsOfKAreRepackedToo) {
  Problem problem = makeProblem(128, 128, 65536);
  problem.roundsSums = true;
  problem.a.pitchAlignment = 2;
  std::optional<Split> split = chooseSplit(problem, hopper(), 1e6);
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->config.repackA);
  EXPECT_FALSE(split->config.repackB);
}
