//===- CutlTileToSCFTest.cpp - Kernels compared with the reference --------===//
//
// What phase `tiled` computes, over extents at and around the tile's, in
// several orders of CTAs.
//
//===----------------------------------------------------------------------===//

#include "TileProgram.h"
#include "cutl/Builder/GemmBuilder.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

/// One function and the tile that it is computed with.
struct Program {
  const char *name;
  /// The function, or what the builder makes it from.
  const char *text;
  GemmDescription description;
  const char *config;
  /// Extents of the CTA tile in the problem's terms.
  int64_t tileM, tileN, tileK;

  OwningOpRef<ModuleOp> build(MLIRContext *context) const {
    OwningOpRef<ModuleOp> module =
        text ? parseSourceString<ModuleOp>(text, context)
             : buildGemmModule(context, description);
    if (module)
      configure(*module, config);
    return module;
  }
};

void PrintTo(const Program &program, std::ostream *os) {
  *os << program.config;
}

GemmArrayDescription array(const char *type, const char *dims) {
  return {::cutl::targetinfo::lookupDataType(type), dims};
}

GemmDescription describe(GemmArrayDescription a, GemmArrayDescription b,
                         GemmArrayDescription d, int batches = 0) {
  GemmDescription description;
  description.memrefForm = true;
  description.a = a;
  description.b = b;
  description.d = d;
  description.batch.assign(batches, ShapedType::kDynamic);
  return description;
}

// Two products of one A, a number, and two results of other types and orders.
const char *const gatedText = R"mlir(
func.func @gated(%a: memref<?x?xf16, strided<[?, ?]>>, %b: memref<?x?xf16, strided<[?, ?]>>,
                 %b1: memref<?x?xf16, strided<[?, ?]>>, %s: f32, %d: memref<?x?xf16, strided<[?, ?]>>,
                 %e: memref<?x?xf32, strided<[?, ?]>>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k), %b1 : (k, n)) aux(%s : ()) outs(%d : (m, n), %e : (n, m)) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %u = cutl.silu %x : f32
    %v = arith.mulf %u, %y : f32
    %o = arith.truncf %v : f32 to f16
    %w = arith.mulf %y, %t : f32
    cutl.yield %o, %w : f16, f32
  } : (memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, f32,
       memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf32, strided<[?, ?]>>) -> ()
  return
})mlir";

// The result takes the place of a matrix that the epilogue reads.
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

// Reductions over either side, of a narrow type and with each combiner, beside a
// full result.
const char *const reducedText = R"mlir(
func.func @reduced(%a: memref<?x?xbf16, strided<[?, ?]>>, %b: memref<?x?xbf16, strided<[?, ?]>>,
                   %r: memref<?xbf16, strided<[?]>>, %d: memref<?x?xf32, strided<[?, ?]>>,
                   %c: memref<?xf32, strided<[?]>>, %s: memref<f32, strided<[]>>) {
  cutl.gemm ins(%a : (m, k), %b : (k, n)) outs(%r : (m) add, %d : (n, m), %c : (n) max, %s : () amax) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to bf16
    %y = arith.negf %x : f32
    cutl.yield %o, %x, %y, %x : bf16, f32, f32, f32
  } : (memref<?x?xbf16, strided<[?, ?]>>, memref<?x?xbf16, strided<[?, ?]>>, memref<?xbf16, strided<[?]>>,
       memref<?x?xf32, strided<[?, ?]>>, memref<?xf32, strided<[?]>>, memref<f32, strided<[]>>) -> ()
  return
})mlir";

// Reductions over a batch dimension too, and nothing but reductions.
const char *const batchesReducedText = R"mlir(
func.func @batches_reduced(%a: memref<?x?x?xf16, strided<[?, ?, ?]>>, %b: memref<?x?x?xf16, strided<[?, ?, ?]>>,
                           %c: memref<?x?xf32, strided<[?, ?]>>, %r: memref<?xf16, strided<[?]>>,
                           %s: memref<?xf32, strided<[?]>>) {
  cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) outs(%c : (n, b) add, %r : (m) min, %s : (b) add) {
  ^bb0(%x: f32):
    %o = arith.truncf %x : f32 to f16
    %y = arith.mulf %x, %x : f32
    cutl.yield %x, %o, %y : f32, f16, f32
  } : (memref<?x?x?xf16, strided<[?, ?, ?]>>, memref<?x?x?xf16, strided<[?, ?, ?]>>, memref<?x?xf32, strided<[?, ?]>>,
       memref<?xf16, strided<[?]>>, memref<?xf32, strided<[?]>>) -> ()
  return
})mlir";

