/*===- compiler.c - Tests of the C interface ------------------------------===*\
|*                                                                            *|
|* Plain C11. Each check that fails is printed and counted; the exit code     *|
|* says whether there was one.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "cutl-c/Compiler.h"
#include <math.h>
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

/* A growing string. */
typedef struct Text {
  char *data;
  size_t length;
} Text;

static void append(const char *text, size_t length, void *userData) {
  Text *to = userData;
  char *data = realloc(to->data, to->length + length + 1);
  if (!data)
    abort();
  to->data = data;
  memcpy(to->data + to->length, text, length);
  to->length += length;
  to->data[to->length] = '\0';
}

static Text print(const CutlModule *module) {
  Text text = {NULL, 0};
  CHECK(cutlModulePrint(module, append, &text) == CUTL_OK);
  return text;
}

/* Whether a diagnostic of that severity contains the text. */
static int reports(const CutlContext *context, CutlSeverity severity, const char *text) {
  CutlDiagnostic diagnostic;
  for (size_t i = 0; cutlContextGetDiagnostic(context, i, &diagnostic) == CUTL_OK; ++i)
    if (diagnostic.severity == severity && strstr(diagnostic.message, text))
      return 1;
  return 0;
}

static CutlModule *parse(CutlContext *context, const char *text) {
  CutlModule *module = NULL;
  CHECK(cutlModuleParse(context, text, strlen(text), "test.mlir", &module) == CUTL_OK);
  return module;
}

/* A row-major f32 problem with dynamic sizes, in memref form. */
static CutlGemmProblem makeProblem(void) {
  CutlGemmProblem problem;
  memset(&problem, 0, sizeof problem);
  problem.structSize = sizeof problem;
  problem.memrefForm = 1;
  problem.m = problem.n = problem.k = CUTL_DYNAMIC;
  problem.a = (CutlGemmOperand){CUTL_TYPE_F32, "mk", 1, 0};
  problem.b = (CutlGemmOperand){CUTL_TYPE_F32, "kn", 1, 0};
  problem.d = (CutlGemmOperand){CUTL_TYPE_F32, "mn", 1, 0};
  return problem;
}

static void testTables(void) {
  CHECK(cutlApiVersion() == CUTL_C_API_VERSION);
  CHECK(strcmp(cutlStatusText(CUTL_ERROR_PARSE), "cannot be parsed") == 0);
  CHECK(strcmp(cutlStatusText((CutlStatus)99), "unknown status") == 0);

  /* Every record has an enumerator of its own, and every enumerator a record. */
  size_t numTypes = cutlNumDataTypes();
  CHECK(numTypes == CUTL_TYPE_S32);
  int seen[CUTL_TYPE_S32 + 1] = {0};
  CutlDataTypeInfo info;
  for (size_t i = 0; i < numTypes; ++i) {
    CHECK(cutlGetDataType(i, &info) == CUTL_OK);
    CHECK(info.type > CUTL_TYPE_NONE && info.type <= CUTL_TYPE_S32);
    seen[info.type] += 1;
    CHECK(info.bits > 0 && info.name[0] != '\0');
    if (info.type == CUTL_TYPE_BF16) {
      CHECK(strcmp(info.name, "bf16") == 0);
      CHECK(strcmp(info.numpyName, "ml_dtypes.bfloat16") == 0);
      CHECK(info.bits == 16 && info.isStorage && !info.isInteger && info.isCpuOperand);
    }
  }
  for (int type = 1; type <= CUTL_TYPE_S32; ++type)
    CHECK(seen[type] == 1);
  CHECK(cutlGetDataType(numTypes, &info) == CUTL_ERROR_INVALID_ARGUMENT);

  CHECK(cutlDefaultAccumulator(CUTL_TYPE_F16, CUTL_TYPE_F16) == CUTL_TYPE_F32);
  CHECK(cutlDefaultAccumulator(CUTL_TYPE_S8, CUTL_TYPE_U8) == CUTL_TYPE_S32);
  CHECK(cutlDefaultAccumulator(CUTL_TYPE_F64, CUTL_TYPE_F16) == CUTL_TYPE_NONE);
  CHECK(cutlDefaultAccumulator((CutlDataType)77, CUTL_TYPE_F16) == CUTL_TYPE_NONE);

  int hasHopper = 0;
  for (size_t i = 0; i < cutlNumChips(); ++i)
    hasHopper |= strcmp(cutlChipName(i), "sm_90a") == 0;
  CHECK(hasHopper);
  CHECK(cutlChipName(cutlNumChips()) == NULL);
}

