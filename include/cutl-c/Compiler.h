/*===- cutl-c/Compiler.h - C interface of the compiler -----------*- C -*-===*\
|*                                                                            *|
|* Parses or builds modules, runs pipelines on them, and compiles and runs    *|
|* them on the CPU target.                                                    *|
|*                                                                            *|
|* Conventions                                                                *|
|*  - Handles are opaque. Whoever receives one from a function that creates   *|
|*    it destroys it; destroying NULL does nothing. A context must outlive    *|
|*    its modules; an executable needs neither.                               *|
|*  - A function that can fail returns a CutlStatus and leaves its outputs    *|
|*    untouched unless that is CUTL_OK. No C++ exception leaves a function.   *|
|*  - Errors, warnings and remarks of the last call on a context, or on one   *|
|*    of its modules, are read with cutlContextGetDiagnostic.                 *|
|*  - A context and its modules are used by one thread at a time. Executables *|
|*    may be invoked by several threads at once.                              *|
|*  - Text parameters are null-terminated UTF-8, and are copied.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_C_COMPILER_H
#define CUTL_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CUTL_EXPORT
#else
#define CUTL_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Version and status
\*===----------------------------------------------------------------------===*/

/** Version of this interface: major * 1000 + minor. A new major breaks callers. */
#define CUTL_C_API_VERSION 1007

/** The version that the library was built with; compare with CUTL_C_API_VERSION. */
CUTL_EXPORT int32_t cutlApiVersion(void);

typedef enum CutlStatus {
  CUTL_OK = 0,
  /** An argument of the call itself is wrong: a null handle, an unknown enumerator, a size. */
  CUTL_ERROR_INVALID_ARGUMENT = 1,
  /** Text or bytecode is not a valid module, or a pipeline's text is not a pipeline. */
  CUTL_ERROR_PARSE = 2,
  /** The module or the problem breaks a rule of the dialect. */
  CUTL_ERROR_VERIFY = 3,
  /** A pass failed, or code could not be generated. */
  CUTL_ERROR_COMPILE = 4,
  /** The executable has no such function, or the arguments are not what it takes. */
  CUTL_ERROR_INVOKE = 5,
  CUTL_ERROR_OUT_OF_MEMORY = 6,
  CUTL_ERROR_INTERNAL = 7
} CutlStatus;

/** A few words for a status, such as "invalid argument". Never null. */
CUTL_EXPORT const char *cutlStatusText(CutlStatus status);

/*===----------------------------------------------------------------------===*\
|* Tables
\*===----------------------------------------------------------------------===*/

/** Element types. Values never change; new types are added at the end. */
typedef enum CutlDataType {
  CUTL_TYPE_NONE = 0,
  CUTL_TYPE_F16 = 1,
  CUTL_TYPE_BF16 = 2,
  CUTL_TYPE_F32 = 3,
  CUTL_TYPE_F64 = 4,
  CUTL_TYPE_TF32 = 5,
  CUTL_TYPE_E4M3 = 6,
  CUTL_TYPE_E5M2 = 7,
  CUTL_TYPE_E8M0 = 8,
  CUTL_TYPE_E2M3 = 9,
  CUTL_TYPE_E3M2 = 10,
  CUTL_TYPE_E2M1 = 11,
  CUTL_TYPE_S4 = 12,
  CUTL_TYPE_U4 = 13,
  CUTL_TYPE_S8 = 14,
  CUTL_TYPE_U8 = 15,
  CUTL_TYPE_S32 = 16
} CutlDataType;

/** What the data-type table says of one type. Strings live as long as the library. */
typedef struct CutlDataTypeInfo {
  CutlDataType type;
  /** Short name: "f16", "e4m3", "s8". */
  const char *name;
  /** The NumPy dtype, qualified when ml_dtypes defines it; empty if there is none. */
  const char *numpyName;
  int32_t bits;
  /** Whether arrays can hold it; false for a way to multiply (tf32). */
  int32_t isStorage;
  int32_t isInteger;
  /** Whether the CPU target takes it as the type of A or B. */
  int32_t isCpuOperand;
} CutlDataTypeInfo;

