//===- StreamKTest.cpp - Kernels whose units share tiles ------------------===//
//
// What phase `tiled` computes under schedules that divide k, CTA by CTA in
// several orders, with any contents of the workspace.
//
//===----------------------------------------------------------------------===//

#include "TileProgram.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

/// One function and the tile that it is computed with.
struct Program {
  const char *name, *text, *config;
  /// Of a cluster's tile in the problem's terms.
  int64_t tileM, tileN, tileK;
  /// CTAs of a cluster, and what counts arrivals in each.
  int64_t ctas = 1, counters = 1;
  const char *schedule = "#cutl.stream_k";
  /// Whether the workspace has nothing but what units leave for each other.
  bool isAlone = true;
  int64_t accumulators = 1;
};

void PrintTo(const Program &program, std::ostream *os) { *os << program.name; }

const char *const plainText = R"mlir(
func.func @plain(%a: memref<?x?xf16, strided<[?, ?]>>, %b: memref<?x?xf16, strided<[?, ?]>>,
                 %d: memref<?x?xf32, strided<[?, ?]>>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%x: f32):
    cutl.yield %x : f32
  } : (memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf32, strided<[?, ?]>>) -> ()
  return
})mlir";

// Two products of one A, and an epilogue that is not linear.
const char *const gatedText = R"mlir(
func.func @gated(%a: memref<?x?xf16, strided<[?, ?]>>, %b: memref<?x?xf16, strided<[?, ?]>>,
                 %b1: memref<?x?xf16, strided<[?, ?]>>, %s: f32, %d: memref<?x?xf16, strided<[?, ?]>>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (k, n)) aux(%s : ()) outs(%d : (m, n)) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %u = cutl.silu %x : f32
    %v = arith.mulf %u, %y : f32
    %w = arith.mulf %v, %t : f32
    %o = arith.truncf %w : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, f32,
       memref<?x?xf16, strided<[?, ?]>>) -> ()
  return
})mlir";

// An epilogue that ran twice would add twice.
const char *const inPlaceText = R"mlir(
func.func @in_place(%a: memref<?x?xbf16, strided<[?, ?]>>, %b: memref<?x?xbf16, strided<[?, ?]>>,
                    %r: memref<?xf32, strided<[?]>>, %d: memref<?x?xbf16, strided<[?, ?]>>) {
  cutl.gemm ins(%a : (m, k), %b : (k, n)) aux(%d : (m, n), %r : (m)) outs(%d : (m, n)) {
  ^bb0(%x: f32, %c: bf16, %y: f32):
    %w = arith.extf %c : bf16 to f32
    %s = arith.addf %x, %w : f32
    %t = arith.mulf %s, %y : f32
    %o = arith.truncf %t : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x?xbf16, strided<[?, ?]>>, memref<?x?xbf16, strided<[?, ?]>>, memref<?x?xbf16, strided<[?, ?]>>,
       memref<?xf32, strided<[?]>>, memref<?x?xbf16, strided<[?, ?]>>) -> ()
  return
})mlir";

// Reductions inside a tile and over several.
const char *const reducedText = R"mlir(
func.func @reduced(%a: memref<?x?xbf16, strided<[?, ?]>>, %b: memref<?x?xbf16, strided<[?, ?]>>,
                   %r: memref<?xbf16, strided<[?]>>, %d: memref<?x?xf32, strided<[?, ?]>>,
                   %s: memref<f32, strided<[]>>) {
  cutl.gemm ins(%a : (m, k), %b : (k, n)) outs(%r : (m) add, %d : (n, m), %s : () amax) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to bf16
    cutl.yield %o, %x, %x : bf16, f32, f32
  } : (memref<?x?xbf16, strided<[?, ?]>>, memref<?x?xbf16, strided<[?, ?]>>, memref<?xbf16, strided<[?]>>,
       memref<?x?xf32, strided<[?, ?]>>, memref<f32, strided<[]>>) -> ()
  return
})mlir";

