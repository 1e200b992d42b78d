//===- RingProtocolTest.cpp - Barriers and ring of emitted kernels --------===//
//
// Kernels are lowered to NVVM and their protocol is run under many orders of
// warps and copies: nothing blocks for ever, each warp multiplies the tiles and
// k steps that are its, in order, and no stage is overwritten while it is read.
//
//===----------------------------------------------------------------------===//

#include "Simulator/RingProtocol.h"
#include "gtest/gtest.h"

using namespace cutltest;

namespace {

class RingProtocol : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(RingProtocol, HoldsInEveryOrder) {
  Protocol protocol(GetParam());
  ASSERT_TRUE(protocol.isValid());
  for (uint64_t seed = 0; seed < 12; ++seed)
    ASSERT_EQ(protocol.run(seed), "") << "seed " << seed;
  Protocol alternative(GetParam(), "k_elements");
  for (uint64_t seed = 0; alternative.isValid() && seed < 4; ++seed)
    ASSERT_EQ(alternative.run(seed), "") << "by elements, seed " << seed;
}

static std::vector<Case> getCases() {
  const char *single = "cta = [64, 64, 64], stages = 3, kernel = single";
  const char *cooperative =
      "cta = [128, 64, 64], stages = 3, kernel = cooperative";
  const char *pingpong = "cta = [64, 64, 64], stages = 3, kernel = pingpong";
  return {
      {"single", single, {130, 200, 400}, 2},
      {"single_no_k", single, {130, 70, 0}, 2},
      {"single_nothing", single, {0, 70, 64}, 2},
      {"single_more_ctas", single, {64, 70, 200}, 5},
      {"cooperative", cooperative, {300, 130, 400}, 2},
      {"cooperative_no_k", cooperative, {300, 130, 0}, 2},
      {"cooperative_slabs",
       "cta = [256, 64, 64], stages = 2, kernel = cooperative",
       {300, 130, 200},
       1},
      // As many k steps as stages, one more, one less, and one.
      {"pingpong", pingpong, {200, 200, 192}, 2},
      {"pingpong_more_k", pingpong, {200, 200, 256}, 2},
      {"pingpong_less_k", pingpong, {200, 200, 128}, 2},
      {"pingpong_one_k", pingpong, {200, 200, 64}, 1},
      {"pingpong_no_k", pingpong, {200, 200, 0}, 1},
      {"pingpong_one_tile", pingpong, {64, 64, 500}, 1},
      {"pingpong_two_stages",
       "cta = [128, 96, 64], stages = 2, kernel = pingpong, epilogue_buffers = "
       "2",
       {300, 200, 500},
       1},
      {"pingpong_wide",
       "cta = [128, 200, 64], stages = 4, kernel = pingpong",
       {400, 500, 320},
       2},
      {"rows_of_n", pingpong, {200, 200, 200}, 2, "m, k", "k, n"},
      {"columns_of_m", cooperative, {300, 130, 200}, 2, "k, m", "k, n"},
      {"deep_stages",
       "cta = [64, 64, 128], stages = 2, kernel = single",
       {130, 130, 500},
       2},
      {"swapped",
       "cta = [64, 16, 64], stages = 3, kernel = single, swap_operands = true",
       {30, 200, 300},
       2},
      {"batches",
       single,
       {2, 3, 100, 70, 130},
       2,
       "b0, m, k",
       "n, b1, k",
       "b0, b1, m, n"},
      {"words", single, {130, 100, 200}, 2, "m, k", "n, k", "m, n", "f32"},
      {"columns_of_d", single, {130, 100, 200}, 2, "m, k", "n, k", "n, m"},
      {"gated",
       single,
       {130, 100, 300},
       2,
       "m, k",
       "n, k",
       "m, n",
       "bf16",
       true},
      {"cluster_m",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1]",
       {300, 200, 300},
       4},
      {"cluster_n",
       "cta = [128, 64, 64], stages = 3, kernel = cooperative, cluster = [1, "
       "2]",
       {300, 300, 300},
       4},
      {"cluster_pingpong",
       "cta = [64, 64, 64], stages = 3, kernel = pingpong, cluster = [2, 2]",
       {300, 300, 300},
       4},
  };
}