static void testNulls(CutlContext *context) {
  CutlModule *module = NULL;
  CutlExecutable *executable = NULL;
  CutlGemmProblem problem = makeProblem();
  CHECK(cutlContextCreate(NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleParse(NULL, "", 0, NULL, &module) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleParse(context, NULL, 1, NULL, &module) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleParse(context, "", 0, NULL, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleClone(NULL, &module) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModulePrint(NULL, append, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleWriteBytecode(NULL, append, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleRunPipeline(NULL, "cse") == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleEmit(NULL, "raw", NULL, append, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleGetConfig(NULL, append, NULL, append, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlGemmModuleCreate(context, NULL, &module) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlGemmModuleCreate(NULL, &problem, &module) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlCpuCompile(NULL, NULL, &executable) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlCpuInvoke(NULL, "gemm", NULL, 0, NULL, 0) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlContextNumDiagnostics(NULL) == 0);
  cutlContextDestroy(NULL);
  cutlModuleDestroy(NULL);
  cutlExecutableDestroy(NULL);
  CHECK(module == NULL && executable == NULL);
}

static void testParse(CutlContext *context) {
  CutlModule *module = NULL;
  const char *bad = "func.func @f() { unknown }";
  CHECK(cutlModuleParse(context, bad, strlen(bad), "bad.mlir", &module) == CUTL_ERROR_PARSE);
  CHECK(module == NULL);
  CHECK(cutlContextNumDiagnostics(context) >= 1);
  CutlDiagnostic diagnostic;
  CHECK(cutlContextGetDiagnostic(context, 0, &diagnostic) == CUTL_OK);
  CHECK(diagnostic.severity == CUTL_SEVERITY_ERROR);
  CHECK(strncmp(diagnostic.location, "bad.mlir:1:", 11) == 0);
  CHECK(cutlContextGetDiagnostic(context, 1000, &diagnostic) == CUTL_ERROR_INVALID_ARGUMENT);

  /* The text need not end where the buffer does. */
  const char *padded = "module {}garbage";
  CHECK(cutlModuleParse(context, padded, 9, NULL, &module) == CUTL_OK);
  CHECK(cutlContextNumDiagnostics(context) == 0);
  cutlModuleDestroy(module);

  /* Bytecode comes back as the same text. */
  module = parse(context, "func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}\n");
  Text bytes = {NULL, 0};
  CHECK(cutlModuleWriteBytecode(module, append, &bytes) == CUTL_OK);
  CutlModule *again = NULL;
  CHECK(cutlModuleParse(context, bytes.data, bytes.length, NULL, &again) == CUTL_OK);
  Text first = print(module), second = print(again);
  CHECK(strcmp(first.data, second.data) == 0);
  CHECK(strstr(first.data, "func.func @f") != NULL);
  free(bytes.data);
  free(first.data);
  free(second.data);
  cutlModuleDestroy(module);
  cutlModuleDestroy(again);
}

static void testPipelines(CutlContext *context) {
  CutlModule *module = parse(context, "func.func @f(%x: i32) -> i32 {\n"
                                      "  %a = arith.addi %x, %x : i32\n"
                                      "  %b = arith.addi %x, %x : i32\n"
                                      "  %c = arith.muli %a, %b : i32\n"
                                      "  return %c : i32\n}\n");
  CutlModule *copy = NULL;
  CHECK(cutlModuleClone(module, &copy) == CUTL_OK);
  Text before = print(module);
  CHECK(cutlModuleRunPipeline(module, "builtin.module(func.func(cse))") == CUTL_OK);
  Text after = print(module), untouched = print(copy);
  CHECK(strcmp(before.data, after.data) != 0);
  CHECK(strcmp(before.data, untouched.data) == 0);
  CHECK(cutlModuleRunPipeline(copy, " cse ") == CUTL_OK);
  free(untouched.data);
  untouched = print(copy);
  CHECK(strcmp(after.data, untouched.data) == 0);

  CHECK(cutlModuleRunPipeline(copy, "no-such-pass") == CUTL_ERROR_PARSE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "no-such-pass"));
  CHECK(cutlModuleRunPipeline(copy, "builtin.module(cse") == CUTL_ERROR_PARSE);
  CHECK(cutlModuleRunPipeline(copy, "cutl-configure{chip=sm_1}") == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "sm_1"));
  Text unchanged = print(copy);
  CHECK(strcmp(untouched.data, unchanged.data) == 0);

  free(before.data);
  free(after.data);
  free(untouched.data);
  free(unchanged.data);
  cutlModuleDestroy(module);
  cutlModuleDestroy(copy);
}

static void testGemmModule(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.name = "linear";
  problem.memrefForm = 0;
  problem.m = 128;
  problem.numBatch = 1;
  problem.batch[0] = 3;
  problem.a = (CutlGemmOperand){CUTL_TYPE_F16, "0mk", 0, 0};
  problem.b = (CutlGemmOperand){CUTL_TYPE_F16, "nk", 0, 0};
  problem.c = (CutlGemmOperand){CUTL_TYPE_F16, "n", 0, 0};
  problem.bias = (CutlGemmOperand){CUTL_TYPE_F32, "m", 0, 0};
  problem.d = (CutlGemmOperand){CUTL_TYPE_F16, "0mn", 0, 0};
  problem.hasAlpha = problem.hasBeta = 1;
  problem.activation = CUTL_ACTIVATION_GELU_TANH;
  CutlModule *module = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Text text = print(module);
  const char *expected[] = {
      "@linear(%arg0: tensor<3x128x?xf16> {cutl.name = \"A\"}, %arg1: tensor<?x?xf16> {cutl.name = \"B\"}, "
      "%arg2: tensor<?xf16> {cutl.name = \"C\"}, %arg3: tensor<128xf32> {cutl.name = \"bias\"}",
      "%arg4: tensor<3x128x?xf16> {cutl.name = \"D\"}, %arg5: f32 {cutl.name = \"alpha\"}, "
      "%arg6: f32 {cutl.name = \"beta\"}) -> tensor<3x128x?xf16>",
      "(b, m, k)", "(n, k)", "(b, m, n)", "cutl.linear_combination", "arith.addf", "cutl.gelu tanh",
      "arith.truncf"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(text.data, expected[i])) {
      fprintf(stderr, "expected '%s' in:\n%s\n", expected[i], text.data);
      ++numFailures;
    }
  free(text.data);

  /* The reason for the chosen configurations comes as a remark, and they as attributes. */
  CHECK(cutlModuleRunPipeline(module, "cutl-configure{chip=sm_90a}") == CUTL_OK);
  CHECK(cutlContextNumDiagnostics(context) > 0);
  CHECK(reports(context, CUTL_SEVERITY_REMARK, "chose "));
  CHECK(reports(context, CUTL_SEVERITY_REMARK, ", but "));
  text = print(module);
  CHECK(strstr(text.data, "config"));
  free(text.data);
  cutlModuleDestroy(module);
}

/* What the compiler decided for one problem, given to another, is kept; the struct of an older caller has no room for it. */
static void testDecisions(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.a.type = problem.b.type = problem.d.type = CUTL_TYPE_BF16;
  problem.m = problem.n = problem.k = 4096;
  CutlModule *module = NULL;
  Text config = {NULL, 0}, schedule = {NULL, 0};
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  CHECK(cutlModuleGetConfig(module, append, &config, append, &schedule) == CUTL_OK);
  CHECK(config.length == 0 && schedule.length == 0);
  CHECK(cutlModuleRunPipeline(module, "cutl-configure{chip=sm_90a}") == CUTL_OK);
  CHECK(cutlModuleGetConfig(module, append, &config, append, &schedule) == CUTL_OK);
  CHECK(strncmp(config.data, "#cutl.tile_config<cta = [", 25) == 0);
  CHECK(strcmp(schedule.data, "#cutl.data_parallel") == 0);
  cutlModuleDestroy(module);

  problem.m = problem.n = problem.k = CUTL_DYNAMIC;
  problem.config = config.data;
  problem.schedule = schedule.data;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Text text = print(module);
  CHECK(strstr(text.data, config.data) && strstr(text.data, "schedule(#cutl.data_parallel)"));
  free(text.data);
  cutlModuleDestroy(module);

  problem.structSize = offsetof(CutlGemmProblem, config);
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  text = print(module);
  CHECK(!strstr(text.data, "tile_config"));
  free(text.data);
  cutlModuleDestroy(module);

  /* What a caller of an earlier version has behind its struct is not read. */
  problem.anyOrder = problem.batchInvariant = 1;
  problem.smBudget = -7;
  problem.structSize = offsetof(CutlGemmProblem, anyOrder);
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  text = print(module);
  CHECK(strstr(text.data, "tile_config") && !strstr(text.data, "execution("));
  free(text.data);
  cutlModuleDestroy(module);
  problem.anyOrder = problem.batchInvariant = 0;
  problem.smBudget = 0;

  problem.structSize = sizeof problem;
  problem.config = schedule.data;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_ERROR_VERIFY);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a #cutl.tile_config for config, got #cutl.data_parallel"));
  problem.config = "#cutl.tile_config<";
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_ERROR_VERIFY);
  CHECK(cutlContextNumDiagnostics(context) > 0);

  CHECK(cutlGemmCheckDecisions(context, config.data, schedule.data) == CUTL_OK);
  CHECK(cutlGemmCheckDecisions(context, NULL, "") == CUTL_OK);
  CHECK(cutlContextNumDiagnostics(context) == 0);
  CHECK(cutlGemmCheckDecisions(context, schedule.data, NULL) == CUTL_ERROR_VERIFY);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a #cutl.tile_config for config, got #cutl.data_parallel"));
  CHECK(cutlGemmCheckDecisions(context, NULL, config.data) == CUTL_ERROR_VERIFY);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a schedule attribute for schedule, got #cutl.tile_config"));
  CHECK(cutlGemmCheckDecisions(context, problem.config, NULL) == CUTL_ERROR_VERIFY);
  CHECK(cutlContextNumDiagnostics(context) > 0);
  CHECK(cutlGemmCheckDecisions(NULL, NULL, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  free(config.data);
  free(schedule.data);
}

static void testDemands(CutlContext *context) {
  CutlModule *module = NULL;
  CutlGemmProblem problem = makeProblem();
  problem.batchInvariant = 1;
  problem.smBudget = 7;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Text text = print(module);
  CHECK(strstr(text.data, " execution(batch_invariant, sm_budget = 7) {"));
  free(text.data);
  cutlModuleDestroy(module);

  problem = makeProblem();
  problem.anyOrder = 1;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  text = print(module);
  CHECK(strstr(text.data, " execution(deterministic = false) {"));
  free(text.data);
  cutlModuleDestroy(module);
}

/* The first of listed configurations, how many there are, and whether each has a time. */
typedef struct Configs {
  char first[256];
  size_t number;
  int allTimed;
} Configs;

static void keepConfig(const char *config, double predictedUs, void *userData) {
  Configs *configs = userData;
  if (configs->number++ == 0)
    snprintf(configs->first, sizeof configs->first, "%s", config);
  configs->allTimed &= predictedUs > 0;
}

/* The first that is listed is the one that is chosen, and each builds. */
static void testListedConfigs(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.a.type = problem.b.type = problem.d.type = CUTL_TYPE_BF16;
  problem.m = problem.n = problem.k = 4096;
  CutlModule *module = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Configs configs = {"", 0, 1};
  Text before = print(module), config = {NULL, 0}, schedule = {NULL, 0};
  CHECK(cutlModuleListConfigs(NULL, "", keepConfig, &configs) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleListConfigs(module, "", NULL, NULL) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleListConfigs(module, "bogus=1", keepConfig, &configs) == CUTL_ERROR_PARSE);
  CHECK(configs.number == 0);
  CHECK(cutlModuleListConfigs(module, "chip=sm_90a", keepConfig, &configs) == CUTL_OK);
  CHECK(configs.number >= 20 && configs.allTimed);
  Text after = print(module);
  CHECK(strcmp(before.data, after.data) == 0);
  CHECK(cutlModuleRunPipeline(module, "cutl-configure{chip=sm_90a}") == CUTL_OK);
  CHECK(cutlModuleGetConfig(module, append, &config, append, &schedule) == CUTL_OK);
  CHECK(strcmp(config.data, configs.first) == 0);
  cutlModuleDestroy(module);
  free(before.data);
  free(after.data);
  free(config.data);
  free(schedule.data);

  problem.a.type = problem.b.type = problem.d.type = CUTL_TYPE_F64;
  problem.accumulator = CUTL_TYPE_F64;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  CHECK(cutlModuleListConfigs(module, "chip=sm_90a", keepConfig, &configs) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "f64 has no wgmma atom"));
  cutlModuleDestroy(module);

  module = parse(context, "module {}");
  CHECK(cutlModuleListConfigs(module, "chip=sm_90a", keepConfig, &configs) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a module with one cutl.gemm, got 0"));
  cutlModuleDestroy(module);
}

static void testStages(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.a.type = problem.b.type = problem.d.type = CUTL_TYPE_BF16;
  CutlModule *module = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  CHECK(strcmp(cutlStageName(0), "raw") == 0);
  Text raw = print(module), text = {NULL, 0};
  CHECK(cutlModuleEmit(module, "raw", NULL, append, &text) == CUTL_OK);
  CHECK(strcmp(raw.data, text.data) == 0);
  /* Every form can be had, but for the one that needs an assembler and the one that needs sizes, and the module stays as
   * it is. */
  size_t numStages = 0;
  for (const char *name; (name = cutlStageName(numStages)); ++numStages) {
    text.length = 0;
    if (strcmp(name, "cubin") == 0 || strcmp(name, "schedule") == 0)
      continue;
    CHECK(cutlModuleEmit(module, name, "chip=sm_90a", append, &text) == CUTL_OK);
    CHECK(text.length > 0);
  }
  CHECK(numStages > 4);
  text.length = 0;
  CHECK(cutlModuleEmit(module, "llvm", "device=cpu", append, &text) == CUTL_OK);
  CHECK(strstr(text.data, "llvm.func @gemm"));
  free(text.data);
  text = print(module);
  CHECK(strcmp(raw.data, text.data) == 0);
  size_t length = text.length;
  CHECK(cutlModuleEmit(module, "ast", "", append, &text) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected the stage to be one of raw, "));
  CHECK(cutlModuleEmit(module, "configured", "", append, &text) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a chip, as in chip=sm_90a, for stage configured"));
  CHECK(cutlModuleEmit(module, "linalg", "device=cuda", append, &text) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "for device cuda, got 'linalg'"));
  CHECK(cutlModuleEmit(module, "raw", "device=tpu", append, &text) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected device to be cpu or cuda, got 'tpu'"));
  CHECK(cutlModuleEmit(module, "raw", "bogus=1", append, &text) == CUTL_ERROR_PARSE);
  CHECK(cutlModuleEmit(module, "schedule", "chip=sm_90a", append, &text) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected static extents in stage schedule, got a dynamic m"));
  CHECK(text.length == length);
  cutlModuleDestroy(module);

  problem.m = problem.n = problem.k = 512;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  text.length = 0;
  CHECK(cutlModuleEmit(module, "schedule", "chip=sm_90a", append, &text) == CUTL_OK);
  CHECK(strncmp(text.data, "<svg ", 5) == 0 && strstr(text.data, ">512x512x512 bf16 "));
  free(raw.data);
  free(text.data);
  cutlModuleDestroy(module);

  module = parse(context, "module {}");
  CHECK(cutlModuleGetConfig(module, append, &raw, append, &text) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected a module with one cutl.gemm, got 0"));
  cutlModuleDestroy(module);
}

/* What cutlModuleGetCall gave. */
typedef struct Call {
  char entry[32];
  uint32_t arguments[8];
  size_t numArguments, numFunctionArguments;
} Call;

static void keepCall(const char *entry, const uint32_t *arguments, size_t numArguments, size_t numFunctionArguments,
                     void *userData) {
  Call *call = userData;
  snprintf(call->entry, sizeof call->entry, "%s", entry);
  for (size_t i = 0; i < numArguments && i < 8; ++i)
    call->arguments[i] = arguments[i];
  call->numArguments = numArguments;
  call->numFunctionArguments = numFunctionArguments;
}

/* A bundle for a chip that need not be here, and how a function with numbers before its arrays is called. */
static void testBundles(CutlContext *context) {
  CutlModule *module = parse(
      context, "func.func @scaled(%unused: f32, %alpha: f32, %x: tensor<?x64xf16>, %w: tensor<48x64xf16>,\n"
               "                  %d: tensor<?x48xf32>) -> tensor<?x48xf32> {\n"
               "  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%alpha : ()) outs(%d : (m, n)) {\n"
               "  ^bb0(%acc: f32, %t: f32):\n"
               "    %o = arith.mulf %acc, %t : f32\n"
               "    cutl.yield %o : f32\n"
               "  } : (tensor<?x64xf16>, tensor<48x64xf16>, f32, tensor<?x48xf32>) -> tensor<?x48xf32>\n"
               "  return %y : tensor<?x48xf32>\n}\n"
               "func.func @none(%x: f32) -> f32 {\n  return %x : f32\n}\n");
  Text before = print(module), bytes = {NULL, 0};
  CHECK(cutlModuleCompileBundle(module, "chip=sm_90a", append, &bytes) == CUTL_OK);
  CHECK(bytes.length > 1000);
  Call call = {"", {0}, 0, 0};
  CHECK(cutlModuleGetCall(module, "scaled", "chip=sm_90a", keepCall, &call) == CUTL_OK);
  CHECK(strcmp(call.entry, "scaled") == 0);
  CHECK(call.numFunctionArguments == 5 && call.numArguments == 4);
  CHECK(call.arguments[0] == 2 && call.arguments[1] == 3 && call.arguments[2] == 4 && call.arguments[3] == 1);
  Text after = print(module);
  CHECK(strcmp(before.data, after.data) == 0);

  size_t length = bytes.length;
  CHECK(cutlModuleCompileBundle(module, "", append, &bytes) == CUTL_ERROR_COMPILE);
  CHECK(cutlModuleCompileBundle(module, "chip=sm_1", append, &bytes) == CUTL_ERROR_COMPILE);
  CHECK(cutlModuleCompileBundle(module, "chip=sm_90a format=elf", append, &bytes) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected format to be ptx or cubin, got 'elf'"));
  CHECK(bytes.length == length);
  call.entry[0] = '\0';
  CHECK(cutlModuleGetCall(module, "none", "chip=sm_90a", keepCall, &call) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected function 'none' to be products alone, to run on a GPU"));
  CHECK(cutlModuleGetCall(module, "other", "chip=sm_90a", keepCall, &call) == CUTL_ERROR_COMPILE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected the name of a function with a body, got 'other'"));
  CHECK(cutlModuleGetCall(module, "scaled", "bogus=1", keepCall, &call) == CUTL_ERROR_PARSE);
  CHECK(cutlModuleGetCall(module, NULL, "", keepCall, &call) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(cutlModuleCompileBundle(NULL, "", append, &bytes) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(call.entry[0] == '\0');
  free(before.data);
  free(after.data);
  free(bytes.data);
  cutlModuleDestroy(module);
}

/* Each is one wrong problem and what must be said of it. */
static void testBadProblems(CutlContext *context) {
  CutlModule *module = NULL;
#define EXPECT_FAULT(change, status, text)                                     \
  do {                                                                         \
    CutlGemmProblem problem = makeProblem();                                   \
    change;                                                                    \
    CHECK(cutlGemmModuleCreate(context, &problem, &module) == (status));       \
    if (!reports(context, CUTL_SEVERITY_ERROR, text)) {                        \
      CutlDiagnostic first = {CUTL_SEVERITY_ERROR, "nothing", ""};             \
      cutlContextGetDiagnostic(context, 0, &first);                            \
      fprintf(stderr, "%s:%d: expected '%s', got '%s'\n", __FILE__, __LINE__,  \
              text, first.message);                                            \
      ++numFailures;                                                           \
    }                                                                          \
  } while (0)
  EXPECT_FAULT(problem.structSize = 8, CUTL_ERROR_INVALID_ARGUMENT, "expected structSize");
  EXPECT_FAULT(problem.a.type = (CutlDataType)99, CUTL_ERROR_INVALID_ARGUMENT,
               "expected a CutlDataType for a, got 99");
  EXPECT_FAULT(problem.math = (CutlMathMode)9, CUTL_ERROR_INVALID_ARGUMENT, "expected a CutlMathMode, got 9");
  EXPECT_FAULT(problem.activation = (CutlActivation)-1, CUTL_ERROR_INVALID_ARGUMENT,
               "expected a CutlActivation, got -1");
  EXPECT_FAULT(problem.numBatch = 6, CUTL_ERROR_INVALID_ARGUMENT, "expected 0 to 5 batch dimensions, got 6");
  EXPECT_FAULT(problem.d.type = CUTL_TYPE_NONE, CUTL_ERROR_VERIFY, "expected an element type for d, got none");
  EXPECT_FAULT(problem.m = -7, CUTL_ERROR_VERIFY, "expected an extent of 0 or more for m, got -7");
  EXPECT_FAULT(problem.a.dims = "mq", CUTL_ERROR_VERIFY,
               "expected the dimensions of a to be m, n, k, got 'q'");
  EXPECT_FAULT(problem.a.dims = "0mk", CUTL_ERROR_VERIFY, "got '0'");
  EXPECT_FAULT(problem.a.dims = "mm", CUTL_ERROR_VERIFY, "'m' occurs twice");
  EXPECT_FAULT(problem.b.dims = "mk", CUTL_ERROR_VERIFY, "to use 'n'");
  EXPECT_FAULT(problem.d.dims = "n", CUTL_ERROR_VERIFY, "expected a combiner");
  EXPECT_FAULT(problem.hasBeta = 1, CUTL_ERROR_VERIFY, "expected c to be present since beta is, got none");
  EXPECT_FAULT(problem.d.type = CUTL_TYPE_S8, CUTL_ERROR_VERIFY,
               "expected a floating-point element type for d");
  EXPECT_FAULT(problem.b.type = CUTL_TYPE_F64, CUTL_ERROR_VERIFY, "can be multiplied, got f32 and f64");
  EXPECT_FAULT(problem.a.type = CUTL_TYPE_TF32, CUTL_ERROR_VERIFY, "tf32");
  EXPECT_FAULT(problem.accumulator = CUTL_TYPE_F16, CUTL_ERROR_VERIFY, "f16");
  EXPECT_FAULT(problem.smBudget = -1, CUTL_ERROR_VERIFY, "expected sm_budget to be at least 1, got -1");
  EXPECT_FAULT(problem.anyOrder = problem.batchInvariant = 1, CUTL_ERROR_VERIFY,
               "expected deterministic sums with batch_invariant");
#undef EXPECT_FAULT
  CHECK(module == NULL);
}

/* Runs D = relu(alpha A B + bias) with M = 2, N = 3, K = 4 on arrays of the given strides. */
static void runGemm(const CutlExecutable *executable, const int64_t *stridesA, float *a) {
  float b[12], bias[3] = {0.5f, -100.0f, 0.0f}, d[6], alpha = 2.0f;
  const int64_t sizesA[] = {2, 4}, sizesB[] = {4, 3}, sizesD[] = {2, 3}, sizesBias[] = {3};
  const int64_t stridesB[] = {3, 1}, stridesD[] = {3, 1}, one[] = {1};
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 4; ++k)
      a[i * stridesA[0] + k * stridesA[1]] = (float)(i + 1) * (float)(k - 1);
  for (int i = 0; i < 12; ++i)
    b[i] = (float)i;
  for (int i = 0; i < 6; ++i)
    d[i] = NAN;
  CutlArray arguments[] = {{a, CUTL_TYPE_F32, 2, sizesA, stridesA},
                           {b, CUTL_TYPE_F32, 2, sizesB, stridesB},
                           {bias, CUTL_TYPE_F32, 1, sizesBias, one},
                           {d, CUTL_TYPE_F32, 2, sizesD, stridesD},
                           {&alpha, CUTL_TYPE_F32, -1, NULL, NULL}};
  char error[256] = "";
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, sizeof error) == CUTL_OK);
  CHECK(error[0] == '\0');
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < 4; ++k)
        sum += (float)(i + 1) * (float)(k - 1) * b[k * 3 + j];
      sum = alpha * sum + bias[j];
      CHECK(d[i * 3 + j] == (sum > 0.0f ? sum : 0.0f));
    }

  /* Wrong calls are refused, and none reaches the code. */
  float before = d[0];
  CHECK(cutlCpuInvoke(executable, "nothing", arguments, 5, error, sizeof error) == CUTL_ERROR_INVOKE);
  CHECK(strstr(error, "nothing") != NULL);
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 4, NULL, 0) == CUTL_ERROR_INVOKE);
  CutlArray wrong = arguments[3];
  arguments[3].rank = 1;
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, 8) == CUTL_ERROR_INVOKE);
  CHECK(strlen(error) == 7);
  arguments[3] = wrong;
  arguments[3].type = CUTL_TYPE_F16;
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, sizeof error) == CUTL_ERROR_INVOKE);
  arguments[3].type = (CutlDataType)55;
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, sizeof error) == CUTL_ERROR_INVALID_ARGUMENT);
  arguments[3] = wrong;
  arguments[3].rank = -2;
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, sizeof error) == CUTL_ERROR_INVALID_ARGUMENT);
  arguments[3] = wrong;
  arguments[3].sizes = NULL;
  CHECK(cutlCpuInvoke(executable, "gemm", arguments, 5, error, sizeof error) == CUTL_ERROR_INVALID_ARGUMENT);
  CHECK(d[0] == before);
}