const char *const batchText = R"mlir(
func.func @batch(%a: memref<?x?x?xf16, strided<[?, ?, ?]>>, %b: memref<?x?x?xf16, strided<[?, ?, ?]>>,
                 %d: memref<?x?x?xf16, strided<[?, ?, ?]>>) {
  cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) outs(%d : (b, m, n)) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x?x?xf16, strided<[?, ?, ?]>>, memref<?x?x?xf16, strided<[?, ?, ?]>>,
       memref<?x?x?xf16, strided<[?, ?, ?]>>) -> ()
  return
})mlir";

const Program programs[] = {
    {"plain", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64,
     8, 64},
    {"plain_pingpong", plainText,
     "cta = [64, 16, 64], stages = 2, kernel = pingpong, raster = n, "
     "raster_group = 2",
     64, 16, 64},
    {"plain_cluster", plainText,
     "cta = [128, 8, 64], stages = 2, kernel = cooperative, cluster = [1, 2]",
     128, 16, 64, 2, 2},
    {"gated", gatedText, "cta = [64, 8, 64], stages = 2, kernel = single", 64,
     8, 64, 1, 1, "#cutl.stream_k", true, 2},
    {"in_place", inPlaceText, "cta = [64, 16, 64], stages = 2, kernel = single",
     64, 16, 64, 1, 1, "#cutl.stream_k<tiles = 5>"},
    {"reduced", reducedText,
     "cta = [128, 16, 64], stages = 2, kernel = cooperative", 128, 16, 64, 1, 2,
     "#cutl.stream_k", false},
    {"batch_swapped_cluster", batchText,
     "cta = [64, 8, 64], stages = 2, kernel = pingpong, cluster = [2, 1], "
     "swap_operands = true",
     8, 128, 64, 2, 1, "#cutl.stream_k<tiles = 1000>"},
    {"split", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64,
     8, 64, 1, 1, "#cutl.split_k<3>", false},
    {"split_into_more_than_there_are", plainText,
     "cta = [64, 16, 64], stages = 2, kernel = pingpong", 64, 16, 64, 1, 1,
     "#cutl.split_k<16>", false},
    {"split_batch", batchText,
     "cta = [64, 8, 64], stages = 2, kernel = pingpong, cluster = [2, 1], "
     "swap_operands = true",
     8, 128, 64, 2, 1, "#cutl.split_k<2>", false},
    {"split_and_cluster_along_k", plainText,
     "cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]", 64,
     16, 64, 2, 1, "#cutl.split_k<2>", false},
    {"last", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64, 8,
     64, 1, 1, "#cutl.split_k<3, reduction = last_arriver>"},
    {"last_of_more_than_there_are", plainText,
     "cta = [64, 16, 64], stages = 2, kernel = pingpong", 64, 16, 64, 1, 1,
     "#cutl.split_k<16, reduction = last_arriver>"},
    {"last_of_one", plainText, "cta = [64, 8, 64], stages = 2, kernel = single",
     64, 8, 64, 1, 1, "#cutl.split_k<1, reduction = last_arriver>"},
    {"last_gated", gatedText, "cta = [64, 8, 64], stages = 2, kernel = single",
     64, 8, 64, 1, 1, "#cutl.split_k<2, reduction = last_arriver>", true, 2},
    {"last_in_place", inPlaceText,
     "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16, 64, 1, 1,
     "#cutl.split_k<4, reduction = last_arriver>"},
    {"last_reduced", reducedText,
     "cta = [128, 16, 64], stages = 2, kernel = cooperative", 128, 16, 64, 1, 2,
     "#cutl.split_k<3, reduction = last_arriver>", false},
    {"last_batch_swapped_cluster", batchText,
     "cta = [64, 8, 64], stages = 2, kernel = pingpong, cluster = [2, 1], "
     "swap_operands = true",
     8, 128, 64, 2, 1, "#cutl.split_k<2, reduction = last_arriver>"},
    {"turns", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64,
     8, 64, 1, 1, "#cutl.split_k<3, reduction = turnstile>"},
    {"turns_of_more_than_there_are", plainText,
     "cta = [64, 16, 64], stages = 2, kernel = pingpong", 64, 16, 64, 1, 1,
     "#cutl.split_k<16, reduction = turnstile>"},
    {"turns_gated", gatedText, "cta = [64, 8, 64], stages = 2, kernel = single",
     64, 8, 64, 1, 1, "#cutl.split_k<2, reduction = turnstile>", true, 2},
    {"turns_in_place", inPlaceText,
     "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16, 64, 1, 1,
     "#cutl.split_k<4, reduction = turnstile>"},
    {"turns_reduced", reducedText,
     "cta = [128, 16, 64], stages = 2, kernel = cooperative", 128, 16, 64, 1, 2,
     "#cutl.split_k<3, reduction = turnstile>", false},
    {"turns_batch", batchText,
     "cta = [64, 8, 64], stages = 2, kernel = pingpong, swap_operands = true",
     8, 64, 64, 1, 1, "#cutl.split_k<2, reduction = turnstile>"},
    {"added", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64,
     8, 64, 1, 1, "#cutl.split_k<3, reduction = arrival_order>"},
    {"added_gated", gatedText, "cta = [64, 8, 64], stages = 2, kernel = single",
     64, 8, 64, 1, 1, "#cutl.split_k<2, reduction = arrival_order>", true, 2},
    {"added_in_place", inPlaceText,
     "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16, 64, 1, 1,
     "#cutl.split_k<4, reduction = arrival_order>"},
    {"added_batch_swapped_cluster", batchText,
     "cta = [64, 8, 64], stages = 2, kernel = pingpong, cluster = [2, 1], "
     "swap_operands = true",
     8, 128, 64, 2, 1, "#cutl.split_k<2, reduction = arrival_order>"},
    {"added_shares", plainText,
     "cta = [128, 8, 64], stages = 2, kernel = cooperative, cluster = [1, 2]",
     128, 16, 64, 2, 2, "#cutl.stream_k<reduction = arrival_order>"},
    {"added_shares_in_place", inPlaceText,
     "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16, 64, 1, 1,
     "#cutl.stream_k<tiles = 5, reduction = arrival_order>"},
    {"none", plainText, "cta = [64, 8, 64], stages = 2, kernel = single", 64, 8,
     64, 1, 1, "#cutl.stream_k<tiles = 0>"},
};

