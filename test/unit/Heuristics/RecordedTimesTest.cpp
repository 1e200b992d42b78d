//===- RecordedTimesTest.cpp - the ranking against recorded times ---------===//
//
// benchmarks/data/tiles-h200.csv has the time of each of some forty
// configurations for each of some seventy products, and divided-k-h200.csv
// those of some hundred ways to divide the k of products of few tiles.
// swapped-h200.csv has, of one run, those that are predicted fastest with and
// without swapped operands. What is chosen has to be near the fastest of them.
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
/// cta tile, kernel, cluster, and whether operands are swapped; then the parts
/// of k that another kernel adds.
using Key = std::tuple<int64_t, int64_t, int64_t, std::string, int64_t, int64_t,
                       int64_t, bool, int64_t>;

Key getKey(const TileConfig &config, int64_t parts = 1) {
  return {config.ctaM,
          config.ctaN,
          config.ctaK,
          kernelKindName(config.kernel),
          config.clusterM,
          config.clusterN,
          config.clusterK,
          config.swapOperands,
          parts};
}

struct Product {
  std::string name;
  Problem problem;
  std::map<Key, double> times;
};

Problem makeRecorded(int64_t m, int64_t n, int64_t k, const std::string &orders,
                     const std::string &type) {
  Problem problem = makeProblem(m, n, k, type.c_str());
  problem.roundsSums = true;
  // Matrices lie one after the other, from an aligned address.
  auto setLayout = [](Operand &operand, bool isKMajor, int64_t extent,
                      int64_t k) {
    operand.major = isKMajor ? Major::K : Major::MN;
    operand.addressAlignment = 256;
    operand.pitchAlignment = 2 * (isKMajor ? k : extent);
  };
  setLayout(problem.a, orders[0] == 'r', m, k);
  setLayout(problem.b, orders[1] == 'c', n, k);
  problem.outputs.front().addressAlignment = 256;
  problem.outputs.front().pitchAlignment = 2 * n;
  return problem;
}

/// With `dividesK` the records of `path` have fields for the cluster's extent
/// along k and, last before the time, for parts.
std::vector<Product> readProducts(const char *path, bool dividesK) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<Product> products;
  size_t count = dividesK ? 15 : 13;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> f;
    for (std::string field; std::getline(fields, field, ',');)
      f.push_back(field);
    if (f.size() != count) {
      ADD_FAILURE() << "expected " << count << " fields, got " << line;
      return {};
    }
    auto number = [&](size_t i) { return int64_t(std::stoll(f[i])); };
    std::string name = f[0] + "x" + f[1] + "x" + f[2] + " " + f[3] + " " + f[4];
    if (products.empty() || products.back().name != name)
      products.push_back(
          {name,
           makeRecorded(number(0), number(1), number(2), f[3], f[4]),
           {}});
    Key key{number(5),
            number(6),
            number(7),
            f[8],
            number(9),
            number(10),
            dividesK ? number(11) : 1,
            f[dividesK ? 12 : 11] == "1",
            dividesK ? number(13) : 1};
    products.back().times[key] = std::stod(f.back());
  }
  return products;
}

/// How much longer than the fastest record one takes, as a logarithm.
double getLoss(const Product &product, double time) {
  double fastest = time;
  for (const auto &[key, other] : product.times)
    fastest = std::min(fastest, other);
  return std::log(time / fastest);
}

/// The products of all files. Those of the last one stand by themselves: the
/// run was at lower clocks.
std::vector<Product> readAllProducts() {
  std::vector<Product> products =
      readProducts(CUTL_TIMES "/tiles-h200.csv", /*dividesK=*/false);
  for (Product &other :
       readProducts(CUTL_TIMES "/divided-k-h200.csv", /*dividesK=*/true)) {
    auto known = std::find_if(
        products.begin(), products.end(),
        [&](const Product &product) { return product.name == other.name; });
    if (known == products.end())
      products.push_back(std::move(other));
    else
      known->times.insert(other.times.begin(), other.times.end());
  }
  for (Product &other :
       readProducts(CUTL_TIMES "/swapped-h200.csv", /*dividesK=*/true))
    products.push_back(std::move(other));
  return products;
}

TEST(RecordedTimes, WhatIsChosenIsNearTheFastest) {
  std::vector<Product> products = readAllProducts();
  ASSERT_GE(products.size(), 130u);
  double sum = 0, worst = 0;
  int timed = 0;
  for (const Product &product : products) {
    Ranked ranked = rankConfigs(product.problem, hopper());
    ASSERT_EQ(ranked.error, "");
    const Candidate &first = ranked.candidates.front();
    std::optional<Split> split =
        chooseSplit(product.problem, hopper(), first.cost.predictedUs);
    std::ostringstream os;
    os << product.name << ": ";
    if (split)
      os << split->parts << " parts, " << split->config;
    else
      os << first.config;
    auto time = product.times.find(split ? getKey(split->config, split->parts)
                                         : getKey(first.config));
    if (time == product.times.end()) {
      std::printf("%s was not timed\n", os.str().c_str());
      continue;
    }
    double loss = getLoss(product, time->second);
    ++timed;
    sum += loss;
    worst = std::max(worst, loss);
    if (loss > .02)
      std::printf("%s loses %.1f%%\n", os.str().c_str(), loss * 100);
  }
  ASSERT_GT(timed, 110);
  double mean = std::exp(sum / timed) - 1;
  std::printf("%d of %zu choices were timed: mean loss %.2f%%, worst %.1f%%\n",
              timed, products.size(), mean * 100, (std::exp(worst) - 1) * 100);
  EXPECT_LE(mean, .015);
  EXPECT_LE(worst, std::log(1.1));
}

} // namespace
