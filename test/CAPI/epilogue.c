/*===- epilogue.c - Tests of epilogues in the C interface -----------------===*\
|*                                                                            *|
|* Plain C11. Each check that fails is printed and counted; the exit code     *|
|* says whether there was one.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "cutl-c/Compiler.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numFailures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      ++numFailures;                                                           \
    }                                                                          \
  } while (0)

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { M = 3, N = 4, K = 5 };

/* D = relu(F), F = alpha * acc0 * acc1 + row (bias is a column), top = max over n of F, mask = F > 0. Values: 0 and 1 are
 * the accumulators, 2 to 4 the inputs, then the nodes. */
static const CutlEpilogueInput inputs[] = {{"row", {CUTL_TYPE_F16, "n", 1, 0}, 0},
                                           {"alpha", {CUTL_TYPE_F32, "", 0, 0}, 1},
                                           {"scale", {CUTL_TYPE_F32, "", 0, 0}, 0}};
static const int32_t product[] = {0, 1}, scaled[] = {3, 5}, rescaled[] = {6, 4}, sum[] = {7, 2}, only[] = {8},
                     comparison[] = {8, 10};
static const double zero[] = {0.0}, saturating[] = {1.0, 0.0};
static const CutlEpilogueNode nodes[] = {
    {"mul", product, 2, NULL, 0, CUTL_TYPE_NONE, NULL},     {"mul", scaled, 2, NULL, 0, CUTL_TYPE_NONE, "scaled"},
    {"mul", rescaled, 2, NULL, 0, CUTL_TYPE_NONE, NULL},    {"add", sum, 2, NULL, 0, CUTL_TYPE_NONE, "F"},
    {"relu", only, 1, NULL, 0, CUTL_TYPE_NONE, "D"},        {"constant", NULL, 0, zero, 1, CUTL_TYPE_NONE, NULL},
    {"gt", comparison, 2, NULL, 0, CUTL_TYPE_NONE, "mask"}, {"convert", only, 1, saturating, 2, CUTL_TYPE_S8, NULL}};
static const CutlEpilogueOutput outputs[] = {{"D", {CUTL_TYPE_F32, "nm", 1, 0}, 9, CUTL_COMBINER_NONE},
                                             {"F", {CUTL_TYPE_F32, "mn", 1, 0}, 8, CUTL_COMBINER_NONE},
                                             {"top", {CUTL_TYPE_F32, "m", 1, 0}, 8, CUTL_COMBINER_MAX},
                                             {"mask", {CUTL_TYPE_U8, "mn", 1, 0}, 11, CUTL_COMBINER_NONE},
                                             {"small", {CUTL_TYPE_S8, "mn", 1, 0}, 12, CUTL_COMBINER_NONE}};

static CutlEpilogue makeEpilogue(void) {
  CutlEpilogue epilogue = {sizeof epilogue, inputs,  COUNT(inputs),  nodes,
                           COUNT(nodes),    outputs, COUNT(outputs), CUTL_TYPE_NONE};
  return epilogue;
}

static CutlGemmProblem makeProblem(const CutlEpilogue *epilogue) {
  CutlGemmProblem problem;
  memset(&problem, 0, sizeof problem);
  problem.structSize = sizeof problem;
  problem.memrefForm = 1;
  problem.m = problem.n = problem.k = CUTL_DYNAMIC;
  problem.a = (CutlGemmOperand){CUTL_TYPE_F32, "mk", 1, 0};
  problem.b = (CutlGemmOperand){CUTL_TYPE_F32, "kn", 1, 0};
  problem.split = CUTL_SPLIT_HALVES;
  problem.epilogue = epilogue;
  return problem;
}

static void append(const char *text, size_t length, void *userData) {
  char *to = userData;
  size_t used = strlen(to);
  memcpy(to + used, text, length);
  to[used + length] = '\0';
}

