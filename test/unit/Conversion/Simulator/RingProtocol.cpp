//===- RingProtocol.cpp - A kernel's barriers and ring under test ---------===//

#include "RingProtocol.h"

#include "../TileProgram.h"
#include "Workspace.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <map>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

/// Threads of a warpgroup.
static constexpr int64_t kGroupThreads = 128;

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static std::string getMemref(StringRef map, StringRef element) {
  std::string type = "memref<";
  for (size_t i = 0; i < map.count(',') + 1; ++i)
    type += "?x";
  return type + element.str() + ">";
}

std::string Protocol::getText() const {
  std::string a = getMemref(test.a, "bf16"), b = getMemref(test.b, "bf16"),
              d = getMemref(test.d, test.resultType);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "cutl.bundle @bundle {\ngpu.module @kernels attributes {cutl.target = #cutl.target<chip = "
        "\"sm_90a\">} {\n"
     << "gpu.func @k(%a: " << a << ", %b: " << b;
  if (test.gated)
    os << ", %b1: " << b;
  os << ", %d: " << d << ") kernel {\n"
     << "cutl.gemm ins(%a : (" << test.a << "), %b : (" << test.b << ")";
  if (test.gated)
    os << ", %b1 : (" << test.b << ")";
  os << ") outs(%d : (" << test.d << ")) config(#cutl.tile_config<"
     << test.config << ">) schedule(" << test.schedule
     << ") {\n^bb0(%x: f32" << (test.gated ? ", %y: f32" : "") << "):\n"
     << "%z = arith.negf %x : f32\n"
     << (test.gated ? "%w = arith.negf %y : f32\n"
                      "%s = arith.mulf %z, %w : f32\n"
                    : "%s = arith.addf %z, %z : f32\n");
  bool isNarrow = StringRef(test.resultType) != "f32";
  if (isNarrow)
    os << "%o = arith.truncf %s : f32 to " << test.resultType << "\n";
  os << "cutl.yield " << (isNarrow ? "%o" : "%s") << " : " << test.resultType
     << "\n} : (" << a << ", " << b << (test.gated ? ", " + b : "") << ", " << d
     << ") -> ()\ngpu.return\n}\n}\n}\n";
  return text;
}

Protocol::Protocol(const Case &test, StringRef name)
    : test(test), context(makeContext()) {
  module = parseSourceString<ModuleOp>(getText(), context.get());
  if (!module)
    return;
  module->walk([&](GemmOp gemm) {
    config = gemm.getConfigAttr().toTileConfig();
    domain = gemm.getDomain();
    schedule = gemm.getScheduleAttr();
    for (OpOperand &operand : gemm->getOpOperands()) {
      maps.push_back(gemm.getMap(operand));
      elementBytes.push_back(
          getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8);
    }
  });
  lower(name);
  if (isValid())
    readLaunchInfo();
}

void Protocol::lower(StringRef name) {
  PassManager pm(context.get());
  OpPassManager &bundles = pm.nest<BundleOp>();
  bundles.nest<gpu::GPUModuleOp>().addPass(createConvertCutlToCutlTile());
  bundles.addPass(tile::createCutlApplySchedule());
  OpPassManager &kernels = bundles.nest<gpu::GPUModuleOp>();
  addStagePasses(kernels);
  if (failed(pm.run(*module)))
    return;
  module->walk([&](tile::FixupOp fixup) {
    if (fixup.getTicket())
      placeTicket(fixup, name);
  });
  PassManager conversion(context.get());
  conversion.nest<BundleOp>().nest<gpu::GPUModuleOp>().addPass(
      createConvertCutlTileToNVVM());
  if (failed(conversion.run(*module)))
    return;
  module->walk([&](LLVM::LLVMFuncOp function) {
    if (function.getName() == name)
      launch.kernel = function;
  });
}

void Protocol::placeTicket(tile::FixupOp fixup, StringRef name) {
  auto kernel = fixup->getParentOfType<gpu::GPUFuncOp>();
  StringRef total = tile::CutlTileDialect::kSharedBytesAttrName;
  int64_t bytes = kernel->getAttrOfType<IntegerAttr>(total).getInt();
  int64_t ticket = int64_t(*fixup.getTicket()) + test.ticketGap;
  fixup.setTicket(ticket);
  kernel->setAttr(
      total,
      Builder(context.get()).getI64IntegerAttr(bytes + 2 * test.ticketGap));
  if (kernel.getName() == name)
    launch.ticketAddress = kSharedBase + ticket;
}

