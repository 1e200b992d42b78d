//===- VariantsTest.cpp - tests of choices for extents at run time --------===//

#include "cutl/Heuristics/Variants.h"
#include "Problems.h"
#include "cutl/Heuristics/Heuristics.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <sstream>
#include <vector>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

static const Target &hopper() { return *lookupChip("sm_90a"); }

static Extents getExtents(const Problem &problem) {
  return {problem.m, problem.n, problem.k, problem.batch};
}

/// How much longer than the ranking's first the picked variant is predicted to
/// take.
static double getLoss(const Problem &problem, const Variants &variants,
                      const Extents &extents) {
  Problem call = withExtents(problem, extents);
  const TileConfig &picked = variants.pick(extents).config;
  return estimateCost(call, picked, hopper()).predictedUs /
             rankConfigs(call, hopper()).candidates.front().cost.predictedUs -
         1;
}

static size_t countConfigs(const Variants &variants) {
  std::set<std::string> texts;
  for (const Variant &variant : variants.variants)
    texts.insert(variant.config.str());
  return texts.size();
}

namespace {
struct Losses {
  double mean = 0, worst = 0;
};
} // namespace

/// Losses at random extents from 1 to 16384 (128 of a batch), small ones as
/// often as large ones.
static Losses sampleLosses(const Problem &problem, const Variants &variants,
                           int count) {
  std::mt19937 generator(1);
  Losses losses;
  for (int i = 0; i < count; ++i) {
    Extents extents = getExtents(problem);
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      double largest = dim == size_t(Term::Batch) ? 128 : 16384;
      // The distributions of libraries differ.
      double fraction = double(generator()) / std::mt19937::max();
      if (extents[dim] < 0)
        extents[dim] = std::llround(std::pow(largest, fraction));
    }
    double loss = getLoss(problem, variants, extents);
    losses.mean += loss / count;
    losses.worst = std::max(losses.worst, loss);
  }
  return losses;
}

/// Problems of one dynamic extent and of several.
static std::vector<Problem> makeProblems(bool several) {
  constexpr int64_t kD = kDynamic;
  std::vector<Problem> problems;
  if (several) {
    problems = {makeProblem(kD, kD, 4096), makeProblem(kD, 4096, kD),
                makeProblem(kD, kD, kD), makeProblem(kD, kD, kD, "e4m3")};
    problems.back().batch = kD;
    return problems;
  }
  problems = {makeProblem(kD, 4096, 4096),  makeProblem(kD, 14336, 4096),
              makeProblem(kD, 4096, 14336), makeProblem(kD, 1024, 1024),
              makeProblem(kD, 8192, 512),   makeProblem(kD, 512, 8192, "e4m3"),
              makeProblem(4096, kD, 4096),  makeProblem(128, kD, 4096),
              makeProblem(4096, 4096, kD),  makeProblem(512, 512, 512)};
  problems.back().batch = kD;
  return problems;
}

static void checkLosses(bool several, int64_t maxConfigs, Losses most) {
  for (const Problem &problem : makeProblems(several)) {
    Variants variants = chooseVariants(problem, hopper(), maxConfigs);
    ASSERT_EQ(variants.error, "");
    Losses losses = sampleLosses(problem, variants, 500);
    std::ostringstream os;
    os << problem;
    std::printf("%d configurations lose %.1f %% in the mean, at most %.1f %%, "
                "with %d variants of %s\n",
                int(countConfigs(variants)), losses.mean * 100,
                losses.worst * 100, int(variants.variants.size()),
                os.str().c_str());
    EXPECT_LT(losses.mean, most.mean) << problem;
    EXPECT_LT(losses.worst, most.worst) << problem;
  }
}

// A few tiles cannot fill the last wave of every m.
TEST(Variants, LoseLittle) { checkLosses(false, 4, {.12, .55}); }
TEST(Variants, MoreLoseLess) { checkLosses(false, 8, {.06, .35}); }
TEST(Variants, LoseLittleInSeveralDimensions) {
  checkLosses(true, 4, {.13, 1.5});
}

/// Today's single choice is several times slower for few rows.
TEST(Variants, AreFarAheadOfOneConfiguration) {
  for (const Problem &problem :
       {makeProblem(kDynamic, 4096, 4096), makeProblem(kDynamic, 1024, 1024)}) {
    Losses one =
        sampleLosses(problem, chooseVariants(problem, hopper(), 1), 200);
    Losses four =
        sampleLosses(problem, chooseVariants(problem, hopper(), 4), 200);
    EXPECT_GT(one.mean, 1);
    EXPECT_LT(four.mean, one.mean / 10);
  }
}

