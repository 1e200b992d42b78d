//===- MainloopRates.cpp - how fast operands are loaded and used ----------===//
//
// Constants fitted to kernels of bf16 operands timed on an H200; the recorded
// times are in benchmarks/data.
//
//===----------------------------------------------------------------------===//

#include "MainloopRates.h"

#include "Arithmetic.h"

#include <iterator>
#include <numeric>

using namespace cutl::heuristics;

namespace {

/// Microseconds for an atom of k at the clock under load.
struct AtomTime {
  int64_t n;
  double us;
};

// Narrow tiles are bound by latencies; up to 64x64 a stage holds two atoms. From
// 128x128 on every tile runs at one power-limited rate, so that the time follows
// the area. 256 rows beyond 128 columns have room for three stages only.
constexpr AtomTime k64Rows[] = {
    {8, .062},   {16, .078},  {24, .098}, {32, .107},  {48, .137},
    {64, .161},  {80, .189},  {96, .192}, {112, .196}, {128, .202},
    {168, .266}, {192, .289}, {256, .393}};
constexpr AtomTime k128Rows[] = {
    {64, .237},  {80, .242},  {96, .272},  {112, .321}, {128, .35},
    {144, .401}, {160, .432}, {176, .472}, {208, .54}, {256, .67}};
constexpr AtomTime k192Rows[] = {
    {64, .373}, {96, .439}, {128, .548}, {192, .813}};
constexpr AtomTime k256Rows[] = {
    {64, .495}, {96, .552}, {128, .707}, {136, .81}, {160, .947}};

/// Interpolates in `table`; outside it the time follows the area.
template <size_t size>
double interpolate(const AtomTime (&table)[size], double n) {
  if (n <= table[0].n)
    return table[0].us;
  for (size_t i = 1; i < size; ++i) {
    const AtomTime &low = table[i - 1];
    const AtomTime &high = table[i];
    if (n <= high.n)
      return low.us + (high.us - low.us) * (n - low.n) / (high.n - low.n);
  }
  return table[size - 1].us * n / table[size - 1].n;
}

/// What a row of 128 bytes costs whose address `alignment` divides: a row that
/// straddles cache lines costs the copy engine and the cache more.
struct RowCost {
  double us, lines;
};

RowCost getRowCost(int64_t alignment) {
  if (alignment == 0 || alignment % 128 == 0)
    return {.7e-3, 1};
  if (alignment % 64 == 0)
    return {1.2e-3, 2.3};
  if (alignment % 32 == 0)
    return {1.14e-3, 2.1};
  return {1.6e-3, 2.81};
}

} // namespace

double cutl::heuristics::getTensorUs(int64_t rows, double columns) {
  if (rows <= 64)
    return interpolate(k64Rows, columns);
  if (rows <= 128)
    return interpolate(k128Rows, columns);
  if (rows <= 192)
    return interpolate(k192Rows, columns);
  return interpolate(k256Rows, columns);
}

LoadCost cutl::heuristics::getLoadCost(const Problem &problem,
                                       const Operand &operand, int64_t extent) {
  int64_t alignment = operand.rowAlignment();
  double rows = extent;
  if (operand.major == Major::MN) {
    // Rows along the extent come in whole boxes, and each tile of them starts at
    // a multiple of their bytes.
    int64_t box = problem.swizzleAtomK();
    rows = double(ceilDiv(extent, box) * box);
    int64_t bytes = extent * problem.operandBits() / 8;
    alignment = std::gcd(alignment == 0 ? 128 : alignment, bytes);
  }
  RowCost cost = getRowCost(alignment);
  return {rows * cost.us, rows * 128 * cost.lines};
}
