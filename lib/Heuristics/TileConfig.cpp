//===- TileConfig.cpp - how one kernel is tiled ---------------------------===//
//
// Derived quantities and printing.
//
//===----------------------------------------------------------------------===//

#include "cutl/Heuristics/TileConfig.h"

#include "Arithmetic.h"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <tuple>

using namespace cutl::heuristics;

const char *cutl::heuristics::kernelKindName(KernelKind kind) {
  switch (kind) {
  case KernelKind::Cooperative:
    return "cooperative";
  case KernelKind::Pingpong:
    return "pingpong";
  case KernelKind::Single:
    return "single";
  }
  return "unknown";
}

const char *cutl::heuristics::rasterOrderName(RasterOrder order) {
  return order == RasterOrder::M ? "m" : "n";
}

static auto fields(const TileConfig &config) {
  return std::make_tuple(config.ctaM, config.ctaN, config.ctaK, config.stages,
                         config.kernel, config.clusterM, config.clusterN,
                         config.clusterK, config.raster, config.rasterGroup,
                         config.epilogueBuffers, config.swapOperands,
                         config.repackA, config.repackB);
}

bool TileConfig::operator==(const TileConfig &other) const {
  return fields(*this) == fields(other);
}

int64_t TileConfig::consumerWarpgroups() const {
  switch (kernel) {
  case KernelKind::Cooperative:
    return ctaM == 192 ? 3 : 2;
  case KernelKind::Pingpong:
    return 2;
  case KernelKind::Single:
    return 1;
  }
  return 1;
}

int64_t TileConfig::rowsPerWarpgroup() const {
  return kernel == KernelKind::Cooperative ? ctaM / consumerWarpgroups() : ctaM;
}

Problem TileConfig::afterRepack(const Problem &problem) const {
  Problem repacked = problem;
  auto repack = [](Operand &operand) {
    operand.major = Major::K;
    operand.addressAlignment = operand.pitchAlignment = kRepackedAlignment;
  };
  if (repackA)
    repack(repacked.a);
  if (repackB)
    repack(repacked.b);
  return repacked;
}

int64_t TileConfig::sharedMemoryBytes(const Problem &problem) const {
  // With swapped operands the several B are what ctaM tiles. Rows that are
  // contiguous come in whole boxes of 128 bytes.
  auto inBoxes = [&](int64_t rows, const Operand &operand, bool repacked) {
    int64_t box = problem.swizzleAtomK();
    bool isMN = operand.major == Major::MN && !repacked;
    return isMN ? product({ceilDiv(rows, box), box}) : rows;
  };
  int64_t aRows = inBoxes(swapOperands ? ctaN : ctaM, problem.a, repackA);
  int64_t bRows =
      product({inBoxes(swapOperands ? ctaM : ctaN, problem.b, repackB),
               problem.accumulators});
  int64_t rowBytes = product({ctaK, problem.operandBits()}) / 8;
  int64_t rings = product({stages, sum({aRows, bRows}), rowBytes});

  int64_t outputBits = 0;
  for (const Output &output : problem.outputs)
    if (output.type)
      outputBits = std::max<int64_t>(outputBits, output.type->storageBits);
  int64_t bufferRowBytes =
      std::min<int64_t>(128, product({shareN(), outputBits}) / 8);
  // Each buffer starts where a swizzled box may.
  int64_t bufferBytes = product(
      {ceilDiv(product({rowsPerWarpgroup(), bufferRowBytes}), 1024), 1024});
  int64_t staging =
      product({epilogueBuffers, consumerWarpgroups(), bufferBytes});

  // A full and an empty barrier of eight bytes per stage, and one for each part
  // of what may be loaded into a consumer's buffers: as many as the tile has
  // lines of 64 bytes.
  int64_t parts = problem.epilogue.auxBytesPerElement > 0
                      ? ceilDiv(product({shareN(), outputBits}) / 8, 64)
                      : 0;
  // Where CTAs of a cluster add up: one for each consumer, one for the
  // producer.
  int64_t meetings = clusterK > 1 ? consumerWarpgroups() + 1 : 0;
  return sum({rings, staging, product({stages, 16}),
              product({parts, consumerWarpgroups(), 8}),
              product({meetings, 8})});
}

int64_t TileConfig::accumulatorRegisters(const Problem &problem) const {
  int64_t bits = problem.accumulator ? problem.accumulator->storageBits : 32;
  // Narrow sums share registers only until the epilogue takes them apart.
  bits = std::max<int64_t>(bits, 32);
  int64_t perSet = product({rowsPerWarpgroup(), ctaN, bits}) / 32 / 128;
  // Promoted sums leave one set for another.
  int64_t sets = problem.promote
                     ? product({problem.accumulators, 2})
                     : sum({problem.accumulators, problem.blockScaled ? 1 : 0});
  return product({perSet, sets});
}

std::string TileConfig::str() const {
  std::ostringstream os;
  os << *this;
  return os.str();
}

std::ostream &cutl::heuristics::operator<<(std::ostream &os,
                                           const TileConfig &config) {
  os << config.ctaM << 'x' << config.ctaN << 'x' << config.ctaK << ' '
     << kernelKindName(config.kernel) << ", " << config.stages << " stages";
  if (config.clusterSize() != 1)
    os << ", cluster " << config.clusterM << 'x' << config.clusterN;
  if (config.clusterK != 1)
    os << 'x' << config.clusterK;
  if (config.rasterGroup != 8 || config.raster != RasterOrder::M)
    os << ", raster " << config.rasterGroup << " along "
       << rasterOrderName(config.raster);
  if (config.epilogueBuffers != 1)
    os << ", " << config.epilogueBuffers << " epilogue buffers";
  if (config.swapOperands)
    os << ", swapped";
  if (config.repackA || config.repackB)
    os << ", repacked " << (config.repackA ? "a" : "")
       << (config.repackA && config.repackB ? " and " : "")
       << (config.repackB ? "b" : "");
  return os;
}