/** What is known of strides is in the function's type. */
static void testPitch(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.a.pitch = 1400;
  CutlModule *module = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Text text = print(module);
  CHECK(strstr(text.data, "memref<?x?xf32, strided<[1400, 1]>>") != NULL);
  CHECK(strstr(text.data, "memref<?x?xf32, strided<[?, 1]>>") != NULL);
  free(text.data);
  cutlModuleDestroy(module);
  module = NULL;
  problem.a.pitch = -8;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_ERROR_VERIFY);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "expected the pitch of a to be at least 1, or 0 if it may be any, got -8"));
  CHECK(module == NULL);
}

static void testCpu(CutlContext *context) {
  CutlGemmProblem problem = makeProblem();
  problem.a.unitStride = 0;
  problem.bias = (CutlGemmOperand){CUTL_TYPE_F32, "n", 1, 0};
  problem.hasAlpha = 1;
  problem.activation = CUTL_ACTIVATION_RELU;
  CutlModule *module = NULL;
  CutlExecutable *executable = NULL;
  CHECK(cutlGemmModuleCreate(context, &problem, &module) == CUTL_OK);
  Text before = print(module);
  CHECK(cutlCpuCompile(module, "no-such-option=1", &executable) == CUTL_ERROR_PARSE);
  CHECK(reports(context, CUTL_SEVERITY_ERROR, "no-such-option"));
  CHECK(executable == NULL);
  CHECK(cutlCpuCompile(module, "", &executable) == CUTL_OK);
  Text after = print(module);
  CHECK(strcmp(before.data, after.data) == 0);
  free(before.data);
  free(after.data);
  cutlModuleDestroy(module);

  float a[32];
  const int64_t rowMajor[] = {4, 1}, columnMajor[] = {1, 2}, spread[] = {16, 3};
  runGemm(executable, rowMajor, a);
  runGemm(executable, columnMajor, a);
  runGemm(executable, spread, a);
  cutlExecutableDestroy(executable);
}

int main(void) {
  testTables();
  CutlContext *context = NULL, *other = NULL;
  CHECK(cutlContextCreate(&context) == CUTL_OK);
  CHECK(cutlContextCreate(&other) == CUTL_OK);
  if (!context)
    return 1;
  testNulls(context);
  testParse(context);
  testPipelines(context);
  testGemmModule(context);
  testBadProblems(context);
  testDecisions(context);
  testDemands(context);
  testListedConfigs(context);
  testStages(context);
  testBundles(context);
  testPitch(context);
  testCpu(context);
  cutlContextDestroy(other);
  cutlContextDestroy(context);
  if (numFailures == 0)
    puts("C interface: all checks passed");
  return numFailures != 0;
}