static void testText(CutlContext *context) {
  CutlEpilogue epilogue = makeEpilogue();
  CutlGemmProblem problem = makeProblem(&epilogue);
  CutlModule *module = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  char *text = calloc(1, 1 << 16);
  CHECK(cutlModulePrint(module, append, text) == CUTL_OK);
  const char *expected[] = {"split(halves)",
                            "aux(%arg2 : (n), %arg9 : (), %arg3 : ())",
                            "outs(%arg4 : (n, m), %arg5 : (m, n), %arg6 : (m) max, %arg7 : (m, n), %arg8 : (m, n))",
                            "cutl.name = \"row\"",
                            "cutl.name = \"scale\"",
                            "cutl.name = \"top\"",
                            "%arg9: f32 {cutl.name = \"alpha\"}",
                            "cutl.relu",
                            "arith.cmpf ogt",
                            "cutl.convert"};
  for (size_t i = 0; i < COUNT(expected); ++i)
    if (!strstr(text, expected[i])) {
      fprintf(stderr, "expected '%s' in:\n%s\n", expected[i], text);
      ++numFailures;
    }
  cutlModuleDestroy(module);

  /* In tensor form the outputs come back; two B operands in place of a split one. */
  CutlGemmOperand other = problem.b;
  problem.memrefForm = 0;
  problem.split = CUTL_SPLIT_NONE;
  problem.moreB = &other;
  problem.numMoreB = 1;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  *text = '\0';
  CHECK(cutlModulePrint(module, append, text) == CUTL_OK);
  CHECK(strstr(text, "-> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xi8>, tensor<?x?xi8>)"));
  CHECK(strstr(text, "cutl.name = \"B1\"") && !strstr(text, "split("));
  cutlModuleDestroy(module);
  free(text);
}

static void testNumbers(CutlContext *context) {
  CutlEpilogue epilogue = makeEpilogue();
  CutlGemmProblem problem = makeProblem(&epilogue);
  CutlModule *module = NULL;
  CutlExecutable *executable = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  CHECK(cutlCpuCompile(module, NULL, &executable) == CUTL_OK);
  cutlModuleDestroy(module);

  float a[M * K], b[K * 2 * N], d[N * M], f[M * N], top[M], alpha = 0.5f, scale = -2.0f;
  /* 1, -1, 2 and 1000 in f16. */
  uint16_t row[N] = {0x3c00, 0xbc00, 0x4000, 0x63d0};
  const float rowValues[N] = {1.0f, -1.0f, 2.0f, 1000.0f};
  uint8_t mask[M * N];
  int8_t small[M * N];
  for (int i = 0; i < M * K; ++i)
    a[i] = (float)(i % 7) - 3.0f;
  for (int i = 0; i < K * 2 * N; ++i)
    b[i] = (float)(i % 5) - 2.0f;
  for (int i = 0; i < M; ++i)
    top[i] = NAN;
  memset(d, 0xff, sizeof d);
  memset(f, 0xff, sizeof f);
  memset(mask, 7, sizeof mask);
  const int64_t sizesA[] = {M, K}, sizesB[] = {K, 2 * N}, sizesD[] = {N, M}, sizesF[] = {M, N}, sizesRow[] = {N},
                sizesTop[] = {M}, stridesA[] = {K, 1}, stridesB[] = {2 * N, 1}, stridesD[] = {M, 1},
                stridesF[] = {N, 1}, one[] = {1}, none[] = {0};
  CutlArray arguments[] = {{a, CUTL_TYPE_F32, 2, sizesA, stridesA},     {b, CUTL_TYPE_F32, 2, sizesB, stridesB},
                           {row, CUTL_TYPE_F16, 1, sizesRow, one},      {&scale, CUTL_TYPE_F32, 0, none, none},
                           {d, CUTL_TYPE_F32, 2, sizesD, stridesD},     {f, CUTL_TYPE_F32, 2, sizesF, stridesF},
                           {top, CUTL_TYPE_F32, 1, sizesTop, one},      {mask, CUTL_TYPE_U8, 2, sizesF, stridesF},
                           {small, CUTL_TYPE_S8, 2, sizesF, stridesF}, {&alpha, CUTL_TYPE_F32, -1, NULL, NULL}};
  char error[256] = "";
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, COUNT(arguments), error, sizeof error) == CUTL_OK);
  CHECK(error[0] == '\0');
  for (int i = 0; i < M; ++i) {
    float highest = -INFINITY;
    for (int j = 0; j < N; ++j) {
      float first = 0.0f, second = 0.0f;
      for (int k = 0; k < K; ++k) {
        first += a[i * K + k] * b[k * 2 * N + j];
        second += a[i * K + k] * b[k * 2 * N + N + j];
      }
      float value = alpha * (first * second) * scale + rowValues[j];
      highest = value > highest ? value : highest;
      CHECK(f[i * N + j] == value);
      CHECK(d[j * M + i] == (value > 0.0f ? value : 0.0f));
      CHECK(mask[i * N + j] == (value > 0.0f));
      CHECK(small[i * N + j] == (value > 127.0f ? 127 : value < -128.0f ? -128 : (int)value));
    }
    CHECK(top[i] == highest);
  }
  for (size_t i = 0; i < COUNT(arguments); ++i)
    CHECK(cutlExecutableWrites(executable, "gemm", i) == (i >= 4 && i <= 8));
  cutlExecutableDestroy(executable);
}

