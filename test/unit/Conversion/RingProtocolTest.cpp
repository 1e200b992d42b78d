//===- RingProtocolTest.cpp - Barriers and ring of emitted kernels --------===//
//
// Kernels are lowered to NVVM and their protocol is run under many orders of
// warps and copies: nothing blocks for ever, each warp multiplies the tiles and
// k steps that are its, in order, and no stage is overwritten while it is read.
// Protocols with one mistake are told from those without.
//
//===----------------------------------------------------------------------===//

#include "Simulator/KernelSimulator.h"
#include "TileProgram.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Schedule/TileScheduler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;
using ::cutl::heuristics::TileConfig;

namespace {

struct Case {
  const char *name;
  const char *config;
  /// Extents `(b…, m, n, k)`, and CTAs that share the units.
  std::vector<int64_t> extents;
  int64_t ctas = 1;
  /// Maps of the operands.
  const char *a = "m, k", *b = "n, k", *d = "m, n";
  const char *resultType = "f16";
  /// Two B, with two accumulators.
  bool gated = false;
};

void PrintTo(const Case &test, std::ostream *os) { *os << test.config; }

/// A lowered kernel, with what it was lowered from.
class Protocol {
public:
  /// `name` is the kernel or its alternative, which stores by elements.
  explicit Protocol(const Case &test, StringRef name = "k");

  /// Under one seed, what is wrong, or nothing.
  std::string run(uint64_t seed) const;
  LLVM::LLVMFuncOp getKernel() const { return launch.kernel; }
  bool isValid() const { return bool(launch.kernel); }

private:
  std::string getText() const;
  void lower(StringRef name);
  void readLaunchInfo();
  std::string check(const SimulationResult &result) const;
  std::vector<TileProducts> getExpected(int64_t cta, int64_t warpgroup) const;
  TileProducts getTile(int64_t cta, int64_t consumer,
                       const ::cutl::schedule::WorkUnit &unit) const;

  const Case &test;
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  TileConfig config;
  /// Of each argument of the kernel.
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> elementBytes;
  GemmDomain domain = GemmDomain(0);
  LaunchInfo launch;
};

} // namespace

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
  os << "gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "
        "\"sm_90a\">} {\n"
     << "gpu.func @k(%a: " << a << ", %b: " << b;
  if (test.gated)
    os << ", %b1: " << b;
  os << ", %d: " << d << ") kernel {\n"
     << "cutl.gemm ins(%a : (" << test.a << "), %b : (" << test.b << ")";
  if (test.gated)
    os << ", %b1 : (" << test.b << ")";
  os << ") outs(%d : (" << test.d << ")) config(#cutl.tile_config<"
     << test.config << ">) schedule(#cutl.data_parallel) {\n^bb0(%x: f32"
     << (test.gated ? ", %y: f32" : "") << "):\n"
     << (test.gated ? "%s = arith.mulf %x, %y : f32\n"
                    : "%s = arith.addf %x, %x : f32\n");
  bool isNarrow = StringRef(test.resultType) != "f32";
  if (isNarrow)
    os << "%o = arith.truncf %s : f32 to " << test.resultType << "\n";
  os << "cutl.yield " << (isNarrow ? "%o" : "%s") << " : " << test.resultType
     << "\n} : (" << a << ", " << b << (test.gated ? ", " + b : "") << ", " << d
     << ") -> ()\ngpu.return\n}\n}\n";
  return text;
}