void Protocol::readLaunchInfo() {
  auto info = launch.kernel->getAttrOfType<DictionaryAttr>(
      tile::CutlTileDialect::kLaunchInfoAttrName);
  launch.threads = cast<IntegerAttr>(info.get("block")).getInt();
  auto cluster = cast<DenseI64ArrayAttr>(info.get("cluster"));
  launch.clusterSize = cluster[0] * cluster[1] * cluster[2];
  launch.ctas = test.ctas;
  launch.addsAsUnitsArrive = schedule.addsAsUnitsArrive();
  launch.takesTurns = schedule.takesTurns();
  launch.mayRunFew = schedule.splitsK();
  launch.domainRank = domain.getRank();
  for (auto [i, entry] : llvm::enumerate(
           cast<ArrayAttr>(info.get("params")).getAsRange<DictionaryAttr>())) {
    StringRef kind = cast<StringAttr>(entry.get("kind"));
    int64_t arg = cast<IntegerAttr>(entry.get("arg")).getInt();
    launch.parameters.push_back(0);
    if (kind == "size")
      launch.parameters.back() = test.extents[maps[arg].getDimPosition(
          cast<IntegerAttr>(entry.get("dim")).getInt())];
    // What the schedule works on comes behind the operands.
    if (kind == "pointer" && arg >= int64_t(maps.size()))
      launch.parameters.back() = arg == int64_t(maps.size())
                                     ? Workspace::kPartials
                                     : Workspace::kCounters;
    if (kind != "tensor_map")
      continue;
    TensorMapInfo &map = launch.maps[i];
    for (int64_t dim : cast<DenseI64ArrayAttr>(entry.get("dims")).asArrayRef())
      map.dims.push_back(maps[arg].getDimPosition(dim));
    llvm::append_range(map.box,
                       cast<DenseI64ArrayAttr>(entry.get("box")).asArrayRef());
    map.elementBytes = elementBytes[arg];
  }
  int64_t rows = makeScheduler()->slotCount() * launch.clusterSize;
  launch.partialBytes =
      rows * config.ctaM * config.ctaN * 4 * (test.gated ? 2 : 1);
  launch.counterBytes = rows * config.ctaM / config.rowsPerWarpgroup() *
                        ::cutl::schedule::kCounterBytes;
  // CTAs draw their numbers from one more.
  if (launch.takesTurns)
    launch.counterBytes += ::cutl::schedule::kCounterBytes;
}

//===----------------------------------------------------------------------===//
// What should happen
//===----------------------------------------------------------------------===//