/// The operand orders are named as in BLAS: r has k innermost in A, n in B.
std::vector<Program> getPrograms() {
  std::vector<Program> programs;
  programs.push_back(
      {"rc_f16", nullptr,
       describe(array("f16", "mk"), array("f16", "nk"), array("f16", "mn")),
       "cta = [64, 8, 64], stages = 2, kernel = single", 64, 8, 64});
  programs.push_back(
      {"rr_f16", nullptr,
       describe(array("f16", "mk"), array("f16", "kn"), array("f32", "nm")),
       "cta = [64, 24, 64], stages = 2, kernel = pingpong", 64, 24, 64});
  programs.push_back(
      {"cr_bf16", nullptr,
       describe(array("bf16", "km"), array("bf16", "kn"), array("f32", "mn")),
       "cta = [64, 8, 64], stages = 2, kernel = single, raster_group = 1", 64,
       8, 64});
  programs.push_back(
      {"cc_f16", nullptr,
       describe(array("f16", "km"), array("f16", "nk"), array("f16", "mn")),
       "cta = [128, 8, 64], stages = 2, kernel = cooperative, cluster = [1, 2]",
       128, 8, 64});

  GemmDescription bias =
      describe(array("bf16", "mk"), array("bf16", "nk"), array("bf16", "mn"));
  bias.bias = array("f32", "n");
  bias.activation = Activation::Relu;
  programs.push_back({"rc_bf16_bias_relu", nullptr, bias,
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "raster = n, raster_group = 2",
                      64, 16, 64});

  GemmDescription alpha =
      describe(array("bf16", "mk"), array("bf16", "kn"), array("bf16", "mn"));
  alpha.hasAlpha = true;
  alpha.activation = Activation::Silu;
  programs.push_back({"rr_bf16_alpha_silu", nullptr, alpha,
                      "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16,
                      64});

  GemmDescription linear =
      describe(array("f16", "km"), array("f16", "kn"), array("f32", "mn"));
  linear.c = array("f16", "mn");
  linear.hasAlpha = linear.hasBeta = true;
  programs.push_back({"cr_f16_linear", nullptr, linear,
                      "cta = [128, 8, 64], stages = 2, kernel = cooperative, "
                      "cluster = [2, 1]",
                      128, 8, 64});

  GemmDescription gelu =
      describe(array("bf16", "km"), array("bf16", "nk"), array("bf16", "nm"));
  gelu.bias = array("bf16", "m");
  gelu.activation = Activation::GeluTanh;
  programs.push_back({"cc_bf16_gelu", nullptr, gelu,
                      "cta = [64, 8, 128], stages = 2, kernel = pingpong, "
                      "cluster = [1, 2]",
                      64, 8, 128});

  programs.push_back({"batch_f16_swapped", nullptr,
                      describe(array("f16", "0mk"), array("f16", "0nk"),
                               array("f16", "0mn"), 1),
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "swap_operands = true",
                      16, 64, 64});

  GemmDescription batches = describe(
      array("bf16", "01mk"), array("bf16", "1kn"), array("f32", "1n0m"), 2);
  batches.c = array("f32", "0mn");
  batches.hasBeta = true;
  programs.push_back({"batches_bf16_swapped_cluster", nullptr, batches,
                      "cta = [64, 8, 64], stages = 2, kernel = pingpong, "
                      "cluster = [2, 1], swap_operands = true",
                      8, 64, 64});

  // CTAs that divide k and finish a share each.
  programs.push_back(
      {"divided_f16", nullptr,
       describe(array("f16", "mk"), array("f16", "nk"), array("f16", "mn")),
       "cta = [64, 32, 64], stages = 2, kernel = single, "
       "cluster = [1, 1, 4]",
       64, 32, 64});
  programs.push_back({"divided_swapped_bf16", nullptr,
                      describe(array("bf16", "0mk"), array("bf16", "0kn"),
                               array("f32", "0nm"), 1),
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "cluster = [1, 2, 2], swap_operands = true",
                      16, 64, 64});
  programs.push_back({"divided_gated_f16",
                      gatedText,
                      {},
                      "cta = [128, 16, 64], stages = 2, kernel = cooperative, "
                      "cluster = [2, 1, 2]",
                      128,
                      16,
                      64});
  programs.push_back({"divided_reduced",
                      reducedText,
                      {},
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "cluster = [1, 1, 2]",
                      64,
                      16,
                      64});

  // Types that say how products are formed.
  programs.push_back(
      {"e4m3_e5m2", nullptr,
       describe(array("e4m3", "mk"), array("e5m2", "nk"), array("bf16", "mn")),
       "cta = [64, 8, 128], stages = 2, kernel = single", 64, 8, 128});
  GemmDescription promoted =
      describe(array("e5m2", "mk"), array("e4m3", "nk"), array("f32", "nm"));
  promoted.promote = 128;
  programs.push_back({"promoted_swapped", nullptr, promoted,
                      "cta = [64, 8, 128], stages = 2, kernel = single, "
                      "swap_operands = true",
                      8, 64, 128});
  programs.push_back(
      {"s8_u8", nullptr,
       describe(array("s8", "mk"), array("u8", "nk"), array("s32", "mn")),
       "cta = [64, 16, 128], stages = 2, kernel = pingpong", 64, 16, 128});
  programs.push_back(
      {"divided_u8_s8", nullptr,
       describe(array("u8", "mk"), array("s8", "nk"), array("s32", "nm")),
       "cta = [64, 32, 128], stages = 4, kernel = single, "
       "cluster = [1, 1, 2]",
       64, 32, 128});
  GemmDescription rounded =
      describe(array("f32", "mk"), array("f32", "nk"), array("f32", "mn"));
  rounded.math = MathMode::TF32;
  programs.push_back({"tf32", nullptr, rounded,
                      "cta = [64, 16, 32], stages = 2, kernel = single", 64, 16,
                      32});
  GemmDescription narrow =
      describe(array("f16", "mk"), array("f16", "nk"), array("f16", "mn"));
  narrow.accumulator = ::cutl::targetinfo::lookupDataType("f16");
  programs.push_back({"f16_into_f16", nullptr, narrow,
                      "cta = [64, 16, 64], stages = 2, kernel = single", 64, 16,
                      64});

  // Operands that are copied into rows first.
  programs.push_back(
      {"repacked_u8_s8", nullptr,
       describe(array("u8", "km"), array("s8", "kn"), array("s32", "mn")),
       "cta = [64, 16, 128], stages = 2, kernel = single, repack = [a, b]", 64,
       16, 128});
  programs.push_back({"repacked_batches_f16", nullptr,
                      describe(array("f16", "m1k0"), array("f16", "kn"),
                               array("f32", "0m1n"), 2),
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "swap_operands = true, repack = [a]",
                      16, 64, 64});
  programs.push_back({"repacked_gated_f16",
                      gatedText,
                      {},
                      "cta = [64, 8, 64], stages = 2, kernel = single, "
                      "repack = [b]",
                      64,
                      8,
                      64});

  programs.push_back({"gated_f16",
                      gatedText,
                      {},
                      "cta = [64, 8, 64], stages = 2, kernel = single",
                      64,
                      8,
                      64});
  programs.push_back({"in_place_bf16",
                      inPlaceText,
                      {},
                      "cta = [64, 16, 64], stages = 2, kernel = single",
                      64,
                      16,
                      64});
  programs.push_back({"reduced_bf16",
                      reducedText,
                      {},
                      "cta = [128, 16, 64], stages = 2, kernel = cooperative",
                      128,
                      16,
                      64});
  programs.push_back({"batches_reduced_f16_swapped",
                      batchesReducedText,
                      {},
                      "cta = [64, 16, 64], stages = 2, kernel = single, "
                      "swap_operands = true",
                      16,
                      64,
                      64});
  return programs;
}