CUTL_EXPORT size_t cutlNumDataTypes(void);
/** Fills `info` for type number `index`, in order of name. */
CUTL_EXPORT CutlStatus cutlGetDataType(size_t index, CutlDataTypeInfo *info);
/** The accumulator that A and B of these types have by default; CUTL_TYPE_NONE if they cannot be multiplied. */
CUTL_EXPORT CutlDataType cutlDefaultAccumulator(CutlDataType a, CutlDataType b);

/** How an op of an epilogue is called and what it takes. */
typedef struct CutlEpilogueOpInfo {
  const char *name;
  int32_t numOperands, numNumbers;
} CutlEpilogueOpInfo;

/** Fills `info` for op number `index` of epilogues, in order of name. Since version 1002. */
CUTL_EXPORT CutlStatus cutlGetEpilogueOp(size_t index, CutlEpilogueOpInfo *info);

CUTL_EXPORT size_t cutlNumChips(void);
/** Name of chip number `index` ("sm_90a"), in order of compute capability; null past the end. */
CUTL_EXPORT const char *cutlChipName(size_t index);

/*===----------------------------------------------------------------------===*\
|* Contexts and diagnostics
\*===----------------------------------------------------------------------===*/

typedef struct CutlContext CutlContext;
typedef struct CutlModule CutlModule;
typedef struct CutlExecutable CutlExecutable;

CUTL_EXPORT CutlStatus cutlContextCreate(CutlContext **context);
CUTL_EXPORT void cutlContextDestroy(CutlContext *context);

typedef enum CutlSeverity {
  CUTL_SEVERITY_ERROR = 0,
  CUTL_SEVERITY_WARNING = 1,
  /** Belongs to the nearest entry before it that is no note. */
  CUTL_SEVERITY_NOTE = 2,
  /** Why the compiler decided as it did, or a fast path that it missed. */
  CUTL_SEVERITY_REMARK = 3
} CutlSeverity;

/** One diagnostic. Strings are valid until the next call on the context or one of its modules. */
typedef struct CutlDiagnostic {
  CutlSeverity severity;
  const char *message;
  /** "file:line:column", or empty when unknown. */
  const char *location;
} CutlDiagnostic;

CUTL_EXPORT size_t cutlContextNumDiagnostics(const CutlContext *context);
/** Fills `diagnostic` with number `index`, in order of emission. */
CUTL_EXPORT CutlStatus cutlContextGetDiagnostic(const CutlContext *context, size_t index,
                                                CutlDiagnostic *diagnostic);

/*===----------------------------------------------------------------------===*\
|* Modules
\*===----------------------------------------------------------------------===*/

/** Receives text in pieces. */
typedef void (*CutlTextCallback)(const char *text, size_t length, void *userData);

/** Parses and verifies text or bytecode. `name` is what diagnostics call the source; null for "<input>". */
CUTL_EXPORT CutlStatus cutlModuleParse(CutlContext *context, const char *data, size_t length, const char *name,
                                       CutlModule **module);
CUTL_EXPORT CutlStatus cutlModuleClone(const CutlModule *module, CutlModule **clone);
CUTL_EXPORT void cutlModuleDestroy(CutlModule *module);

CUTL_EXPORT CutlStatus cutlModulePrint(const CutlModule *module, CutlTextCallback callback, void *userData);
CUTL_EXPORT CutlStatus cutlModuleWriteBytecode(const CutlModule *module, CutlTextCallback callback,
                                               void *userData);

/**
 * Runs passes and pipelines given as text: "cutl-configure{chip=sm_90a}",
 * "canonicalize,cse", or "builtin.module(...)". On failure the module is as it was before.
 */
CUTL_EXPORT CutlStatus cutlModuleRunPipeline(CutlModule *module, const char *pipeline);

/** Name of the form number `index` that a module can be given on its way down; null past the end. A name that the
 *  lowerings for CPU and GPU both have is listed twice. */
CUTL_EXPORT const char *cutlStageName(size_t index);

/**
 * Gives the callback a module in the form of that name; the module stays as it is. Most forms are text; "cubin" and
 * "bundle" are bytes. "schedule", since version 1005, is a drawing as SVG of which CTA does which tile, for extents that
 * are static. `options` are those of the pipelines and `device`, "cpu" or "cuda", where both have the form:
 * "chip=sm_90a device=cuda". Null or empty for none. The callback is called only when all went well.
 */
