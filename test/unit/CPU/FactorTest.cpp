//===- FactorTest.cpp - Contractions of computed factors, run -------------===//
//
// Scales, zero points, scalars, batches, missing dimensions, odd bodies.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "gtest/gtest.h"

using namespace cutltest;
using Index = llvm::ArrayRef<int64_t>;

namespace {

struct Operand {
  Type type;
  const char *map;
};

/// A linalg.generic over `loops` (the last one being k) with the inputs
/// %x0, %x1, ..., the accumulator %c and a body that computes %r.
struct Problem {
  const char *loops;
  std::vector<Operand> inputs;
  Operand output;
  const char *body;
};

std::string view(const Operand &operand) {
  std::string sizes, strides;
  bool isScalar = !*operand.map;
  for (const char *c = operand.map; !isScalar && *c; ++c)
    if (c == operand.map || *c == ',') {
      sizes += "?x";
      strides += strides.empty() ? "?" : ", ?";
    }
  return "memref<" + sizes + getName(operand.type) +
         (isScalar ? std::string(">")
                   : ", strided<[" + strides + "], offset: ?>>");
}

std::string print(const Problem &p) {
  std::string arguments, names, types, maps, block, iterators;
  auto map = [&](const Operand &operand) {
    return std::string("affine_map<(") + p.loops + ") -> (" + operand.map +
           ")>";
  };
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    std::string n = std::to_string(i), comma = i ? ", " : "";
    arguments += "%a" + n + ": " + view(p.inputs[i]) + ", ";
    names += comma + "%a" + n;
    types += comma + view(p.inputs[i]);
    maps += map(p.inputs[i]) + ", ";
    block += "%x" + n + ": " + getName(p.inputs[i].type) + ", ";
  }
  for (const char *c = p.loops; *c; ++c)
    if (*c == ',')
      iterators += "\"parallel\", ";
  return "func.func @f(" + arguments + "%d: " + view(p.output) +
         ") {\nlinalg.generic {indexing_maps = [" + maps + map(p.output) +
         "], iterator_types = [" + iterators + "\"reduction\"]} ins(" + names +
         " : " + types + ") outs(%d : " + view(p.output) + ") {\n^bb0(" +
         block + "%c: " + getName(p.output.type) + "):\n" + p.body +
         "\nlinalg.yield %r : " + getName(p.output.type) + "\n}\nreturn\n}\n";
}

/// Runs `problem` on arrays of the given sizes in every layout and compares the
/// output with `want(inputs, output index, k)` summed over k.
void check(
    const Problem &problem, const std::vector<std::vector<int64_t>> &inputSizes,
    const std::vector<int64_t> &outputSizes, int64_t depth, bool isContraction,
    llvm::function_ref<double(const std::vector<Array> &, Index, int64_t)>
        want) {
  std::string text = print(problem);
  EXPECT_EQ(countContractions(text), isContraction ? 1u : 0u) << text;
  for (const char *cpu : {"host", "x86-64-v2"}) {
    auto engine = compile(text, cpu);
    ASSERT_TRUE(bool(engine)) << text << llvm::toString(engine.takeError());
    for (unsigned turn = 0; turn < 25; ++turn) {
      std::vector<Array> inputs;
      std::vector<mlir::cutl::HostArgument> arguments;
      for (size_t i = 0; i < problem.inputs.size(); ++i) {
        inputs.emplace_back(problem.inputs[i].type, inputSizes[i],
                            allLayouts[(turn + i * (turn / 5)) % 5]);
        inputs.back().fill(turn + i);
      }
      for (Array &input : inputs)
        arguments.push_back(input.host());
      Array out(problem.output.type, outputSizes, allLayouts[turn / 5]);
      out.fill(turn + 99);
      Array before = out;
      arguments.push_back(out.host());
      llvm::Error error = (*engine)->invoke("f", arguments);
      ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
      forEachIndex(out.getSizes(), [&](Index index) {
        double sum = before.get(index);
        for (int64_t k = 0; k < depth; ++k)
          sum += want(inputs, index, k);
        ASSERT_EQ(out.get(index), sum) << text;
      });
      ASSERT_TRUE(out.guardsAreIntact());
    }
  }
}