/// What one consumer multiplies for a unit, by the definition of the tile.
TileProducts Protocol::getTile(int64_t cta, int64_t consumer,
                               const ::cutl::schedule::WorkUnit &unit) const {
  unsigned rowDim = config.swapOperands ? domain.n() : domain.m();
  unsigned columnDim = config.swapOperands ? domain.m() : domain.n();
  int64_t rank = cta % launch.clusterSize;
  int64_t rowTile = config.swapOperands ? unit.tile.n : unit.tile.m;
  int64_t columnTile = config.swapOperands ? unit.tile.m : unit.tile.n;
  rowTile = rowTile * config.clusterM + rank % config.clusterM;
  columnTile =
      columnTile * config.clusterN + rank / config.clusterM % config.clusterN;
  SmallVector<int64_t> point(domain.getRank());
  int64_t batch = unit.tile.batch;
  for (unsigned dim = domain.getNumBatch(); dim-- > 0;) {
    point[dim] = batch % test.extents[dim];
    batch /= test.extents[dim];
  }
  int64_t firstRow = rowTile * config.ctaM;
  if (config.kernel == ::cutl::heuristics::KernelKind::Cooperative)
    firstRow += consumer * config.rowsPerWarpgroup();
  point[columnDim] = columnTile * config.ctaN;

  // CTAs that differ in nothing else divide the unit, the longer parts first.
  int64_t part = rank / (config.clusterM * config.clusterN);
  int64_t least = (unit.kEnd - unit.kBegin) / config.clusterK;
  int64_t longer = (unit.kEnd - unit.kBegin) % config.clusterK;
  int64_t steps = least + (part < longer);
  int64_t kBegin = unit.kBegin + part * least + std::min(part, longer);
  // A range of nothing is one step beyond the extent, which is zero.
  int64_t k =
      steps == 0 ? test.extents.back() + config.ctaK : kBegin * config.ctaK;
  int64_t kEnd = k + std::max<int64_t>(steps, 1) * config.ctaK;
  constexpr int64_t kInstruction = 16, kSlab = 64;
  TileProducts products;
  for (; k < kEnd; k += kInstruction)
    for (unsigned which = 0; which < (test.gated ? 2 : 1); ++which)
      for (int64_t row = 0; row < config.rowsPerWarpgroup(); row += kSlab) {
        point[rowDim] = firstRow + row;
        point[domain.k()] = k;
        auto select = [&](unsigned operand) {
          SmallVector<int64_t, 5> start(domain.getRank(), -1);
          for (unsigned i = 0; i < maps[operand].getNumResults(); ++i) {
            unsigned dim = maps[operand].getDimPosition(i);
            start[dim] = point[dim];
          }
          return start;
        };
        unsigned left = config.swapOperands ? 1 + which : 0;
        unsigned right = config.swapOperands ? 0 : 1 + which;
        products.push_back({left, right, select(left), select(right)});
      }
  return products;
}

std::unique_ptr<::cutl::schedule::TileScheduler>
Protocol::makeScheduler() const {
  auto countTiles = [&](unsigned dim, int64_t tile) {
    return (test.extents[dim] + tile - 1) / tile;
  };
  int64_t rows = config.ctaM * config.clusterM;
  int64_t columns = config.ctaN * config.clusterN;
  ::cutl::schedule::TileSpace space;
  space.tilesM = countTiles(domain.m(), config.swapOperands ? columns : rows);
  space.tilesN = countTiles(domain.n(), config.swapOperands ? rows : columns);
  for (unsigned dim = 0; dim < domain.getNumBatch(); ++dim)
    space.batches *= test.extents[dim];
  space.kIterations = countTiles(domain.k(), config.ctaK);
  ::cutl::schedule::Raster raster;
  raster.alongM = config.raster == ::cutl::heuristics::RasterOrder::M;
  raster.group = config.rasterGroup;
  return schedule.makeScheduler(space, raster,
                                launch.ctas / launch.clusterSize);
}

std::vector<TileProducts> Protocol::getExpected(int64_t cta, int64_t worker,
                                                int64_t warpgroup) const {
  auto scheduler = makeScheduler();
  std::vector<TileProducts> tiles;
  if (worker >= scheduler->gridSize())
    return tiles;
  int64_t consumer = warpgroup - 1, number = 0;
  for (int64_t unit : scheduler->unitsOf(worker)) {
    if (config.kernel != ::cutl::heuristics::KernelKind::Pingpong ||
        number % 2 == consumer)
      tiles.push_back(getTile(cta, consumer, scheduler->unit(unit)));
    ++number;
  }
  return tiles;
}