/// CTAs of a cluster that divide k.
static std::vector<Case> getClusterSumCases() {
  Case gated = {"gated",
                "cta = [64, 64, 64], stages = 4, kernel = single, cluster = "
                "[1, 1, 2]",
                {130, 100, 300},
                4,
                "m, k",
                "n, k",
                "m, n",
                "bf16",
                true};
  return {
      // Several units each, parts of one length and of two, and empty ones.
      {"single",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [1, 1, 2]",
       {130, 200, 512},
       4},
      {"four",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [1, 1, 4]",
       {130, 64, 450},
       8},
      {"more_than_k",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [1, 1, 8]",
       {130, 70, 300},
       8},
      {"no_k",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [1, 1, 2]",
       {130, 70, 0},
       2},
      {"cooperative",
       "cta = [128, 96, 64], stages = 3, kernel = cooperative, cluster = [1, "
       "1, 4]",
       {150, 100, 700},
       4},
      {"slabs",
       "cta = [256, 32, 64], stages = 2, kernel = cooperative, cluster = [1, "
       "1, 2]",
       {300, 40, 400},
       2},
      {"shared_columns",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1, 2]",
       {200, 70, 400},
       4},
      {"shared_rows",
       "cta = [128, 64, 64], stages = 3, kernel = cooperative, cluster = [1, "
       "2, 2]",
       {130, 130, 400},
       4},
      {"shared_both",
       "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 2, 2]",
       {300, 200, 400},
       8},
      {"swapped",
       "cta = [64, 32, 64], stages = 3, kernel = single, cluster = [1, 1, 4], "
       "swap_operands = true",
       {70, 200, 600},
       4},
      {"words",
       "cta = [64, 64, 128], stages = 2, kernel = single, cluster = [1, 1, 2]",
       {130, 100, 600},
       2,
       "m, k",
       "n, k",
       "n, m",
       "f32"},
      gated,
  };
}

static Case share(Case test, const char *schedule = "#cutl.stream_k") {
  test.schedule = schedule;
  return test;
}

/// Parts of k that meet, and units that add as they arrive.
static std::vector<Case> getMeetingCases() {
  const char *single = "cta = [64, 64, 64], stages = 3, kernel = single";
  const char *cooperative =
      "cta = [128, 64, 64], stages = 3, kernel = cooperative";
  const char *pingpong = "cta = [64, 64, 64], stages = 3, kernel = pingpong";
  const char *cluster =
      "cta = [64, 64, 64], stages = 3, kernel = pingpong, cluster = [2, 2]";
  const char *inOrder = "#cutl.split_k<3, reduction = last_arriver>";
  const char *turns = "#cutl.split_k<3, reduction = turnstile>";
  const char *asTheyCome = "#cutl.split_k<3, reduction = arrival_order>";
  const char *shares = "#cutl.stream_k<reduction = arrival_order>";
  Case gated = {"",     single, {130, 100, 300}, 4,   "m, k",
                "n, k", "m, n", "bf16",          true};
  auto name = [](Case test, const char *name) {
    test.name = name;
    return test;
  };
  Case elsewhere = {"turns_ticket_elsewhere", single, {130, 200, 400}, 5};
  elsewhere.ticketGap = 64;
  return {
      share(elsewhere, turns),
      // Fewer CTAs than units, of which one has several of a tile, and one
      // each.
      share({"single", single, {130, 200, 400}, 5}, inOrder),
      share({"single_each", single, {64, 128, 500}, 6}, inOrder),
      share({"single_alone", single, {64, 64, 700}, 1}, inOrder),
      share({"single_one_part", single, {64, 128, 300}, 2},
            "#cutl.split_k<1, reduction = last_arriver>"),
      share({"single_more_parts_than_k", single, {130, 70, 64}, 4}, inOrder),
      share({"single_no_k", single, {130, 70, 0}, 4}, inOrder),
      share({"cooperative", cooperative, {300, 130, 400}, 4}, inOrder),
      share({"pingpong", pingpong, {200, 200, 320}, 5}, inOrder),
      share({"cluster", cluster, {300, 300, 300}, 8}, inOrder),
      share(name(gated, "gated"), inOrder),
      share({"turns_single", single, {130, 200, 400}, 5}, turns),
      share({"turns_single_each", single, {64, 128, 500}, 6}, turns),
      share({"turns_single_alone", single, {64, 64, 700}, 1}, turns),
      share({"turns_one_part", single, {64, 128, 300}, 2},
            "#cutl.split_k<1, reduction = turnstile>"),
      share({"turns_no_k", single, {130, 70, 0}, 4}, turns),
      share({"turns_more_ctas", single, {64, 64, 700}, 5}, turns),
      share({"turns_cooperative", cooperative, {300, 130, 400}, 4}, turns),
      share({"turns_pingpong", pingpong, {200, 200, 320}, 5}, turns),
      share({"turns_many_parts", single, {64, 70, 700}, 7},
            "#cutl.split_k<9, reduction = turnstile>"),
      share(name(gated, "turns_gated"), turns),
      share({"added_single", single, {130, 200, 400}, 5}, asTheyCome),
      share({"added_single_each", single, {64, 128, 500}, 6}, asTheyCome),
      share({"added_single_alone", single, {64, 64, 700}, 1}, asTheyCome),
      share({"added_one_part", single, {64, 128, 300}, 2},
            "#cutl.split_k<1, reduction = arrival_order>"),
      share({"added_no_k", single, {130, 70, 0}, 4}, asTheyCome),
      share({"added_cooperative", cooperative, {300, 130, 400}, 4}, asTheyCome),
      share({"added_pingpong", pingpong, {200, 200, 320}, 5}, asTheyCome),
      share({"added_cluster", cluster, {300, 300, 300}, 8}, asTheyCome),
      share(name(gated, "added_gated"), asTheyCome),
      share({"added_shares", single, {130, 200, 400}, 5}, shares),
      share({"added_shares_of_one", single, {64, 64, 700}, 4}, shares),
      share({"added_shares_of_some", single, {130, 200, 400}, 3},
            "#cutl.stream_k<tiles = 5, reduction = arrival_order>"),
      share({"added_shares_cooperative", cooperative, {300, 130, 400}, 4},
            shares),
      share({"added_shares_pingpong", pingpong, {200, 200, 320}, 5}, shares),
      share({"added_shares_cluster", cluster, {300, 300, 300}, 8}, shares),
  };
}