constexpr int64_t M = 29, N = 43, K = 50;

} // namespace

TEST(Factor, ScalesAndZeroPointsInTheLoop) {
  check({"m, n, k",
         {{Type::f16, "m, k"},
          {Type::i8, "n, k"},
          {Type::i8, "n, k floordiv 16"},
          {Type::f32, "n, k floordiv 16"}},
         {Type::f32, "m, n"},
         "%a = arith.extf %x0 : f16 to f32\n%i = arith.subi %x1, %x2 : i8\n"
         "%q = arith.sitofp %i : i8 to f32\n%b = arith.mulf %q, %x3 : f32\n"
         "%p = arith.mulf %a, %b : f32\n%r = arith.addf %p, %c : f32"},
        {{M, K}, {N, K}, {N, 4}, {N, 4}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) *
                 (in[1].get({i[1], k}) - in[2].get({i[1], k / 16})) *
                 in[3].get({i[1], k / 16});
        });
}

TEST(Factor, ScalesOfBlocksInBothDirections) {
  check({"m, n, k",
         {{Type::f32, "m, k"},
          {Type::f32, "m, k floordiv 8"},
          {Type::f32, "k, n"},
          {Type::f32, "k floordiv 8, n floordiv 8"}},
         {Type::f32, "m, n"},
         "%a = arith.mulf %x0, %x1 : f32\n%b = arith.mulf %x2, %x3 : f32\n"
         "%p = arith.mulf %b, %a : f32\n%r = arith.addf %c, %p : f32"},
        {{M, K}, {M, 7}, {K, N}, {7, 6}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[1].get({i[0], k / 8}) *
                 in[2].get({k, i[1]}) * in[3].get({k / 8, i[1] / 8});
        });
}

TEST(Factor, ScalarsAndConstants) {
  check({"m, n, k",
         {{Type::i8, "m, k"}, {Type::i32, ""}, {Type::i8, "k, n"}},
         {Type::i32, "m, n"},
         "%seven = arith.constant 7 : i32\n%w = arith.extui %x0 : i8 to i32\n"
         "%s = arith.addi %x1, %seven : i32\n%a = arith.addi %w, %s : i32\n"
         "%v = arith.extsi %x2 : i8 to i32\n%b = arith.xori %v, %seven : i32\n"
         "%p = arith.muli %a, %b : i32\n%r = arith.addi %c, %p : i32"},
        {{M, K}, {}, {K, N}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          int32_t a = uint8_t(int8_t(in[0].get({i[0], k})));
          int32_t b = int32_t(in[2].get({k, i[1]})) ^ 7;
          return double((a + int32_t(in[1].get({})) + 7) * b);
        });
}

TEST(Factor, FactorWithoutInputs) {
  check({"m, n, k",
         {{Type::f32, "m, k"}, {Type::f32, "n"}},
         {Type::f32, "m, n"},
         "%two = arith.constant 2.0 : f32\n%p = arith.mulf %x0, %two : f32\n"
         "%r = arith.addf %c, %p : f32"},
        {{M, K}, {N}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return 2 * in[0].get({i[0], k});
        });
}

TEST(Factor, BatchesSharedAndBroadcast) {
  check(
      {"x, y, m, n, k",
       {{Type::bf16, "x, m, y, k"}, {Type::bf16, "k, x, n"}},
       {Type::f32, "y, x, m, n"},
       "%a = arith.extf %x0 : bf16 to f32\n%b = arith.extf %x1 : bf16 to f32\n"
       "%p = arith.mulf %a, %b : f32\n%r = arith.addf %c, %p : f32"},
      {{3, 7, 2, K}, {K, 3, 19}}, {2, 3, 7, 19}, K, true,
      [](const std::vector<Array> &in, Index i, int64_t k) {
        return in[0].get({i[1], i[2], i[0], k}) * in[1].get({k, i[1], i[3]});
      });
}

TEST(Factor, BatchInnermost) {
  check({"b, m, n, k",
         {{Type::f32, "m, k, b"}, {Type::f32, "k, n, b"}},
         {Type::f32, "m, n, b"},
         "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %c, %p : f32"},
        {{5, 20, 3}, {20, 18, 3}}, {5, 18, 3}, 20, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k, i[2]}) * in[1].get({k, i[1], i[2]});
        });
}