/// Extents from nothing to a few tiles, such that each pair of an extent of m
/// and one of n, m and k, or n and k occurs.
std::vector<SmallVector<int64_t>> getShapes(const Program &program,
                                            size_t batches) {
  auto around = [](int64_t tile) {
    return std::array<int64_t, 6>{0, 1, tile - 1, tile, tile + 1, 2 * tile + 3};
  };
  auto ms = around(program.tileM), ns = around(program.tileN),
       ks = around(program.tileK);
  static constexpr int64_t batchExtents[] = {2, 1, 3, 2, 0};
  std::vector<SmallVector<int64_t>> shapes;
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 6; ++j) {
      SmallVector<int64_t> shape;
      for (size_t batch = 0; batch < batches; ++batch)
        shape.push_back(batchExtents[(shapes.size() + 3 * batch) % 5]);
      shape.append({ms[i], ns[j], ks[(i + j) % 6]});
      shapes.push_back(shape);
    }
  return shapes;
}

std::string print(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

class CutlTileToSCF : public testing::TestWithParam<Program> {
protected:
  void SetUp() override {
    context = makeContext();
    module = GetParam().build(context.get());
    ASSERT_TRUE(module);
    module->walk([&](GemmOp op) { numBatches = op.getDomain().getNumBatch(); });
  }
  /// Runs every shape with every option; all results must be right, and the
  /// same to the bit.
  void runAll(ArrayRef<TileOptions> options,
              ArrayRef<SmallVector<int64_t>> shapes) {
    std::vector<std::unique_ptr<CpuEngine>> engines;
    for (const TileOptions &option : options) {
      engines.push_back(compileTiled(*module, option));
      ASSERT_TRUE(engines.back());
    }
    for (const SmallVector<int64_t> &shape : shapes) {
      std::vector<SmallVector<int64_t>> extents = {shape};
      TileCall call(*module, extents);
      std::vector<unsigned char> first;
      for (auto [option, engine] : llvm::zip_equal(options, engines)) {
        std::string where = print(shape) + ", grid " +
                            std::to_string(option.grid) + ", " + option.order;
        EXPECT_EQ(call.run(*engine), "") << where;
        if (first.empty())
          first = call.getBytes();
        EXPECT_TRUE(call.getBytes() == first) << where << ": other bits";
      }
    }
  }

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  size_t numBatches = 0;
};

} // namespace