CUTL_EXPORT CutlStatus cutlModuleEmit(CutlModule *module, const char *stage, const char *options,
                                      CutlTextCallback callback, void *userData);

/** Gives the callback the bytes of a bundle with an entry for each run of `cutl` ops, which cutl/Runtime/Loader.h
 *  loads: cutlModuleEmit of "bundle". Needs no GPU. */
CUTL_EXPORT CutlStatus cutlModuleCompileBundle(CutlModule *module, const char *options, CutlTextCallback callback,
                                               void *userData);

/** Receives what a function calls on a GPU: the name of an entry, which of the function's arguments the entry's are,
 *  arrays first and then numbers, and how many arguments the function has. */
typedef void (*CutlCallCallback)(const char *entry, const uint32_t *arguments, size_t numArguments,
                                 size_t numFunctionArguments, void *userData);

/**
 * Tells how a function is called on a GPU, through the bundle of its module. The function must do nothing but products,
 * with nothing between them that needs the host. Results that are no destination are further arguments at its end.
 */
CUTL_EXPORT CutlStatus cutlModuleGetCall(CutlModule *module, const char *function, const char *options,
                                         CutlCallCallback callback, void *userData);

/**
 * Gives the text of the configuration and of the schedule of a module's one `cutl.gemm`, as CutlGemmProblem takes
 * them; an absent one is an empty text.
 */
CUTL_EXPORT CutlStatus cutlModuleGetConfig(CutlModule *module, CutlTextCallback config, void *configData,
                                           CutlTextCallback schedule, void *scheduleData);

/** Receives a configuration, as CutlGemmProblem takes it, and the microseconds that it is predicted to take. Since version
 *  1003. */
typedef void (*CutlConfigCallback)(const char *config, double predictedUs, void *userData);

/**
 * Calls back with every configuration that the choice for a module's one `cutl.gemm` is made from, best first. The
 * module stays as it is. `options` are those of the pipelines: "chip=sm_90a". Since version 1003.
 */
CUTL_EXPORT CutlStatus cutlModuleListConfigs(CutlModule *module, const char *options, CutlConfigCallback callback,
                                             void *userData);

/*===----------------------------------------------------------------------===*\
|* Building a GEMM
\*===----------------------------------------------------------------------===*/

#define CUTL_DYNAMIC ((int64_t)-1)
#define CUTL_MAX_BATCH 5

/** How floating-point products are formed. */
typedef enum CutlMathMode {
  CUTL_MATH_EXACT = 0,
  CUTL_MATH_TF32 = 1,
  CUTL_MATH_TF32X3 = 2,
  CUTL_MATH_BF16 = 3,
  CUTL_MATH_F16 = 4
} CutlMathMode;

typedef enum CutlActivation {
  CUTL_ACTIVATION_IDENTITY = 0,
  CUTL_ACTIVATION_RELU = 1,
  /** x/2 * (1 + erf(x / sqrt 2)) */
  CUTL_ACTIVATION_GELU = 2,
  /** x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) */
  CUTL_ACTIVATION_GELU_TANH = 3,
  CUTL_ACTIVATION_SILU = 4,
  CUTL_ACTIVATION_SIGMOID = 5,
  CUTL_ACTIVATION_TANH = 6,
  /** x > 0 ? x : argument * x */
  CUTL_ACTIVATION_LEAKY_RELU = 7,
  /** x * min(max(x + 3, 0), 6) / 6 */
  CUTL_ACTIVATION_HARDSWISH = 8,
  /** log(1 + exp(x)). Since version 1002. */
  CUTL_ACTIVATION_SOFTPLUS = 9
} CutlActivation;

/** One array of a problem. */
typedef struct CutlGemmOperand {
  /** CUTL_TYPE_NONE: the operand is absent. */
  CutlDataType type;
  /** The problem's dimension along each dimension of the array: 'm', 'n', 'k', or '0', '1', ... for a batch
   *  dimension. A row-major A is "mk", a column-major one "km", a batch of them "0mk", a row of bias "n". */
  const char *dims;
  /** Nonzero: the last stride is one (only in memref form, where it lets the compiler use vectors). */
  int32_t unitStride;
  /** The stride of the dimension before the last, in elements, if it is known (only in memref form, where what is chosen
   *  takes it into account); 0 if it may be any. Since version 1003. */
  int32_t pitch;
} CutlGemmOperand;