/* Each is one wrong description and what must be said of it. */
static void testFaults(CutlContext *context) {
  CutlModule *module = NULL;
#define EXPECT_FAULT(change, status, text)                                     \
  do {                                                                         \
    CutlEpilogue epilogue = makeEpilogue();                                    \
    CutlEpilogueNode node[COUNT(nodes)];                                       \
    CutlEpilogueOutput output[COUNT(outputs)];                                 \
    CutlEpilogueInput input[COUNT(inputs)];                                    \
    memcpy(node, nodes, sizeof nodes);                                         \
    memcpy(output, outputs, sizeof outputs);                                   \
    memcpy(input, inputs, sizeof inputs);                                      \
    epilogue.nodes = node;                                                     \
    epilogue.outputs = output;                                                 \
    epilogue.inputs = input;                                                   \
    CutlGemmProblem problem = makeProblem(&epilogue);                          \
    change;                                                                    \
    CHECK(cutlGemmModuleCreate(context, &problem, &module) == (status));       \
    CutlDiagnostic first = {CUTL_SEVERITY_ERROR, "nothing", ""};               \
    cutlContextGetDiagnostic(context, 0, &first);                              \
    if (!strstr(first.message, text)) {                                        \
      fprintf(stderr, "%s:%d: expected '%s', got '%s'\n", __FILE__, __LINE__,  \
              text, first.message);                                            \
      ++numFailures;                                                           \
    }                                                                          \
  } while (0)
  static const int32_t late[] = {13, 0}, negative[] = {-1, 0}, truth[] = {0, 1}, choice[] = {0, 1, 1};
  static const double sideways[] = {0.0, 4.0}, downward[] = {0.0, 2.0}, interval[] = {1.0, 0.0};
  CutlGemmOperand other = {CUTL_TYPE_F16, "kn", 1, 0};
  EXPECT_FAULT(epilogue.structSize = 8, CUTL_ERROR_INVALID_ARGUMENT, "expected structSize");
  /* The struct of version 1001 has no room for an epilogue. */
  EXPECT_FAULT(problem.structSize = offsetof(CutlGemmProblem, moreB), CUTL_ERROR_VERIFY,
               "expected an element type for d, got none");
  EXPECT_FAULT(epilogue.nodes = NULL, CUTL_ERROR_INVALID_ARGUMENT, "expected 8 nodes, got null");
  EXPECT_FAULT(epilogue.inputs = NULL, CUTL_ERROR_INVALID_ARGUMENT, "expected 3 inputs, got null");
  EXPECT_FAULT(node[0].operands = NULL, CUTL_ERROR_INVALID_ARGUMENT, "expected 2 operands, got null");
  EXPECT_FAULT(output[1].combiner = (CutlCombiner)9, CUTL_ERROR_INVALID_ARGUMENT,
               "expected a CutlCombiner for F, got 9");
  EXPECT_FAULT(problem.split = (CutlSplit)9, CUTL_ERROR_INVALID_ARGUMENT, "expected a CutlSplit, got 9");
  EXPECT_FAULT(input[0].array.type = (CutlDataType)99, CUTL_ERROR_INVALID_ARGUMENT,
               "expected a CutlDataType for row, got 99");
  EXPECT_FAULT(node[1].op = "scale", CUTL_ERROR_VERIFY,
               "gemm: epilogue node 1 'scaled' (scale): expected the name of an epilogue op");
  EXPECT_FAULT(node[1].op = NULL, CUTL_ERROR_VERIFY, "expected the name of an epilogue op");
  EXPECT_FAULT(node[0].numOperands = 1, CUTL_ERROR_VERIFY,
               "gemm: epilogue node 0 (mul): expected 2 operands, got 1");
  EXPECT_FAULT(node[5].numNumbers = 0, CUTL_ERROR_VERIFY, "(constant): expected 1 numbers, got 0");
  EXPECT_FAULT(node[1].operands = late, CUTL_ERROR_VERIFY,
               "'scaled' (mul): expected operands to be values before it, numbered below 6, got 13");
  EXPECT_FAULT(node[1].operands = negative, CUTL_ERROR_VERIFY, "expected operands to be values before it");
  EXPECT_FAULT(node[4].type = CUTL_TYPE_F16, CUTL_ERROR_VERIFY, "'D' (relu): expected no element type, got one");
  EXPECT_FAULT(node[7].type = CUTL_TYPE_NONE, CUTL_ERROR_VERIFY, "(convert): expected an element type, got none");
  EXPECT_FAULT(node[7].type = CUTL_TYPE_TF32, CUTL_ERROR_VERIFY, "that can be stored, got tf32");
  EXPECT_FAULT(node[7].numbers = sideways, CUTL_ERROR_VERIFY, "expected a rounding of 0 to 3, got 4");
  EXPECT_FAULT((node[7].numbers = downward, node[7].type = CUTL_TYPE_F16), CUTL_ERROR_VERIFY,
               "expected rounding to the nearest for the floating-point type f16, got downward");
  EXPECT_FAULT((node[6].op = "and", node[6].operands = truth), CUTL_ERROR_VERIFY,
               "'mask' (and): expected operand 0 to be the result of a comparison, got a number");
  EXPECT_FAULT((node[6].op = "select", node[6].operands = choice, node[6].numOperands = 3), CUTL_ERROR_VERIFY,
               "(select): expected operand 0 to be the result of a comparison, got a number");
  EXPECT_FAULT((node[4].op = "clamp", node[4].numbers = interval, node[4].numNumbers = 2), CUTL_ERROR_VERIFY, "low");
  EXPECT_FAULT(output[0].value = 99, CUTL_ERROR_VERIFY,
               "gemm: expected the value of output 'D' to be numbered below 13, got 99");
  EXPECT_FAULT(output[0].array.type = CUTL_TYPE_NONE, CUTL_ERROR_VERIFY,
               "expected an element type for output 'D', got none");
  EXPECT_FAULT(input[0].array.type = CUTL_TYPE_NONE, CUTL_ERROR_VERIFY,
               "expected an element type for input 'row', got none");
  EXPECT_FAULT(input[0].array.dims = "k", CUTL_ERROR_VERIFY, "'k'");
  EXPECT_FAULT(input[0].array.dims = "q", CUTL_ERROR_VERIFY, "expected the dimensions of row to be m, n, k, got 'q'");
  EXPECT_FAULT(output[1].combiner = CUTL_COMBINER_ADD, CUTL_ERROR_VERIFY, "combiner");
  EXPECT_FAULT(output[2].combiner = CUTL_COMBINER_NONE, CUTL_ERROR_VERIFY, "combiner");
  EXPECT_FAULT(epilogue.numOutputs = 0, CUTL_ERROR_VERIFY, "expected an epilogue with an output, got none");
  EXPECT_FAULT(epilogue.computeType = CUTL_TYPE_F16, CUTL_ERROR_VERIFY,
               "expected the epilogue to compute in f32 or f64, got f16");
  EXPECT_FAULT(problem.epilogue = NULL, CUTL_ERROR_VERIFY,
               "expected an epilogue since there are several accumulators, got none");
  EXPECT_FAULT(problem.hasAlpha = 1, CUTL_ERROR_VERIFY, "beside an epilogue, got one");
  EXPECT_FAULT(problem.d = other, CUTL_ERROR_VERIFY, "beside an epilogue, got one");
  EXPECT_FAULT((problem.moreB = &other, problem.numMoreB = 1), CUTL_ERROR_VERIFY,
               "expected one b since it is split, got 2");
  EXPECT_FAULT((problem.moreB = &other, problem.numMoreB = 1, problem.split = CUTL_SPLIT_NONE), CUTL_ERROR_VERIFY,
               "expected every b to have the element type f32, got f16");
#undef EXPECT_FAULT
  CHECK(module == NULL);
}

