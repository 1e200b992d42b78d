//===- Variants.cpp - configurations for extents known at run time --------===//
//
// The ranking is asked at a few extents. Of what comes first somewhere, those
// few are kept that together lose least over many extents, and a tree of
// comparisons tells which extents each of them serves.
//
//===----------------------------------------------------------------------===//

#include "cutl/Heuristics/Variants.h"

#include "cutl/Heuristics/Heuristics.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

using namespace cutl::heuristics;
using namespace cutl::targetinfo;

/// A tree is grown to so many leaves and pruned, since what a comparison gains
/// may only show with the next.
static constexpr size_t kMaxLeaves = 64;
/// What a further guard has to gain, in the mean of squared losses.
static constexpr double kWorthwhile = 2e-4;
/// How often the ranking may be asked, and times be predicted.
static constexpr size_t kMaxRankings = 256;
static constexpr size_t kMaxSamples = 4096;
/// Larger extents are served as this one.
static constexpr int64_t kLargest = 16384;

const char *cutl::heuristics::termName(Term term) {
  switch (term) {
  case Term::M:
    return "m";
  case Term::N:
    return "n";
  case Term::K:
    return "k";
  case Term::Batch:
    return "batch";
  case Term::Results:
    return "results";
  }
  return "unknown";
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

int64_t cutl::heuristics::getTerm(Term term, const Extents &extents) {
  if (term == Term::Results)
    return product({extents[size_t(Term::M)], extents[size_t(Term::N)],
                    extents[size_t(Term::Batch)]});
  return extents[size_t(term)];
}

bool Variant::accepts(const Extents &extents) const {
  return std::all_of(guard.begin(), guard.end(), [&](const Bound &bound) {
    return getTerm(bound.term, extents) <= bound.most;
  });
}

std::string Variant::guardText() const {
  std::ostringstream os;
  for (const Bound &bound : guard)
    os << (&bound == &guard.front() ? "" : " and ") << termName(bound.term)
       << " <= " << bound.most;
  return os.str();
}

std::ostream &cutl::heuristics::operator<<(std::ostream &os,
                                           const Variant &variant) {
  os << variant.config;
  return variant.guard.empty() ? os : os << " if " << variant.guardText();
}

const Variant &Variants::pick(const Extents &extents) const {
  return *std::find_if(
      variants.begin(), variants.end() - 1,
      [&](const Variant &variant) { return variant.accepts(extents); });
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

static int64_t Problem::*const kFields[kNumExtents] = {
    &Problem::m, &Problem::n, &Problem::k, &Problem::batch};

Problem cutl::heuristics::withExtents(const Problem &problem,
                                      const Extents &extents) {
  Problem result = problem;
  for (size_t i = 0; i < kNumExtents; ++i)
    if (problem.*kFields[i] < 0)
      result.*kFields[i] = extents[i];
  return result;
}

namespace {

/// Extents that stand for those up to the next lower ones.
struct Sample {
  Extents extents;
  /// The logarithm of how far apart those are: a call with some tens of rows is
  /// as likely as one with some thousands.
  double weight;
};

} // namespace

/// About `count` values of one extent, as far apart as they are large. Those of
/// m and n end tiles: one more row would be one more tile.
static std::vector<int64_t> sampleExtent(size_t extent, size_t count) {
  int64_t least = extent == size_t(Term::Batch) ? 1 : 8;
  double step = std::pow(double(kLargest) / least, 1.0 / (count - 1));
  std::vector<int64_t> values;
  double value = least;
  for (size_t i = 0; i < count; ++i, value *= step) {
    int64_t unit = extent == size_t(Term::Batch) ? 1
                   : value < 128                 ? 8
                   : value < 4096                ? 64
                                                 : 128;
    int64_t rounded = std::lround(value / unit) * unit;
    if (values.empty() || rounded > values.back())
      values.push_back(rounded);
  }
  return values;
}

/// A grid over the dynamic extents, of at most about `count` points.
static std::vector<Sample> sampleExtents(const Problem &problem, size_t count) {
  size_t numDynamic = 0;
  for (auto field : kFields)
    numDynamic += problem.*field < 0;
  size_t each =
      std::max<size_t>(std::floor(std::pow(count, 1.0 / numDynamic)), 2);
  std::vector<Sample> samples = {
      {{problem.m, problem.n, problem.k, problem.batch}, 1}};
  for (size_t i = 0; i < kNumExtents; ++i) {
    if (problem.*kFields[i] >= 0)
      continue;
    std::vector<Sample> further;
    for (Sample sample : samples) {
      double weight = sample.weight, last = .5;
      for (int64_t value : sampleExtent(i, each)) {
        sample.extents[i] = value;
        sample.weight = weight * std::log(value / last);
        further.push_back(sample);
        last = double(value);
      }
    }
    samples = std::move(further);
  }
  return samples;
}

namespace {

/// Predicted times of configurations over sampled extents.
struct Table {
  /// What differs between samples.
  std::vector<Term> terms;
  std::vector<Sample> samples;
  std::vector<TileConfig> configs;
  /// Of a configuration and a sample: the square of what is lost against the
  /// fastest of all configurations, since a great loss is worse than many small
  /// ones, times the sample's weight.
  std::vector<std::vector<double>> losses;
};

} // namespace

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

/// What is lost in all samples where each is served by its fastest of `chosen`.
static double getLoss(const Table &table, const std::vector<size_t> &chosen) {
  double total = 0;
  for (size_t sample = 0; sample < table.samples.size(); ++sample) {
    double least = std::numeric_limits<double>::max();
    for (size_t config : chosen)
      least = std::min(least, table.losses[config][sample]);
    total += least;
  }
  return total;
}

/// Keeps the `count` configurations that lose least together: one after the
/// other, and then whichever is better in the place of one.
static void reduceConfigs(Table &table, size_t count) {
  std::vector<size_t> chosen;
  double best = std::numeric_limits<double>::max();
  auto improve = [&](size_t place) {
    size_t former = chosen[place];
    size_t kept = former;
    for (size_t config = 0; config < table.configs.size(); ++config) {
      chosen[place] = config;
      double loss = getLoss(table, chosen);
      if (loss < best) {
        best = loss;
        kept = config;
      }
    }
    chosen[place] = kept;
    return kept != former;
  };
  count = std::min(count, table.configs.size());
  while (chosen.size() < count) {
    chosen.push_back(chosen.empty() ? 0 : chosen.front());
    if (!improve(chosen.size() - 1) && chosen.size() > 1) {
      chosen.pop_back();
      break;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t place = 0; place < chosen.size(); ++place)
      changed |= improve(place);
  }
  std::vector<TileConfig> configs;
  std::vector<std::vector<double>> losses;
  for (size_t config : chosen) {
    configs.push_back(table.configs[config]);
    losses.push_back(std::move(table.losses[config]));
  }
  table.configs = std::move(configs);
  table.losses = std::move(losses);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

namespace {

/// A tree of comparisons over the samples, kept as the list of its leaves.
/// Those that meet a comparison come first: what comes after a leaf does not
/// meet its guard, so that no guard has to say what an extent exceeds.
class Tree {
public:
  explicit Tree(const Table &table) : table(table) {
    Leaf root;
    for (size_t i = 0; i < table.samples.size(); ++i)
      root.samples.push_back(i);
    settle(root);
    leaves.push_back(std::move(root));
  }

  void grow(size_t count);
  void prune(size_t count);
  std::vector<Variant> getVariants() const;

private:
  struct Leaf {
    std::vector<size_t> samples;
    /// What all of them meet.
    std::vector<Bound> guard;
    size_t config = 0;
    double loss = 0;
    /// The comparison that gains most, if one gains anything.
    Bound split;
    double gain = -1;

    bool accepts(const Extents &extents) const {
      return Variant{guard, {}}.accepts(extents);
    }
  };

  std::vector<double> sumLosses(const std::vector<size_t> &samples) const;
  void chooseConfig(Leaf &leaf) const;
  void settle(Leaf &leaf) const;
  void findSplit(Leaf &leaf, Term term) const;
  void split(size_t index);
  std::vector<Leaf> without(size_t index) const;
  double getLoss(const std::vector<Leaf> &some) const;

  const Table &table;
  std::vector<Leaf> leaves;
};

} // namespace

/// For each configuration, over `samples`.
std::vector<double> Tree::sumLosses(const std::vector<size_t> &samples) const {
  std::vector<double> sums(table.configs.size());
  for (size_t config = 0; config < sums.size(); ++config)
    for (size_t sample : samples)
      sums[config] += table.losses[config][sample];
  return sums;
}

void Tree::chooseConfig(Leaf &leaf) const {
  std::vector<double> sums = sumLosses(leaf.samples);
  auto least = std::min_element(sums.begin(), sums.end());
  leaf.config = least - sums.begin();
  leaf.loss = *least;
}

/// Finds the configuration of the leaf, and how to split it.
void Tree::settle(Leaf &leaf) const {
  chooseConfig(leaf);
  leaf.gain = -1;
  if (leaf.loss > 0)
    for (Term term : table.terms)
      findSplit(leaf, term);
}

void Tree::findSplit(Leaf &leaf, Term term) const {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t sample : leaf.samples)
    order.emplace_back(getTerm(term, table.samples[sample].extents), sample);
  std::sort(order.begin(), order.end());
  std::vector<double> below(table.configs.size());
  std::vector<double> above = sumLosses(leaf.samples);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    auto [value, sample] = order[i];
    for (size_t config = 0; config < below.size(); ++config) {
      below[config] += table.losses[config][sample];
      above[config] -= table.losses[config][sample];
    }
    if (value == order[i + 1].first)
      continue;
    double gain = leaf.loss - *std::min_element(below.begin(), below.end()) -
                  *std::min_element(above.begin(), above.end());
    if (gain > leaf.gain) {
      leaf.gain = gain;
      leaf.split = {term, value};
    }
  }
}

void Tree::split(size_t index) {
  Leaf below = leaves[index], above = leaves[index];
  Bound bound = below.split;
  below.samples.clear();
  above.samples.clear();
  for (size_t sample : leaves[index].samples) {
    int64_t value = getTerm(bound.term, table.samples[sample].extents);
    (value <= bound.most ? below : above).samples.push_back(sample);
  }
  // The lower bound takes the place of a higher one.
  auto same = std::find_if(
      below.guard.begin(), below.guard.end(),
      [&](const Bound &other) { return other.term == bound.term; });
  if (same != below.guard.end())
    *same = bound;
  else
    below.guard.push_back(bound);
  settle(below);
  settle(above);
  leaves[index] = std::move(above);
  leaves.insert(leaves.begin() + index, std::move(below));
}

/// Splits where that gains most, until there are `count` leaves.
void Tree::grow(size_t count) {
  while (leaves.size() < count) {
    auto found = std::max_element(
        leaves.begin(), leaves.end(),
        [](const Leaf &lhs, const Leaf &rhs) { return lhs.gain < rhs.gain; });
    if (found->gain < 0)
      return;
    split(found - leaves.begin());
  }
}

/// The leaves but one, whose samples go to those after it that accept them.
std::vector<Tree::Leaf> Tree::without(size_t index) const {
  std::vector<Leaf> rest = leaves;
  rest.erase(rest.begin() + index);
  std::vector<bool> changed(rest.size());
  for (size_t sample : leaves[index].samples) {
    size_t next = index;
    while (!rest[next].accepts(table.samples[sample].extents))
      ++next;
    rest[next].samples.push_back(sample);
    changed[next] = true;
  }
  for (size_t i = index; i < rest.size(); ++i)
    if (changed[i])
      chooseConfig(rest[i]);
  return rest;
}

double Tree::getLoss(const std::vector<Leaf> &some) const {
  double total = 0;
  for (const Leaf &leaf : some)
    total += leaf.loss;
  return total;
}

/// Leaves out what is missed least, until `count` leaves are left and the next
/// would be missed.
void Tree::prune(size_t count) {
  double worthwhile = 0;
  for (const Sample &sample : table.samples)
    worthwhile += kWorthwhile * sample.weight;
  while (leaves.size() > 1) {
    std::vector<Leaf> best;
    double least = 0;
    // The last accepts all.
    for (size_t i = 0; i + 1 < leaves.size(); ++i) {
      std::vector<Leaf> rest = without(i);
      double loss = getLoss(rest);
      if (best.empty() || loss < least) {
        best = std::move(rest);
        least = loss;
      }
    }
    if (leaves.size() <= count && least > getLoss(leaves) + worthwhile)
      return;
    leaves = std::move(best);
  }
}

std::vector<Variant> Tree::getVariants() const {
  std::vector<Variant> variants;
  for (const Leaf &leaf : leaves)
    variants.push_back({leaf.guard, table.configs[leaf.config]});
  return variants;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// What a guard may compare: dynamic extents, and the number of results where
/// several make it up.
static std::vector<Term> getTerms(const Problem &problem) {
  std::vector<Term> terms;
  size_t factors = 0;
  for (size_t i = 0; i < kNumExtents; ++i)
    if (problem.*kFields[i] < 0) {
      terms.push_back(Term(i));
      factors += Term(i) != Term::K;
    }
  if (factors > 1)
    terms.push_back(Term::Results);
  return terms;
}

/// What comes first somewhere, if it can run for all extents.
static std::vector<TileConfig> findConfigs(const Problem &problem,
                                           const Target &target) {
  std::vector<TileConfig> configs;
  for (const Sample &sample : sampleExtents(problem, kMaxRankings)) {
    Ranked ranked = rankConfigs(withExtents(problem, sample.extents), target);
    if (ranked.candidates.empty())
      continue;
    TileConfig config = ranked.candidates.front().config;
    // What divides k is many times slower where k is short, and no few guards
    // tell all of those extents apart.
    if (problem.k < 0 && config.clusterK > 1)
      continue;
    if (std::find(configs.begin(), configs.end(), config) == configs.end() &&
        !checkConfig(problem, config, target))
      configs.push_back(config);
  }
  return configs;
}

Variants cutl::heuristics::chooseVariants(const Problem &problem,
                                          const Target &target,
                                          int64_t maxConfigs,
                                          int64_t maxVariants) {
  Ranked ranked = rankConfigs(problem, target);
  if (ranked.candidates.empty())
    return {{}, ranked.error};
  Variants single = {{{{}, ranked.candidates.front().config}}, ""};
  bool isDynamic =
      std::any_of(std::begin(kFields), std::end(kFields),
                  [&](int64_t Problem::*field) { return problem.*field < 0; });
  // Columns that are reduced over n are summed tile by tile.
  if (!isDynamic || maxConfigs <= 1 || maxVariants <= 1 ||
      (problem.batchInvariant && problem.reductions > 0))
    return single;

  Table table;
  table.configs = findConfigs(problem, target);
  if (table.configs.empty())
    return single;
  table.terms = getTerms(problem);
  table.samples = sampleExtents(problem, kMaxSamples);
  table.losses.assign(table.configs.size(), {});
  for (const Sample &sample : table.samples) {
    Problem sampled = withExtents(problem, sample.extents);
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i < table.configs.size(); ++i) {
      double us = estimateCost(sampled, table.configs[i], target).predictedUs;
      table.losses[i].push_back(us);
      least = std::min(least, us);
    }
    for (std::vector<double> &losses : table.losses)
      losses.back() = std::pow(losses.back() / least - 1, 2) * sample.weight;
  }
  reduceConfigs(table, maxConfigs);
  Tree tree(table);
  tree.grow(kMaxLeaves);
  tree.prune(maxVariants);
  return {tree.getVariants(), ""};
}