/** How an output that lacks a dimension of the problem combines the values it receives. */
typedef enum CutlCombiner {
  /** The output lacks none. */
  CUTL_COMBINER_NONE = 0,
  CUTL_COMBINER_ADD = 1,
  CUTL_COMBINER_MAX = 2,
  CUTL_COMBINER_MIN = 3,
  /** The largest magnitude. */
  CUTL_COMBINER_AMAX = 4
} CutlCombiner;

/** How one B holds the columns of two accumulators. */
typedef enum CutlSplit {
  CUTL_SPLIT_NONE = 0,
  /** The first N of 2N columns, and the others. */
  CUTL_SPLIT_HALVES = 1,
  /** The even ones of 2N columns, and the odd ones. */
  CUTL_SPLIT_INTERLEAVED = 2
} CutlSplit;

/** What an epilogue reads beside the accumulators. */
typedef struct CutlEpilogueInput {
  /** What errors call it. */
  const char *name;
  /** Any of the problem's dimensions but 'k', in any order; "" for one element. */
  CutlGemmOperand array;
  /** Nonzero: a number by value, of the array's type. */
  int32_t isNumber;
} CutlEpilogueInput;

/**
 * One step of an epilogue. Values are numbered: the accumulators, then the inputs, then the nodes. An op takes numbers
 * in the type that the epilogue computes in, or in 32-bit integers if all are integers and the op has integers.
 * Comparisons give truth values, which are 0 or 1 where a number is wanted.
 */
typedef struct CutlEpilogueNode {
  /** A name from cutlGetEpilogueOp; "constant", the number numbers[0]; or "convert", the operand as `type`: numbers[0]
   *  says whether what is beyond the type's range becomes its end (integers always do), numbers[1] how an integer is
   *  rounded: 0 to the nearest, ties to even, 1 toward zero, 2 down, 3 up. */
  const char *op;
  const int32_t *operands;
  size_t numOperands;
  const double *numbers;
  size_t numNumbers;
  /** Of "convert", otherwise CUTL_TYPE_NONE. */
  CutlDataType type;
  /** What errors call the value; may be null. */
  const char *name;
} CutlEpilogueNode;

/** What an epilogue writes. */
typedef struct CutlEpilogueOutput {
  const char *name;
  /** Without a combiner, all of the problem's dimensions but 'k', in any order; with one, some of them. */
  CutlGemmOperand array;
  /** Number of the value, which is rounded to the array's type; an integer is rounded to and saturated, and 0 for NaN. */
  int32_t value;
  CutlCombiner combiner;
} CutlEpilogueOutput;

/** An epilogue as a graph. */
typedef struct CutlEpilogue {
  /** sizeof(CutlEpilogue) as the caller knows it. */
  size_t structSize;
  const CutlEpilogueInput *inputs;
  size_t numInputs;
  const CutlEpilogueNode *nodes;
  size_t numNodes;
  const CutlEpilogueOutput *outputs;
  size_t numOutputs;
  /** CUTL_TYPE_F32, CUTL_TYPE_F64, or CUTL_TYPE_NONE for f64 with an f64 accumulator and otherwise f32. */
  CutlDataType computeType;
} CutlEpilogue;

/**
 * D = activation(alpha * A B + beta * C + bias), or what `epilogue` says. Initialise to zero, set `structSize`, then what is needed.
 * When beta is 0 at run time, C is not read.
 */