/* The table of ops is in order, and each op can be called. */
static void testTable(CutlContext *context) {
  CutlEpilogueOpInfo info;
  const char *before = "";
  size_t numOps = 0;
  for (; cutlGetEpilogueOp(numOps, &info) == CUTL_OK; ++numOps) {
    CHECK(strcmp(before, info.name) < 0);
    before = info.name;
    /* Two accumulators, a comparison of them, and the op. */
    const int32_t pair[] = {0, 1}, values[] = {0, 1, 0, 1}, truths[] = {2, 2}, choice[] = {2, 0, 1};
    const double numbers[] = {0.25, 0.5};
    int isLogic = !strcmp(info.name, "and") || !strcmp(info.name, "or") || !strcmp(info.name, "xor") ||
                  !strcmp(info.name, "not");
    const int32_t *operands = isLogic ? truths : strcmp(info.name, "select") ? values : choice;
    CutlEpilogueNode node[] = {
        {"lt", pair, 2, NULL, 0, CUTL_TYPE_NONE, NULL},
        {info.name, operands, (size_t)info.numOperands, numbers, (size_t)info.numNumbers, CUTL_TYPE_NONE, NULL}};
    CutlEpilogueOutput output = {"D", {CUTL_TYPE_F32, "mn", 1, 0}, 3, CUTL_COMBINER_NONE};
    CutlEpilogue epilogue = {sizeof epilogue, NULL, 0, node, 2, &output, 1, CUTL_TYPE_NONE};
    CutlGemmProblem problem = makeProblem(&epilogue);
    CutlModule *module = NULL;
    if (cutlGemmModuleCreate(context, &problem, &module) != CUTL_OK) {
      fprintf(stderr, "expected the op %s to be accepted\n", info.name);
      ++numFailures;
    }
    cutlModuleDestroy(module);
  }
  CHECK(numOps > 50);
  CHECK(cutlGetEpilogueOp(0, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
}

int main(void) {
  CutlContext *context = NULL;
  CHECK(cutlContextCreate(&context) == CUTL_OK);
  testText(context);
  testNumbers(context);
  testFaults(context);
  testTable(context);
  cutlContextDestroy(context);
  if (numFailures == 0)
    printf("epilogues in the C interface: all checks passed\n");
  return numFailures != 0;
}