TEST(Factor, MatrixTimesVector) {
  check({"m, k",
         {{Type::f32, "m, k"}, {Type::f32, "k"}},
         {Type::f32, "m"},
         "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %c, %p : f32"},
        {{M, K}, {K}}, {M}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[1].get({k});
        });
}

TEST(Factor, DotProductsInABatch) {
  check({"b, k",
         {{Type::f64, "b, k"}, {Type::f64, "b, k"}},
         {Type::f64, "b"},
         "%p = arith.mulf %x0, %x1 : f64\n%r = arith.addf %c, %p : f64"},
        {{4, K}, {4, K}}, {4}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[1].get({i[0], k});
        });
}

TEST(Factor, SquareOfOneInput) {
  check({"m, n, k",
         {{Type::f32, "m, k"}, {Type::f32, "n"}},
         {Type::f32, "m, n"},
         "%p = arith.mulf %x0, %x0 : f32\n%r = arith.addf %c, %p : f32"},
        {{M, K}, {N}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[0].get({i[0], k});
        });
}

TEST(Factor, NestedProduct) {
  check({"m, n, k",
         {{Type::f32, "m, k"}, {Type::f32, "k, n"}, {Type::f32, "k"}},
         {Type::f32, "m, n"},
         "%q = arith.mulf %x0, %x1 : f32\n%p = arith.mulf %q, %x2 : f32\n"
         "%r = arith.addf %c, %p : f32"},
        {{M, K}, {K, N}, {K}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[1].get({k, i[1]}) * in[2].get({k});
        });
}

TEST(Factor, SlidingWindowIndices) {
  check({"m, n, k",
         {{Type::f32, "m * 2 + k"}, {Type::f32, "k, n"}},
         {Type::f32, "m, n"},
         "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %c, %p : f32"},
        {{2 * (M - 1) + K}, {K, N}}, {M, N}, K, true,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({2 * i[0] + k}) * in[1].get({k, i[1]});
        });
}

// What is not a contraction runs as plain loops.

TEST(NotAContraction, SumWithoutAProduct) {
  check({"m, n, k",
         {{Type::f32, "m, k"}, {Type::f32, "k, n"}},
         {Type::f32, "m, n"},
         "%p = arith.addf %x0, %x1 : f32\n%r = arith.addf %c, %p : f32"},
        {{M, K}, {K, N}}, {M, N}, K, false,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) + in[1].get({k, i[1]});
        });
}

TEST(NotAContraction, AccumulatorInAFactor) {
  // Each step multiplies by the accumulator and a zero, so nothing is added.
  check({"m, n, k",
         {{Type::f32, "m, k"}, {Type::f32, "k, n"}},
         {Type::f32, "m, n"},
         "%z = arith.constant 0.0 : f32\n%q = arith.mulf %c, %z : f32\n"
         "%p = arith.mulf %x0, %q : f32\n%r = arith.addf %c, %p : f32"},
        {{M, K}, {K, N}}, {M, N}, K, false,
        [](const std::vector<Array> &, Index, int64_t) { return 0.0; });
}

TEST(NotAContraction, IndexInAFactor) {
  check(
      {"m, n, k",
       {{Type::i32, "m, k"}, {Type::i32, "k, n"}},
       {Type::i32, "m, n"},
       "%i = linalg.index 2 : index\n%j = arith.index_cast %i : index to i32\n"
       "%p = arith.muli %x0, %j : i32\n%r = arith.addi %c, %p : i32"},
      {{M, K}, {K, N}}, {M, N}, K, false,
      [](const std::vector<Array> &in, Index i, int64_t k) {
        return in[0].get({i[0], k}) * k;
      });
}

TEST(NotAContraction, NarrowAccumulator) {
  check({"m, n, k",
         {{Type::i8, "m, k"}, {Type::i8, "k, n"}},
         {Type::i8, "m, n"},
         "%p = arith.muli %x0, %x1 : i8\n%r = arith.addi %c, %p : i8"},
        {{5, 3}, {3, 6}}, {5, 6}, 3, false,
        [](const std::vector<Array> &in, Index i, int64_t k) {
          return in[0].get({i[0], k}) * in[1].get({k, i[1]});
        });
}