/// Extents in tiles: some waves and a rest, fewer tiles than workers, one tile,
/// and too little to divide.
SmallVector<SmallVector<int64_t>> getShapes(const Program &program) {
  int64_t m = program.tileM, n = program.tileN, k = program.tileK;
  SmallVector<SmallVector<int64_t>> shapes = {{2 * m + 1, 3 * n + 3, 5 * k + 7},
                                              {m + 3, 2 * n, 3 * k},
                                              {m - 5, n - 1, 9 * k + 1},
                                              {m, n, k + 1},
                                              {m + 1, n + 1, k},
                                              {m + 1, n + 1, 0},
                                              {0, n, 2 * k}};
  if (program.text == batchText)
    for (auto [i, shape] : llvm::enumerate(shapes))
      shape.insert(shape.begin(), 1 + i % 3);
  return shapes;
}

class StreamK : public testing::TestWithParam<Program> {
protected:
  void SetUp() override {
    context = makeContext();
    module = parseSourceString<ModuleOp>(GetParam().text, context.get());
    ASSERT_TRUE(module);
    configure(*module, GetParam().config, GetParam().schedule);
  }

  /// The bytes that the schedule promises to take.
  int64_t getWorkspaceBytes(ArrayRef<int64_t> shape, int64_t workers) {
    const Program &program = GetParam();
    ArrayRef<int64_t> mnk = shape.take_back(3);
    ::cutl::schedule::TileSpace space = {
        llvm::divideCeilSigned(mnk[0], program.tileM),
        llvm::divideCeilSigned(mnk[1], program.tileN),
        shape.size() == 4 ? shape[0] : 1,
        llvm::divideCeilSigned(mnk[2], program.tileK)};
    GemmOp gemm;
    module->walk([&](GemmOp op) { gemm = op; });
    auto scheduler = gemm.getScheduleAttr().makeScheduler(space, {}, workers);
    int64_t tileBytes =
        program.tileM * program.tileN * 4 * program.accumulators;
    int64_t counterBytes =
        ::cutl::schedule::kCounterBytes * program.ctas * program.counters;
    int64_t slots = scheduler->slotCount();
    // CTAs that take turns draw their numbers from one more counter.
    int64_t draw = gemm.getScheduleAttr().takesTurns()
                       ? ::cutl::schedule::kCounterBytes
                       : 0;
    return llvm::alignTo(slots * tileBytes, 256) +
           llvm::alignTo(slots * counterBytes + draw, 256);
  }