std::string Protocol::checkSums(const SimulationResult &result) const {
  std::map<Lanes, int64_t> sums;
  for (auto &[warp, vectors] : result.negated)
    for (const Lanes &lanes : vectors)
      ++sums[lanes];
  auto scheduler = makeScheduler();
  // The units of each tile, in the order of their k ranges.
  std::map<std::array<int64_t, 3>, std::vector<::cutl::schedule::WorkUnit>>
      tiles;
  for (int64_t i = 0; i < scheduler->unitCount(); ++i) {
    ::cutl::schedule::WorkUnit unit = scheduler->unit(i);
    auto &units = tiles[{unit.tile.batch, unit.tile.m, unit.tile.n}];
    units.insert(llvm::find_if(units,
                               [&](const ::cutl::schedule::WorkUnit &other) {
                                 return other.kBegin > unit.kBegin;
                               }),
                 unit);
  }
  int64_t parts = config.ctaM / config.rowsPerWarpgroup();
  int64_t accumulators = config.rowsPerWarpgroup() * config.ctaN / kGroupThreads *
                         (test.gated ? 2 : 1);
  // What CTAs finish of a tile: blocks of eight columns, each four
  // accumulators.
  int64_t tileCtas = config.clusterM * config.clusterN;
  int64_t perSlab = config.ctaN / 2, shareOfSlab = perSlab / config.clusterK;
  for (auto &[tile, units] : tiles)
    for (int64_t rank = 0; rank < launch.clusterSize; ++rank)
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t warp = 0; warp < kGroupThreads / kLanes; ++warp) {
          std::vector<TileProducts> products;
          for (const ::cutl::schedule::WorkUnit &unit : units)
            for (int64_t k = 0; k < config.clusterK; ++k)
              products.push_back(
                  getTile(rank % tileCtas + k * tileCtas, part, unit));
          for (int64_t index = 0; index < accumulators; ++index) {
            if (index % perSlab / shareOfSlab != rank / tileCtas)
              continue;
            Lanes want;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
              float sum = -0.0f;
              for (const TileProducts &product : products)
                sum += llvm::bit_cast<float>(getAccumulator(
                    product, warp, lane, index, launch.addsAsUnitsArrive));
              want[lane] = llvm::bit_cast<uint32_t>(sum);
            }
            auto found = sums.find(want);
            if (found == sums.end())
              return "the sums of a tile of " + std::to_string(units.size()) +
                     " units do not reach the epilogue in their order";
            if (--found->second == 0)
              sums.erase(found);
          }
        }
  return sums.empty() ? "" : "an epilogue runs that is no tile's";
}

static std::string print(const Product &product) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << product.left << "[";
  llvm::interleaveComma(product.leftStart, os);
  os << "] x " << product.right << "[";
  llvm::interleaveComma(product.rightStart, os);
  os << "]";
  return text;
}

/// Products of one tile in an order of their own; those of one k step may come
/// in any.
static std::vector<std::string> sortWithinSteps(const TileProducts &tile) {
  std::vector<std::string> sorted;
  size_t begin = 0;
  for (size_t i = 0; i < tile.size(); ++i) {
    if (tile[i].leftStart.back() != tile[begin].leftStart.back())
      begin = i;
    sorted.push_back(print(tile[i]));
    std::sort(sorted.begin() + begin, sorted.end());
  }
  return sorted;
}

std::string Protocol::check(const SimulationResult &result) const {
  if (!result.error.empty())
    return result.error;
  for (int64_t cta = 0; cta < launch.ctas; ++cta) {
    int64_t worker = cta / launch.clusterSize;
    if (launch.takesTurns) {
      auto ticket = result.tickets.find(cta);
      if (ticket == result.tickets.end())
        return "CTA " + std::to_string(cta) + " has drawn no number";
      worker = ticket->second;
    }
    for (int64_t warp = 0; warp < launch.threads / kLanes; ++warp) {
      auto found = result.tiles.find({cta, warp});
      std::vector<TileProducts> got, want;
      if (found != result.tiles.end())
        got = found->second;
      if (warp >= 4)
        want = getExpected(cta, worker, warp / 4);
      std::string where = "CTA " + std::to_string(cta) + ", warp " +
                          std::to_string(warp) + ": ";
      if (got.size() != want.size())
        return where + "expected " + std::to_string(want.size()) +
               " tiles, got " + std::to_string(got.size());
      for (size_t tile = 0; tile < got.size(); ++tile) {
        std::vector<std::string> have = sortWithinSteps(got[tile]);
        std::vector<std::string> need = sortWithinSteps(want[tile]);
        for (size_t i = 0; i < std::max(have.size(), need.size()); ++i) {
          std::string x = i < need.size() ? need[i] : "nothing";
          std::string y = i < have.size() ? have[i] : "nothing";
          if (x != y)
            return where + "expected product " + std::to_string(i) +
                   " of tile " + std::to_string(tile) + " to be " + x +
                   ", got " + y;
        }
      }
    }
  }
  return schedule.splitsK() || config.clusterK > 1 ? checkSums(result) : "";
}

std::string Protocol::run(uint64_t seed) const {
  return check(simulate(launch, seed));
}