/// Where what would be chosen for given extents is among the variants, it is
/// the one that is picked, and nothing that is picked takes much longer.
TEST(Variants, AreTheStaticChoice) {
  const std::pair<int64_t, int64_t> cases[] = {
      {4096, 4096}, {14336, 4096}, {1024, 1024}, {256, 2048}};
  int count = 0, equal = 0;
  for (auto [n, k] : cases) {
    Problem problem = makeProblem(kDynamic, n, k);
    Variants variants = chooseVariants(problem, hopper(), 4);
    for (int64_t m = 1; m <= 16384; m *= 2) {
      Extents extents = {m, n, k, 1};
      Problem known = withExtents(problem, extents);
      TileConfig choice =
          rankConfigs(known, hopper()).candidates.front().config;
      const TileConfig &picked = variants.pick(extents).config;
      ++count;
      equal += picked == choice;
      bool isAmong = std::any_of(
          variants.variants.begin(), variants.variants.end(),
          [&](const Variant &variant) { return variant.config == choice; });
      if (isAmong)
        EXPECT_EQ(picked, choice) << "for m = " << m << " of " << problem;
      EXPECT_LE(estimateCost(known, picked, hopper()).predictedUs,
                estimateCost(known, choice, hopper()).predictedUs * 1.3)
          << "for m = " << m << " of " << problem;
    }
  }
  std::printf("%d of %d picks are the static choice\n", equal, count);
  EXPECT_GE(equal, count / 4);
}

TEST(Variants, AreFewOrderedAndLegal) {
  for (bool several : {false, true})
    for (const Problem &problem : makeProblems(several))
      for (int64_t maxConfigs : {2, 4, 6})
        for (int64_t maxVariants : {2, 8}) {
          Variants variants =
              chooseVariants(problem, hopper(), maxConfigs, maxVariants);
          ASSERT_FALSE(variants.variants.empty());
          EXPECT_LE(countConfigs(variants), size_t(maxConfigs));
          EXPECT_LE(variants.variants.size(), size_t(maxVariants));
          for (const Variant &variant : variants.variants) {
            EXPECT_FALSE(checkConfig(problem, variant.config, hopper()));
            EXPECT_EQ(variant.guard.empty(),
                      &variant == &variants.variants.back());
            // Only what is dynamic is compared.
            for (const Bound &bound : variant.guard)
              if (bound.term != Term::Results) {
                EXPECT_LT(getExtents(problem)[size_t(bound.term)], 0);
              }
          }
        }
}

TEST(Variants, OneWhereNothingIsToChoose) {
  Problem problem = makeProblem(4096, 4096, 4096);
  auto expectOne = [](const Problem &problem, int64_t maxConfigs,
                      int64_t maxVariants) {
    Variants variants =
        chooseVariants(problem, hopper(), maxConfigs, maxVariants);
    ASSERT_EQ(variants.variants.size(), 1u) << problem;
    EXPECT_TRUE(variants.variants.front().guard.empty());
    EXPECT_EQ(variants.variants.front().config,
              rankConfigs(problem, hopper()).candidates.front().config);
  };
  expectOne(problem, 4, 16);
  problem.m = kDynamic;
  expectOne(problem, 1, 16);
  expectOne(problem, 4, 1);
  problem.batchInvariant = true;
  problem.reductions = 1;
  expectOne(problem, 4, 16);
}

/// The order in which a row is summed is the same in all of them.
TEST(Variants, BatchInvariantOnesSumAlike) {
  Problem problem = makeProblem(kDynamic, 2048, 2048);
  problem.batchInvariant = true;
  Variants variants = chooseVariants(problem, hopper(), 4);
  EXPECT_GT(variants.variants.size(), 1u);
  for (const Variant &variant : variants.variants) {
    EXPECT_FALSE(variant.config.swapOperands);
    EXPECT_EQ(variant.config.ctaK, problem.swizzleAtomK());
    EXPECT_EQ(variant.config.clusterK, 1);
  }
}

TEST(Variants, ErrorsAreThoseOfTheRanking) {
  Problem problem = makeProblem(kDynamic, 512, 512, "f64", "f64", "f64");
  Variants variants = chooseVariants(problem, hopper(), 4);
  EXPECT_TRUE(variants.variants.empty());
  EXPECT_EQ(variants.error, rankConfigs(problem, hopper()).error);
}

TEST(Variants, GuardsAreConjunctionsInOrder) {
  Variants variants;
  TileConfig few, wide, rest;
  few.ctaM = 64;
  wide.ctaN = 256;
  variants.variants = {{{{Term::M, 16}, {Term::N, 512}}, few},
                       {{{Term::Results, 1024}}, wide},
                       {{}, rest}};
  EXPECT_EQ(variants.pick({16, 512, 1, 1}).config, few);
  EXPECT_EQ(variants.pick({17, 4, 1, 4}).config, wide);
  EXPECT_EQ(variants.pick({16, 513, 1, 1}).config, rest);
  EXPECT_EQ(variants.pick({512, 1, 1, 4}).config, rest);
  EXPECT_EQ(variants.variants.front().guardText(), "m <= 16 and n <= 512");
  std::ostringstream os;
  os << variants.variants[1];
  EXPECT_EQ(os.str(), wide.str() + " if results <= 1024");
}
