//===- RecordedTimesTest.cpp - the ranking against recorded times ---------===//
//
// benchmarks/data/tiles-h200.csv has the time of each of some forty
// configurations for each of some seventy products. What the ranking prefers
// among those has to be near the fastest of them.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "cutl/Heuristics/Heuristics.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

namespace {

const Target &hopper() { return *lookupChip("sm_90a"); }

/// The fields by which a record names a configuration: rows, columns and k of a
/// cta tile, kernel, cluster, and whether operands are swapped.
using Key = std::tuple<int64_t, int64_t, int64_t, std::string, int64_t, int64_t,
                       bool>;

Key getKey(const TileConfig &config) {
  return {config.ctaM,     config.ctaN,         config.ctaK,
          kernelKindName(config.kernel),        config.clusterM,
          config.clusterN, config.swapOperands};
}

struct Product {
  std::string name;
  Problem problem;
  std::map<Key, double> times;
};

Problem makeRecorded(int64_t m, int64_t n, int64_t k, const std::string &orders,
                     const std::string &type) {
  Problem problem = makeProblem(m, n, k, type.c_str());
  // Matrices lie one after the other, from an aligned address.
  auto setLayout = [](Operand &operand, bool isKMajor, int64_t extent,
                      int64_t k) {
    operand.major = isKMajor ? Major::K : Major::MN;
    operand.addressAlignment = 256;
    operand.pitchAlignment = 2 * (isKMajor ? k : extent);
  };
  setLayout(problem.a, orders[0] == 'r', m, k);
  setLayout(problem.b, orders[1] == 'c', n, k);
  return problem;
}

std::vector<Product> readProducts() {
  std::ifstream file(CUTL_TILE_TIMES);
  std::string line;
  std::getline(file, line);
  std::vector<Product> products;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> f;
    for (std::string field; std::getline(fields, field, ',');)
      f.push_back(field);
    if (f.size() != 13) {
      ADD_FAILURE() << "expected 13 fields, got " << line;
      return {};
    }
    std::string name = f[0] + "x" + f[1] + "x" + f[2] + " " + f[3] + " " + f[4];
    if (products.empty() || products.back().name != name)
      products.push_back({name,
                          makeRecorded(std::stoll(f[0]), std::stoll(f[1]),
                                       std::stoll(f[2]), f[3], f[4]),
                          {}});
    Key key{std::stoll(f[5]), std::stoll(f[6]), std::stoll(f[7]),  f[8],
            std::stoll(f[9]), std::stoll(f[10]), f[11] == "1"};
    products.back().times[key] = std::stod(f[12]);
  }
  return products;
}

TEST(RecordedTimes, WhatIsPreferredIsNearTheFastest) {
  std::vector<Product> products = readProducts();
  ASSERT_GE(products.size(), 60u);
  double sum = 0, worst = 0;
  int unmeasured = 0;
  for (const Product &product : products) {
    const auto &times = product.times;
    double fastest = std::min_element(times.begin(), times.end(),
                                      [](const auto &lhs, const auto &rhs) {
                                        return lhs.second < rhs.second;
                                      })
                         ->second;
    Ranked ranked = rankConfigs(product.problem, hopper());
    ASSERT_EQ(ranked.error, "");
    auto preferred = std::find_if(
        ranked.candidates.begin(), ranked.candidates.end(),
        [&](const Candidate &c) { return times.count(getKey(c.config)); });
    ASSERT_NE(preferred, ranked.candidates.end()) << product.name;
    bool isPick = preferred == ranked.candidates.begin();
    unmeasured += !isPick;
    double loss = std::log(times.at(getKey(preferred->config)) / fastest);
    sum += loss;
    worst = std::max(worst, loss);
    if (loss > .02 || !isPick) {
      std::ostringstream os;
      os << product.name << ": " << preferred->config << " loses "
         << int(std::round(loss * 1000)) / 10.0 << "%";
      if (!isPick)
        os << "; chosen " << ranked.candidates.front().config;
      std::printf("%s\n", os.str().c_str());
    }
  }
  double mean = std::exp(sum / products.size()) - 1;
  std::printf("%zu products, %d with a pick that was not timed: mean loss "
              "%.2f%%, worst %.1f%%\n",
              products.size(), unmeasured, mean * 100,
              (std::exp(worst) - 1) * 100);
  EXPECT_LE(mean, .02);
  EXPECT_LE(worst, std::log(1.125));
}

} // namespace