  /// Whether bits do not depend on the order in which CTAs run.
  bool isDeterministic() {
    bool adds = false;
    module->walk(
        [&](GemmOp op) { adds |= op.getScheduleAttr().addsAsUnitsArrive(); });
    return !adds;
  }

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_P(StreamK, IsRightAndTheSameInEveryOrder) {
  for (int64_t workers : {1, 2, 5, 7}) {
    std::vector<std::unique_ptr<CpuEngine>> engines;
    for (const char *order : {"forward", "reverse", "seed:1", "seed:2"}) {
      TileOptions options = {workers, order, {}, /*plansWorkspace=*/true};
      engines.push_back(compileTiled(*module, options));
      ASSERT_TRUE(engines.back());
    }
    for (const SmallVector<int64_t> &shape : getShapes(GetParam())) {
      std::string where = std::to_string(workers) + " workers";
      for (int64_t extent : shape)
        where += ", " + std::to_string(extent);
      std::vector<SmallVector<int64_t>> extents = {shape};
      TileCall call(*module, extents);
      size_t promised = GetParam().isAlone ? getWorkspaceBytes(shape, workers)
                                           : size_t(1) << 20;
      std::vector<unsigned char> first;
      for (auto &engine : engines) {
        // The last one finds what the others have left.
        if (&engine != &engines.back())
          call.workspace.assign(promised + 4096, 0xff);
        EXPECT_EQ(call.run(*engine), "") << where;
        EXPECT_TRUE(
            llvm::all_of(ArrayRef(call.workspace).drop_front(promised),
                         [](unsigned char byte) { return byte == 0xff; }))
            << where << ": more workspace than promised";
        if (first.empty())
          first = call.getBytes();
        EXPECT_TRUE(!isDeterministic() || call.getBytes() == first)
            << where << ": other bits";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, StreamK, testing::ValuesIn(programs),
                         [](const auto &info) { return info.param.name; });

// Otherwise the tests would not show that sums may differ.
TEST(StreamKOrder, DecidesBitsWhereUnitsAddAsTheyArrive) {
  auto context = makeContext();
  auto module = parseSourceString<ModuleOp>(plainText, context.get());
  configure(*module, "cta = [64, 8, 64], stages = 2, kernel = single",
            "#cutl.split_k<8, reduction = arrival_order>");
  std::vector<SmallVector<int64_t>> extents = {{64, 8, 1024}};
  TileCall call(*module, extents);
  std::vector<std::vector<unsigned char>> found;
  for (const char *order : {"forward", "reverse"}) {
    auto engine = compileTiled(*module, {8, order, {}, true});
    ASSERT_TRUE(engine);
    call.workspace.assign(1 << 20, 0xff);
    EXPECT_EQ(call.run(*engine), "");
    found.push_back(call.getBytes());
  }
  EXPECT_NE(found[0], found[1]);
}

// Which of a tile's units is the last decides nothing else.
TEST(StreamKOrder, OfPartsGivesTheBitsOfTheKernelThatFollows) {
  auto context = makeContext();
  std::vector<SmallVector<int64_t>> extents = {{70, 20, 700}};
  std::vector<std::vector<unsigned char>> found;
  for (const char *schedule :
       {"#cutl.split_k<4>", "#cutl.split_k<4, reduction = last_arriver>",
        "#cutl.split_k<4, reduction = turnstile>"}) {
    auto module = parseSourceString<ModuleOp>(plainText, context.get());
    configure(*module, "cta = [64, 8, 64], stages = 2, kernel = single",
              schedule);
    TileCall call(*module, extents);
    auto engine = compileTiled(*module, {3, "seed:1", {}, true});
    ASSERT_TRUE(engine);
    call.workspace.assign(1 << 20, 0xff);
    EXPECT_EQ(call.run(*engine), "");
    found.push_back(call.getBytes());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

// The oracle knows nothing of schedules but where they divide k.
TEST(StreamKOrder, OfPartsIsThatOfTheirRangesOfK) {
  constexpr int64_t m = 70, n = 20, k = 700, tileK = 64, parts = 4;
  auto context = makeContext();
  std::mt19937 random(5);
  auto fill = [&](int64_t count) {
    std::vector<uint16_t> numbers(count);
    // Of any sign and with exponents about that of one.
    for (uint16_t &number : numbers)
      number = (random() & 0x83ff) | (12 + random() % 6) << 10;
    return numbers;
  };
  std::vector<uint16_t> a = fill(m * k), b = fill(n * k);
  std::vector<unsigned char> workspace;
  auto compile = [&](const char *schedule, const TileOptions &options) {
    auto module = parseSourceString<ModuleOp>(plainText, context.get());
    configure(*module, "cta = [64, 8, 64], stages = 2, kernel = single",
              schedule);
    return compileTiled(*module, options);
  };
  auto multiply = [&](const CpuEngine &engine, int64_t begin, int64_t end) {
    std::vector<float> d(m * n, NAN);
    int64_t sizesA[] = {m, end - begin}, sizesB[] = {n, end - begin};
    int64_t sizesD[] = {m, n}, inputs[] = {k, 1}, outputs[] = {n, 1};
    int64_t bytes = workspace.size(), one = 1;
    HostArgument arguments[] = {
        HostArray{a.data() + begin, 16, 2, sizesA, inputs},
        HostArray{b.data() + begin, 16, 2, sizesB, inputs},
        HostArray{d.data(), 32, 2, sizesD, outputs},
        HostArray{workspace.data(), 8, 1, &bytes, &one}};
    if (llvm::Error error = engine.invoke("plain", arguments))
      ADD_FAILURE() << llvm::toString(std::move(error));
    return d;
  };
  auto whole = compile("#cutl.data_parallel", {});
  ASSERT_TRUE(whole);
  std::vector<float> wanted;
  for (int64_t part = 0, begin = 0; part < parts; ++part) {
    constexpr int64_t steps = (k + tileK - 1) / tileK;
    int64_t end =
        std::min(begin + (steps / parts + (part < steps % parts)) * tileK, k);
    std::vector<float> sums = multiply(*whole, begin, end);
    for (size_t i = 0; i < wanted.size(); ++i)
      sums[i] = wanted[i] + sums[i];
    wanted = sums;
    begin = end;
  }
  for (const char *schedule : {"#cutl.split_k<4, reduction = last_arriver>",
                               "#cutl.split_k<4, reduction = turnstile>"})
    for (int64_t workers : {1, 2, 7, 30})
      for (const char *order : {"forward", "reverse", "seed:1"}) {
        auto engine = compile(schedule, {workers, order, {}, true});
        ASSERT_TRUE(engine);
        workspace.assign(1 << 20, 0xff);
        // The second one finds what the first has left.
        for (int run = 0; run < 2; ++run)
          EXPECT_TRUE(multiply(*engine, 0, k) == wanted)
              << schedule << " of " << workers << ", " << order;
      }
}

namespace {
struct FixupFault {
  const char *name, *fault, *schedule = "#cutl.stream_k";
};
void PrintTo(const FixupFault &fault, std::ostream *os) { *os << fault.fault; }
class StreamKFault : public testing::TestWithParam<FixupFault> {};
} // namespace

TEST_P(StreamKFault, IsNoticed) {
  auto context = makeContext();
  auto module = parseSourceString<ModuleOp>(plainText, context.get());
  configure(*module, "cta = [64, 8, 64], stages = 2, kernel = single",
            GetParam().schedule);
  TileOptions right, wrong;
  right.grid = wrong.grid = 5;
  right.plansWorkspace = wrong.plansWorkspace = true;
  wrong.fault.fault = GetParam().fault;
  auto rightEngine = compileTiled(*module, right);
  auto wrongEngine = compileTiled(*module, wrong);
  ASSERT_TRUE(rightEngine && wrongEngine);
  for (SmallVector<int64_t> shape :
       {SmallVector<int64_t>{129, 27, 327}, {64, 8, 640}}) {
    std::vector<SmallVector<int64_t>> extents = {shape};
    TileCall call(*module, extents);
    call.workspace.assign(1 << 20, 0xff);
    EXPECT_EQ(call.run(*rightEngine), "");
    // Counters and sums are as the call before has left them.
    std::string said = call.run(*wrongEngine);
    EXPECT_NE(said.find(": expected "), std::string::npos)
        << "the fault was not noticed; the run says '" << said << "'";
  }
}

static std::vector<FixupFault> getFixupFaults() {
  const char *last = "#cutl.split_k<3, reduction = last_arriver>";
  const char *turns = "#cutl.split_k<3, reduction = turnstile>";
  const char *added = "#cutl.split_k<3, reduction = arrival_order>";
  const char *shares = "#cutl.stream_k<reduction = arrival_order>";
  return {{"SkippedFixup", "skip-fixup"},
          {"CountersKept", "keep-arrivals"},
          {"SkippedFixupOfParts", "skip-fixup", last},
          {"CountersOfPartsKept", "keep-arrivals", last},
          {"SkippedTurns", "skip-fixup", turns},
          {"CountersOfTurnsKept", "keep-arrivals", turns},
          {"SkippedAdditions", "skip-fixup", added},
          {"CountersOfAdditionsKept", "keep-arrivals", added},
          {"SumsKept", "keep-sums", added},
          {"SkippedAdditionsOfShares", "skip-fixup", shares},
          {"SumsOfSharesKept", "keep-sums", shares}};
}

INSTANTIATE_TEST_SUITE_P(Faults, StreamKFault,
                         testing::ValuesIn(getFixupFaults()),
                         [](const auto &info) { return info.param.name; });

// Layers of one entry take the same workspace in turn.
TEST(StreamKTwoLayers, AreRight) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(R"mlir(
func.func @two(%x: memref<?x?xf16, strided<[?, ?]>>, %v: memref<?x?xf16, strided<[?, ?]>>,
               %w: memref<?x?xf16, strided<[?, ?]>>, %d: memref<?x?xf32, strided<[?, ?]>>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16, strided<[?, ?]>>
  %n = memref.dim %v, %c0 : memref<?x?xf16, strided<[?, ?]>>
  %h = memref.alloc(%m, %n) : memref<?x?xf16>
  cutl.gemm ins(%x : (m, k), %v : (n, k)) outs(%h : (m, n)) {
  ^bb0(%y: f32):
    %r = cutl.relu %y : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16>) -> ()
  cutl.gemm ins(%h : (m, k), %w : (k, n)) outs(%d : (m, n)) {
  ^bb0(%y: f32):
    cutl.yield %y : f32
  } : (memref<?x?xf16>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf32, strided<[?, ?]>>) -> ()
  memref.dealloc %h : memref<?x?xf16>
  return
})mlir",
                                            context.get());
  ASSERT_TRUE(module);
  configure(*module, "cta = [64, 16, 64], stages = 2, kernel = single",
            "#cutl.stream_k");
  auto engine = compileTiled(*module, {3, "seed:1", {}, true});
  ASSERT_TRUE(engine);
  for (int64_t m : {0, 1, 65, 130}) {
    std::vector<SmallVector<int64_t>> extents = {{m, 148, 264}, {m, 10, 148}};
    TileCall call(*module, extents);
    call.workspace.assign(1 << 20, 0xff);
    EXPECT_EQ(call.run(*engine), "") << m;
  }
}