Protocol::Protocol(const Case &test, StringRef name) : test(test) {
  module = parseSourceString<ModuleOp>(getText(), context.get());
  if (!module)
    return;
  module->walk([&](GemmOp gemm) {
    config = gemm.getConfigAttr().toTileConfig();
    domain = gemm.getDomain();
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
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertCutlToCutlTile());
  kernels.addPass(tile::createCutlTileSelectStore());
  kernels.addPass(tile::createCutlTilePipeline());
  kernels.addPass(tile::createCutlTileSpecializeWarps());
  kernels.addPass(tile::createCutlTileAllocateSmem());
  kernels.addPass(createConvertCutlTileToNVVM());
  if (failed(pm.run(*module)))
    return;
  module->walk([&](LLVM::LLVMFuncOp function) {
    if (function.getName() == name)
      launch.kernel = function;
  });
}

void Protocol::readLaunchInfo() {
  auto info = launch.kernel->getAttrOfType<DictionaryAttr>(
      tile::CutlTileDialect::kLaunchInfoAttrName);
  launch.threads = cast<IntegerAttr>(info.get("block")).getInt();
  auto cluster = cast<DenseI64ArrayAttr>(info.get("cluster"));
  launch.clusterSize = cluster[0] * cluster[1];
  launch.ctas = test.ctas;
  launch.domainRank = domain.getRank();
  for (auto [i, entry] : llvm::enumerate(
           cast<ArrayAttr>(info.get("params")).getAsRange<DictionaryAttr>())) {
    StringRef kind = cast<StringAttr>(entry.get("kind"));
    int64_t arg = cast<IntegerAttr>(entry.get("arg")).getInt();
    launch.parameters.push_back(0);
    if (kind == "size")
      launch.parameters.back() = test.extents[maps[arg].getDimPosition(
          cast<IntegerAttr>(entry.get("dim")).getInt())];
    if (kind != "tensor_map")
      continue;
    TensorMapInfo &map = launch.maps[i];
    for (int64_t dim : cast<DenseI64ArrayAttr>(entry.get("dims")).asArrayRef())
      map.dims.push_back(maps[arg].getDimPosition(dim));
    llvm::append_range(map.box,
                       cast<DenseI64ArrayAttr>(entry.get("box")).asArrayRef());
    map.elementBytes = elementBytes[arg];
  }
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
  columnTile = columnTile * config.clusterN + rank / config.clusterM;
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

  // A range of nothing is one step beyond the extent, which is zero.
  int64_t steps = unit.kEnd - unit.kBegin;
  int64_t k = steps == 0 ? test.extents.back() + config.ctaK
                         : unit.kBegin * config.ctaK;
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

std::vector<TileProducts> Protocol::getExpected(int64_t cta,
                                                int64_t warpgroup) const {
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
  int64_t workers = launch.ctas / launch.clusterSize;
  auto scheduler = ::cutl::schedule::makeDataParallel(space, raster, workers);
  std::vector<TileProducts> tiles;
  int64_t consumer = warpgroup - 1, number = 0;
  for (int64_t unit = cta / launch.clusterSize; unit < scheduler->unitCount();
       unit += workers, ++number)
    if (config.kernel != ::cutl::heuristics::KernelKind::Pingpong ||
        number % 2 == consumer)
      tiles.push_back(getTile(cta, consumer, scheduler->unit(unit)));
  return tiles;
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
  for (int64_t cta = 0; cta < launch.ctas; ++cta)
    for (int64_t warp = 0; warp < launch.threads / kLanes; ++warp) {
      auto found = result.tiles.find({cta, warp});
      std::vector<TileProducts> got, want;
      if (found != result.tiles.end())
        got = found->second;
      if (warp >= 4)
        want = getExpected(cta, warp / 4);
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
  return "";
}

std::string Protocol::run(uint64_t seed) const {
  return check(simulate(launch, seed));
}

//===----------------------------------------------------------------------===//
// Kernels as they are emitted
//===----------------------------------------------------------------------===//

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

INSTANTIATE_TEST_SUITE_P(Kernels, RingProtocol, testing::ValuesIn(getCases()),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Kernels with a mistake
//===----------------------------------------------------------------------===//

/// Whether an op belongs to the producer.
static bool isOfProducer(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    bool loads = false;
    parent->walk([&](NVVM::MBarrierArriveExpectTxOp) { loads = true; });
    bool multiplies = false;
    parent->walk([&](NVVM::WgmmaMmaAsyncOp) { multiplies = true; });
    if (multiplies)
      return false;
    if (loads)
      return true;
  }
  return false;
}

static std::optional<int64_t> getConstant(Value value) {
  auto constant = value ? value.getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!constant)
    return std::nullopt;
  return cast<IntegerAttr>(constant.getValue()).getInt();
}

template <typename Op>
static std::vector<Op> collect(LLVM::LLVMFuncOp kernel,
                               llvm::function_ref<bool(Op)> filter) {
  std::vector<Op> ops;
  kernel.walk([&](Op op) {
    if (filter(op))
      ops.push_back(op);
  });
  return ops;
}

template <typename Op>
static size_t eraseAll(LLVM::LLVMFuncOp kernel,
                       llvm::function_ref<bool(Op)> filter) {
  std::vector<Op> ops = collect<Op>(kernel, filter);
  for (Op op : ops)
    op.erase();
  return ops.size();
}

static bool isWait(LLVM::InlineAsmOp op) {
  return op.getAsmString().contains("try_wait");
}

/// Keeps the parity where the ring wraps around.
static size_t dropParityFlip(LLVM::LLVMFuncOp kernel, bool ofProducer) {
  auto flips = collect<arith::SelectOp>(kernel, [&](arith::SelectOp op) {
    auto flip = op.getTrueValue().getDefiningOp<arith::XOrIOp>();
    return flip && flip.getLhs() == op.getFalseValue() &&
           isOfProducer(op) == ofProducer;
  });
  for (arith::SelectOp op : flips)
    op.replaceAllUsesWith(op.getFalseValue());
  return flips.size();
}

/// Changes how many arrivals release a stage.
static size_t changeReleaseCount(LLVM::LLVMFuncOp kernel, int64_t by) {
  auto all = collect<NVVM::MBarrierInitOp>(
      kernel, [](NVVM::MBarrierInitOp) { return true; });
  // Full barriers come first, as many as empty ones.
  for (size_t i = all.size() / 2; i < all.size(); ++i) {
    OpBuilder builder(all[i]);
    int64_t count = *getConstant(all[i].getCount());
    all[i].getCountMutable().assign(arith::ConstantOp::create(
        builder, all[i].getLoc(), builder.getI32IntegerAttr(count + by)));
  }
  return all.size() / 2;
}

namespace {

struct Mistake {
  const char *name;
  Case test;
  /// Makes the mistake and returns at how many places.
  size_t (*make)(LLVM::LLVMFuncOp kernel);
};

void PrintTo(const Mistake &mistake, std::ostream *os) {
  *os << mistake.test.config;
}

class RingMistake : public testing::TestWithParam<Mistake> {};

} // namespace

TEST_P(RingMistake, IsNoticed) {
  Protocol protocol(GetParam().test);
  ASSERT_TRUE(protocol.isValid());
  constexpr uint64_t kSeeds = 20;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    ASSERT_EQ(protocol.run(seed), "");
  ASSERT_NE(GetParam().make(protocol.getKernel()), 0u);
  uint64_t noticed = 0;
  std::string first;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string said = protocol.run(seed);
    noticed += !said.empty();
    if (first.empty())
      first = said;
  }
  EXPECT_GT(noticed, 0u) << "the mistake was not noticed";
  RecordProperty("noticed", int(noticed));
  RecordProperty("said", first);
}

static std::vector<Mistake> getMistakes() {
  Case single = {"",
                 "cta = [64, 64, 64], stages = 3, kernel = single",
                 {130, 130, 400},
                 1};
  Case cooperative = {"",
                      "cta = [128, 64, 64], stages = 3, kernel = cooperative",
                      {300, 130, 400},
                      1};
  Case pingpong = {"",
                   "cta = [64, 64, 64], stages = 2, kernel = pingpong",
                   {200, 130, 256},
                   1};
  Case cluster = {
      "",
      "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1]",
      {300, 200, 300},
      2};
  return {
      {"NoPingpongOrder", pingpong,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::BarrierOp>(
                    kernel,
                    [](NVVM::BarrierOp op) {
                      return getConstant(op.getNumberOfThreads()) == 256;
                    }) +
                eraseAll<NVVM::BarrierArriveOp>(
                    kernel, [](NVVM::BarrierArriveOp) { return true; });
       }},
      {"PingpongOrderNotPrimed", pingpong,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::BarrierArriveOp>(
             kernel, [](NVVM::BarrierArriveOp op) {
               return getConstant(op.getBarrierId()).has_value();
             });
       }},
      {"ReleasedByOneOfTwo", cooperative,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, -1); }},
      {"ReleasedByThreeOfTwo", cooperative,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, 1); }},
      {"ReleasedByTwoOfOne", pingpong,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, 1); }},
      {"ReleasedByOneOfTwoCtas", cluster,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, -1); }},
      {"NoParityFlipOfProducer", single,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, true); }},
      {"NoParityFlipOfConsumer", single,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, false); }},
      {"NoParityFlipInPingpong", pingpong,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, false); }},
      {"NeverReleased", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::MBarrierArriveOp>(
             kernel, [](NVVM::MBarrierArriveOp) { return true; });
       }},
      {"ProducerDoesNotWait", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isWait(op) && isOfProducer(op);
         });
       }},
      {"ConsumerDoesNotWait", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isWait(op) && !isOfProducer(op);
         });
       }},
      {"ReleasedBeforeItIsRead", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::WgmmaWaitGroupSyncOp>(
             kernel,
             [](NVVM::WgmmaWaitGroupSyncOp op) { return op.getGroup() == 1; });
         for (NVVM::WgmmaWaitGroupSyncOp op : waits)
           op.setGroup(2);
         return waits.size();
       }},
      {"TooFewBytes", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto arrivals = collect<NVVM::MBarrierArriveExpectTxOp>(
             kernel, [](NVVM::MBarrierArriveExpectTxOp) { return true; });
         for (NVVM::MBarrierArriveExpectTxOp op : arrivals) {
           OpBuilder builder(op);
           op.getTxcountMutable().assign(arith::ConstantOp::create(
               builder, op.getLoc(),
               builder.getI32IntegerAttr(*getConstant(op.getTxcount()) / 2)));
         }
         return arrivals.size();
       }},
      {"StagingIsReusedTooEarly", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::CpAsyncBulkWaitGroupOp>(
             kernel, [](NVVM::CpAsyncBulkWaitGroupOp) { return true; });
         // The last is that of the kernel's end.
         waits.pop_back();
         for (NVVM::CpAsyncBulkWaitGroupOp op : waits)
           op.erase();
         return waits.size();
       }},
      {"EndsBeforeItIsStored", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::CpAsyncBulkWaitGroupOp>(
             kernel, [](NVVM::CpAsyncBulkWaitGroupOp) { return true; });
         waits.back().erase();
         return waits.size();
       }},
      {"ClusterStartsTooEarly", cluster,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::ClusterWaitOp>(
             kernel, [](NVVM::ClusterWaitOp) { return true; });
         waits.front().erase();
         return waits.size();
       }},
      {"ClusterEndsTooEarly", cluster,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::ClusterWaitOp>(
             kernel, [](NVVM::ClusterWaitOp) { return true; });
         waits.back().erase();
         return waits.size();
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Mistakes, RingMistake,
                         testing::ValuesIn(getMistakes()),
                         [](const auto &info) { return info.param.name; });