TEST_P(CutlTileToSCF, MatchesReferenceInEveryOrder) {
  runAll({{1, "forward", {}}, {3, "reverse", {}}, {7, "seed:1", {}}},
         getShapes(GetParam(), numBatches));
}

INSTANTIATE_TEST_SUITE_P(Programs, CutlTileToSCF,
                         testing::ValuesIn(getPrograms()),
                         [](const auto &info) { return info.param.name; });

namespace {

/// A tile as kernels have it, and each order with each grid.
class CutlTileToSCFOrders : public CutlTileToSCF {};

} // namespace

TEST_P(CutlTileToSCFOrders, AreTheSameToTheBit) {
  std::vector<TileOptions> options;
  for (int64_t grid : {1, 3, 7})
    for (const char *order : {"forward", "reverse", "seed:1", "seed:2"})
      options.push_back({grid, order, {}});
  runAll(options, {{129, 201, 65}, {257, 401, 3}, {300, 7, 70}});
}

INSTANTIATE_TEST_SUITE_P(
    Programs, CutlTileToSCFOrders,
    testing::Values(Program{
        "wide_bf16", nullptr,
        describe(array("bf16", "mk"), array("bf16", "nk"), array("bf16", "mn")),
        "cta = [128, 200, 64], stages = 4, kernel = pingpong", 128, 200, 64}),
    [](const auto &info) { return info.param.name; });

// Two layers in one entry, with what lies between them as its own.
TEST(CutlTileToSCFTwoLayers, AreRight) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(R"mlir(
func.func @two(%x: memref<?x?xf16, strided<[?, ?]>>, %v: memref<?x?xf16, strided<[?, ?]>>,
               %b: memref<?xf32, strided<[?]>>, %w: memref<?x?xf16, strided<[?, ?]>>,
               %d: memref<?x?xf32, strided<[?, ?]>>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16, strided<[?, ?]>>
  %n = memref.dim %v, %c0 : memref<?x?xf16, strided<[?, ?]>>
  %h = memref.alloc(%m, %n) : memref<?x?xf16>
  cutl.gemm ins(%x : (m, k), %v : (n, k)) aux(%b : (n)) outs(%h : (m, n)) {
  ^bb0(%y: f32, %c: f32):
    %s = arith.addf %y, %c : f32
    %r = cutl.relu %s : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf16, strided<[?, ?]>>, memref<?xf32, strided<[?]>>,
       memref<?x?xf16>) -> ()
  cutl.gemm ins(%h : (m, k), %w : (k, n)) outs(%d : (m, n)) {
  ^bb0(%y: f32):
    cutl.yield %y : f32
  } : (memref<?x?xf16>, memref<?x?xf16, strided<[?, ?]>>, memref<?x?xf32, strided<[?, ?]>>) -> ()
  memref.dealloc %h : memref<?x?xf16>
  return
})mlir",
                                            context.get());
  ASSERT_TRUE(module);
  configure(*module, "cta = [64, 16, 64], stages = 2, kernel = single");
  auto engine = compileTiled(*module, {3, "seed:1", {}});
  ASSERT_TRUE(engine);
  for (int64_t m : {0, 1, 65, 130}) {
    std::vector<SmallVector<int64_t>> extents = {{m, 48, 64}, {m, 10, 48}};
    EXPECT_EQ(TileCall(*module, extents).run(*engine), "") << m;
  }
}