/// Units that share tiles.
static std::vector<Case> getSharedCases() {
  const char *single = "cta = [64, 64, 64], stages = 3, kernel = single";
  const char *cooperative =
      "cta = [128, 64, 64], stages = 3, kernel = cooperative";
  const char *pingpong = "cta = [64, 64, 64], stages = 3, kernel = pingpong";
  Case gated = {"gated",  single,   {130, 100, 300}, 4,     "m, k",
                "n, k",   "m, n",   "bf16",          true};
  return {
      // A rest of one tile and of several, fewer tiles than CTAs, and one.
      share({"single", single, {130, 200, 400}, 5}),
      share({"few", single, {64, 128, 500}, 5}),
      share({"one", single, {64, 64, 700}, 4}),
      share({"whole", single, {128, 128, 300}, 4}),
      share({"no_k", single, {130, 70, 0}, 4}),
      share({"one_k", single, {130, 70, 64}, 4}),
      share({"some", single, {130, 200, 400}, 3}, "#cutl.stream_k<tiles = 5>"),
      share({"cooperative", cooperative, {300, 130, 400}, 4}),
      share({"cooperative_slabs",
             "cta = [256, 64, 64], stages = 2, kernel = cooperative",
             {300, 130, 200},
             3}),
      share({"pingpong", pingpong, {200, 200, 320}, 5}),
      share({"pingpong_one", pingpong, {64, 64, 500}, 3}),
      share({"swapped",
             "cta = [64, 16, 64], stages = 3, kernel = single, "
             "swap_operands = true",
             {30, 200, 300},
             3}),
      share({"words", single, {130, 100, 200}, 4, "m, k", "n, k", "m, n",
             "f32"}),
      share(gated),
      share({"cluster_m",
             "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, "
             "1]",
             {300, 200, 300},
             4}),
      share({"cluster_cooperative",
             "cta = [128, 64, 64], stages = 3, kernel = cooperative, cluster = "
             "[1, 2]",
             {300, 300, 300},
             4}),
      share({"cluster_pingpong",
             "cta = [64, 64, 64], stages = 3, kernel = pingpong, cluster = [2, "
             "2]",
             {300, 300, 300},
             8}),
  };
}

INSTANTIATE_TEST_SUITE_P(SharedTiles, RingProtocol,
                         testing::ValuesIn(getSharedCases()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(MeetingParts, RingProtocol,
                         testing::ValuesIn(getMeetingCases()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(ClusterSums, RingProtocol,
                         testing::ValuesIn(getClusterSumCases()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Kernels, RingProtocol, testing::ValuesIn(getCases()),
                         [](const auto &info) { return info.param.name; });