typedef struct CutlGemmProblem {
  /** sizeof(CutlGemmProblem) as the caller knows it; members after that are taken as zero. */
  size_t structSize;
  /** Name of the function; null for "gemm". */
  const char *name;
  /** Nonzero: the function takes memrefs of any strides and returns nothing. Zero: it takes tensors and returns D. */
  int32_t memrefForm;
  /** Extents; CUTL_DYNAMIC for one known only at run time. */
  int64_t m, n, k;
  int32_t numBatch;
  int64_t batch[CUTL_MAX_BATCH];
  CutlGemmOperand a, b, d;
  /** Optional. `bias` is a vector: dims "n" (a row) or "m" (a column), batch dimensions before it if it has any. */
  CutlGemmOperand c, bias;
  /** CUTL_TYPE_NONE for the default of A and B. */
  CutlDataType accumulator;
  CutlMathMode math;
  /** Nonzero: the scale is an argument of the function; zero: it is 1. `beta` needs C. */
  int32_t hasAlpha, hasBeta;
  CutlActivation activation;
  double activationArgument;
  /** Attributes of the operation as text, "#cutl.tile_config<...>" and "#cutl.data_parallel"; null to leave the choice
   *  to the compiler. Since version 1001. */
  const char *config;
  const char *schedule;
  /** Further operands like B, of its type, each with an accumulator of its own; or one B that holds two accumulators'
   *  columns. Either needs an epilogue. Since version 1002. */
  const CutlGemmOperand *moreB;
  size_t numMoreB;
  CutlSplit split;
  /** In place of c, bias, d, alpha, beta and the activation, which must be absent; null for none. */
  const CutlEpilogue *epilogue;
  /** Nonzero: sums may be added in the order in which parts of them arrive, so that the same operands need not give the
   *  same bits in every run. Since version 1004. */
  int32_t anyOrder;
  /** Nonzero: a row of D has the same bits whatever M is. Does not go with `anyOrder`. Since version 1004. */
  int32_t batchInvariant;
  /** How many SMs of a GPU it takes at most at once; 0 for all. Since version 1004. */
  int64_t smBudget;
  /** Nonzero: the exact sum of products of integers is clamped to the accumulator's range instead of wrapping. Since
   *  version 1007. */
  int32_t saturate;
  /** After how many elements of k sums of 8-bit floats are moved to f32 sums; 0 for never. Since version 1007. */
  int64_t promote;
  /** Nonzero: the address of A, or its strides, may be multiples of no more than an element's size, although its
   *  other properties are known, so that it is repacked on a GPU; likewise of B. Since version 1007. */
  int32_t unalignedA;
  int32_t unalignedB;
} CutlGemmProblem;

/**
 * Builds a module of one function that holds one `cutl.gemm`. Its arguments are, in this order and without the
 * absent ones: A, B, C, bias, D, alpha, beta. Scales are f32, or f64 when the accumulator is. With an epilogue they are
 * A, B and the further ones, the inputs that are arrays, the outputs, the inputs that are numbers.
 */
CUTL_EXPORT CutlStatus cutlGemmModuleCreate(CutlContext *context, const CutlGemmProblem *problem,
                                            CutlModule **module);

/** Checks that texts are those of a configuration and of a schedule, as CutlGemmProblem takes them; null or empty for
 *  none. Whether a problem can have them is for the passes to say. Since version 1006. */
CUTL_EXPORT CutlStatus cutlGemmCheckDecisions(CutlContext *context, const char *config, const char *schedule);

/*===----------------------------------------------------------------------===*\
|* Running on the CPU
\*===----------------------------------------------------------------------===*/

/** An array, or a number when `rank` is -1. */
typedef struct CutlArray {
  /** The first element, or the number. */
  void *data;
  CutlDataType type;
  int32_t rank;
  const int64_t *sizes;
  /** In elements. */
  const int64_t *strides;
} CutlArray;

/** Compiles a module for a CPU; the module itself stays as it is. `options` are those of `cutl-to-cpu`, and `cpu`,
 *  the processor as LLVM names it: "cpu=x86-64-v2 vector-bits=128". Null or empty: for this machine. */
CUTL_EXPORT CutlStatus cutlCpuCompile(CutlModule *module, const char *options, CutlExecutable **executable);
CUTL_EXPORT void cutlExecutableDestroy(CutlExecutable *executable);

/** Whether a function may write to argument number `argument`, an array: 1 or 0. Such an array must be writable and
 * share no memory with another argument, which cutlCpuInvoke does not check. */
CUTL_EXPORT int32_t cutlExecutableWrites(const CutlExecutable *executable, const char *function, size_t argument);

/**
 * Calls a function that takes memrefs and numbers and returns nothing. Types, ranks and static sizes and strides
 * are checked. On failure a message is written to `error`, truncated to `errorSize` bytes; both may be 0.
 */
CUTL_EXPORT CutlStatus cutlCpuInvoke(const CutlExecutable *executable, const char *function,
                                     const CutlArray *arguments, size_t numArguments, char *error,
                                     size_t errorSize);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_C_COMPILER_H */
