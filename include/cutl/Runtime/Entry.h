/*===- cutl/Runtime/Entry.h - what a bundle holds, as plain structs -*- C
-*-===*\
|*                                                                            *|
|* An entry is one callable: its signature and, per chip and guard, the steps *|
|* that compute it. Everything here is plain data that nobody writes to once  *|
|* it is in use: pointers with counts, no ownership, no alignment tricks. A   *|
|* loader or a C initialiser fills it, the runtime reads it.                  *|
|*                                                                            *|
|* A null array goes with a count of zero. Text is null-terminated.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_RUNTIME_ENTRY_H
#define CUTL_RUNTIME_ENTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these structs and of the runtime's functions. A bundle of
    another version is refused. */
#define CUTL_RUNTIME_ABI_VERSION 1

/** The greatest rank of an operand. */
#define CUTL_MAX_RANK 8
/** Dimensions of a tensor map, set by the hardware. */
#define CUTL_MAX_TENSOR_MAP_RANK 5
/** What the address and the strides of a tensor map must be multiples of, in
    bytes, and the greatest stride. */
#define CUTL_TENSOR_MAP_ALIGNMENT 16
#define CUTL_MAX_TENSOR_MAP_STRIDE ((INT64_C(1) << 40) - CUTL_TENSOR_MAP_ALIGNMENT)
/** Values that an expression may hold at once. */
#define CUTL_MAX_EXPRESSION_DEPTH 32
/** Of all steps of one variant together, so that a launch allocates nothing. */
#define CUTL_MAX_STEPS 16
#define CUTL_MAX_PARAMETERS 512
#define CUTL_MAX_TENSOR_MAPS 32
/** What the address of a workspace must be a multiple of. */
#define CUTL_WORKSPACE_ALIGNMENT 256
/** A size in a signature that the caller chooses. */
#define CUTL_ANY_SIZE ((int64_t)-1)

/** Element types of operands and scalars. */
typedef enum CutlElementType {
  CUTL_ELEMENT_NONE = 0,
  CUTL_ELEMENT_F16 = 1,
  CUTL_ELEMENT_BF16 = 2,
  CUTL_ELEMENT_F32 = 3,
  CUTL_ELEMENT_F64 = 4,
  CUTL_ELEMENT_E4M3 = 6,
  CUTL_ELEMENT_E5M2 = 7,
  CUTL_ELEMENT_E8M0 = 8,
  CUTL_ELEMENT_E2M3 = 9,
  CUTL_ELEMENT_E3M2 = 10,
  CUTL_ELEMENT_E2M1 = 11,
  CUTL_ELEMENT_S4 = 12,
  CUTL_ELEMENT_U4 = 13,
  CUTL_ELEMENT_S8 = 14,
  CUTL_ELEMENT_U8 = 15,
  CUTL_ELEMENT_S32 = 16,
  /** Scalars only: an index or a 64-bit integer. */
  CUTL_ELEMENT_S64 = 17
} CutlElementType;

/*===- Expressions --------------------------------------------------------===*/

/** One instruction of a stack machine over 64-bit signed integers. Division
    rounds down and a remainder has the sign of the divisor. A result that does
    not fit 64 bits and a division by zero are errors. Comparisons give 1 or 0.
 */
typedef enum CutlOpcode {
  /** Pushes `value`. */
  CUTL_OP_CONSTANT = 0,
  /** Pushes the size of dimension `value` of operand `index`. */
  CUTL_OP_SIZE = 1,
  /** Pushes its stride, in elements. */
  CUTL_OP_STRIDE = 2,
  /** Pushes the greatest power of two that divides operand `index`'s address;
      2^62 for a null pointer. */
  CUTL_OP_ALIGNMENT = 3,
  /** Pushes scalar `index`, which must be an integer. */
  CUTL_OP_SCALAR = 4,
  /** Pushes the number of multiprocessors of the device. */
  CUTL_OP_SM_COUNT = 5,
  /** Pushes how many CTAs of launch step `index` of this variant the device
      holds at once: a multiple of the cluster's size. Not for the block,
      cluster and shared memory of a launch, which it depends on. */
  CUTL_OP_OCCUPANCY = 6,
  /** The rest pop the right operand, then the left one, and push the result. */
  CUTL_OP_ADD = 16,
  CUTL_OP_SUB = 17,
  CUTL_OP_MUL = 18,
  CUTL_OP_FLOORDIV = 19,
  CUTL_OP_CEILDIV = 20,
  CUTL_OP_MOD = 21,
  CUTL_OP_MIN = 22,
  CUTL_OP_MAX = 23,
  CUTL_OP_EQ = 24,
  CUTL_OP_NE = 25,
  CUTL_OP_LT = 26,
  CUTL_OP_LE = 27,
  CUTL_OP_GT = 28,
  CUTL_OP_GE = 29
} CutlOpcode;

typedef struct CutlInstruction {
  /** A CutlOpcode. */
  int32_t opcode;
  /** An operand, scalar or step, as the opcode says; else zero. */
  int32_t index;
  /** A constant or a dimension, as the opcode says; else zero. */
  int64_t value;
} CutlInstruction;

/** Instructions that leave one value. One without instructions stands for the
    default that the field holding it states. */
typedef struct CutlExpression {
  const CutlInstruction *instructions;
  uint32_t count;
} CutlExpression;

/*===- Signature ----------------------------------------------------------===*/

typedef enum CutlAccess {
  CUTL_ACCESS_READ = 0,
  CUTL_ACCESS_WRITE = 1
} CutlAccess;

typedef struct CutlOperandSignature {
  /** For error messages. */
  const char *name;
  /** A CutlElementType. */
  int32_t type;
  /** A CutlAccess; an operand that is read and written is WRITE. */
  int32_t access;
  /** At most CUTL_MAX_RANK; a scalar in device memory has rank 0. */
  uint32_t rank;
  /** `rank` sizes, CUTL_ANY_SIZE where the caller chooses; null: all of them.
   */
  const int64_t *sizes;
} CutlOperandSignature;

typedef struct CutlScalarSignature {
  /** For error messages. */
  const char *name;
  /** A CutlElementType of at least 8 bits. */
  int32_t type;
} CutlScalarSignature;

/*===- Guards -------------------------------------------------------------===*/

typedef enum CutlGuardKind {
  /** `low` <= size of `dimension` <= `high`. */
  CUTL_GUARD_SIZE_RANGE = 0,
  /** The size of `dimension` is a multiple of `divisor`. */
  CUTL_GUARD_SIZE_DIVISIBLE = 1,
  /** The size of `dimension` equals `expression`. */
  CUTL_GUARD_SIZE_EQUALS = 2,
  /** The address is a multiple of `divisor`. */
  CUTL_GUARD_POINTER_ALIGNMENT = 3,
  /** `low` <= stride of `dimension`, in elements, <= `high`. Guards of strides
      hold where the size is at most one, since nothing then uses the stride. */
  CUTL_GUARD_STRIDE_RANGE = 4,
  /** The stride of `dimension`, in bytes, is a multiple of `divisor`. */
  CUTL_GUARD_STRIDE_ALIGNMENT = 5,
  /** `expression` is not zero. */
  CUTL_GUARD_CONDITION = 6
} CutlGuardKind;

/** A condition on a call. */
typedef struct CutlGuard {
  /** A CutlGuardKind. */
  int32_t kind;
  /** Which operand, and which of its dimensions, for all but CONDITION. */
  int32_t operand;
  int32_t dimension;
  /** The bounds of a range, both allowed. */
  int64_t low;
  int64_t high;
  /** What must divide; at least 1. */
  int64_t divisor;
  /** The other side of SIZE_EQUALS, or the condition. */
  CutlExpression expression;
  /** What the caller reads when this is why a call is refused: "expected the
      pitch of 'x' to be a multiple of 16 bytes". The runtime adds ", got V"
      except to a CONDITION. Empty in a CONDITION that only chooses between
      variants, any of which would do. */
  const char *text;
} CutlGuard;

/*===- Steps --------------------------------------------------------------===*/

typedef enum CutlImageKind {
  /** An ELF file for one chip. */
  CUTL_IMAGE_CUBIN = 0,
  /** Text with its terminating null, which the driver compiles. */
  CUTL_IMAGE_PTX = 1
} CutlImageKind;

/** Code that the driver loads as one module. The address of this struct is its
    identity: see cutlRuntimeReleaseImage. */
typedef struct CutlImage {
  /** For error messages. */
  const char *name;
  /** A CutlImageKind. */
  int32_t kind;
  const void *data;
  /** Bytes; of PTX, with the null. */
  uint64_t size;
} CutlImage;

typedef enum CutlAddressKind {
  CUTL_ADDRESS_OPERAND = 0,
  CUTL_ADDRESS_WORKSPACE = 1
} CutlAddressKind;

/** A place in device memory. */
typedef struct CutlAddress {
  /** A CutlAddressKind. */
  int32_t kind;
  /** Which operand; zero for the workspace. */
  int32_t operand;
  /** Bytes from its start; default 0. */
  CutlExpression offset;
} CutlAddress;

/** The numbers are the driver's. */
typedef enum CutlTensorMapType {
  CUTL_TENSOR_MAP_UINT8 = 0,
  CUTL_TENSOR_MAP_UINT16 = 1,
  CUTL_TENSOR_MAP_UINT32 = 2,
  CUTL_TENSOR_MAP_INT32 = 3,
  CUTL_TENSOR_MAP_FLOAT16 = 6,
  CUTL_TENSOR_MAP_FLOAT32 = 7,
  CUTL_TENSOR_MAP_FLOAT64 = 8,
  CUTL_TENSOR_MAP_BFLOAT16 = 9,
  CUTL_TENSOR_MAP_TFLOAT32 = 11
} CutlTensorMapType;

typedef enum CutlSwizzle {
  CUTL_SWIZZLE_NONE = 0,
  CUTL_SWIZZLE_32B = 1,
  CUTL_SWIZZLE_64B = 2,
  CUTL_SWIZZLE_128B = 3
} CutlSwizzle;

typedef enum CutlL2Promotion {
  CUTL_L2_PROMOTION_NONE = 0,
  CUTL_L2_PROMOTION_64B = 1,
  CUTL_L2_PROMOTION_128B = 2,
  CUTL_L2_PROMOTION_256B = 3
} CutlL2Promotion;

/** What a load gives outside the tensor. */
typedef enum CutlOutOfBounds {
  CUTL_OUT_OF_BOUNDS_ZERO = 0,
  CUTL_OUT_OF_BOUNDS_NAN = 1
} CutlOutOfBounds;

/** A tiled tensor map, dimensions innermost first. One with a size of zero is
    encoded with one element in its place: a kernel must not use it. */
typedef struct CutlTensorMap {
  /** A multiple of 16 when evaluated. */
  CutlAddress address;
  /** A CutlTensorMapType. */
  int32_t type;
  /** 1 to CUTL_MAX_TENSOR_MAP_RANK. */
  uint32_t rank;
  /** `rank` sizes, in elements. */
  const CutlExpression *sizes;
  /** `rank` - 1 strides in bytes, of the dimensions after the innermost:
      multiples of 16 when evaluated. Where the size is at most one the stride
      is free, and the runtime gives the driver one that it takes. */
  const CutlExpression *strides;
  /** `rank` extents of the box, each 1 to 256. */
  const uint32_t *box;
  /** A CutlSwizzle. */
  int32_t swizzle;
  /** A CutlL2Promotion. */
  int32_t l2Promotion;
  /** A CutlOutOfBounds. */
  int32_t outOfBounds;
} CutlTensorMap;

typedef enum CutlParameterKind {
  /** The value of `expression`, in `bytes` bytes. */
  CUTL_PARAMETER_EXPRESSION = 0,
  /** A 64-bit device address. */
  CUTL_PARAMETER_ADDRESS = 1,
  /** Tensor map `index` of the launch, 128 bytes by value. */
  CUTL_PARAMETER_TENSOR_MAP = 2,
  /** Scalar `index` of the call, in as many bytes as its type has. */
  CUTL_PARAMETER_SCALAR = 3
} CutlParameterKind;

/** A kernel parameter. */
typedef struct CutlParameter {
  /** A CutlParameterKind. */
  int32_t kind;
  /** A tensor map or scalar, as the kind says. */
  int32_t index;
  /** EXPRESSION: 4 or 8. A value that does not fit is an error. */
  uint32_t bytes;
  CutlExpression expression;
  CutlAddress address;
} CutlParameter;

/** A kernel launch. With a zero in the grid it is skipped. */
typedef struct CutlLaunch {
  const CutlImage *image;
  /** The kernel's name in the image. */
  const char *kernel;
  /** CTAs along x, y, z; default 1. A multiple of the cluster's extent. */
  CutlExpression grid[3];
  /** CTAs of a cluster along x, y, z; default 1. */
  CutlExpression cluster[3];
  /** Threads of a CTA along x, y, z; default 1. */
  CutlExpression block[3];
  /** Bytes of dynamic shared memory; default 0. */
  CutlExpression sharedBytes;
  const CutlTensorMap *tensorMaps;
  uint32_t tensorMapCount;
  /** In the kernel's order. */
  const CutlParameter *parameters;
  uint32_t parameterCount;
  /** 1 if the kernel waits by itself, before it touches memory, for what is
      ahead of it in the stream, and so may start earlier; default 0. */
  uint32_t programmatic;
} CutlLaunch;

/** Fills memory with one value. */
typedef struct CutlMemset {
  CutlAddress destination;
  /** How many elements; default 0, and then nothing is done. */
  CutlExpression count;
  /** Bytes of an element: 1, 2 or 4. */
  uint32_t elementBytes;
  /** The value, in the low bytes. */
  uint32_t value;
} CutlMemset;

/** Copies bytes from device memory to device memory. */
typedef struct CutlCopy {
  CutlAddress destination;
  CutlAddress source;
  /** Bytes; default 0, and then nothing is done. */
  CutlExpression bytes;
} CutlCopy;

typedef enum CutlStepKind {
  CUTL_STEP_LAUNCH = 0,
  CUTL_STEP_MEMSET = 1,
  CUTL_STEP_COPY = 2
} CutlStepKind;

/** One thing put on the stream. The member that `kind` names is set. */
typedef struct CutlStep {
  /** A CutlStepKind. */
  int32_t kind;
  const CutlLaunch *launch;
  const CutlMemset *memset;
  const CutlCopy *copy;
} CutlStep;

/*===- Entries ------------------------------------------------------------===*/

/** One way to compute an entry. */
typedef struct CutlVariant {
  /** For error messages. */
  const char *name;
  /** What the images were compiled for: "sm_90a" runs on compute capability
      9.0 alone, "sm_100f" on 10.x. A cubin for "sm_86" runs on 8.x from 8.6 on,
      PTX for it on anything later too. */
  const char *chip;
  /** All must hold. */
  const CutlGuard *guards;
  uint32_t guardCount;
  /** Of the workspace; default 0. */
  CutlExpression workspaceBytes;
  /** In stream order. */
  const CutlStep *steps;
  uint32_t stepCount;
} CutlVariant;

/** A callable. */
typedef struct CutlEntry {
  /** For error messages and look-up. */
  const char *name;
  const CutlOperandSignature *operands;
  uint32_t operandCount;
  const CutlScalarSignature *scalars;
  uint32_t scalarCount;
  /** What every call must meet, whichever variant runs: agreeing sizes. */
  const CutlGuard *requirements;
  uint32_t requirementCount;
  /** The first for the device whose guards hold is run: special ones first. */
  const CutlVariant *variants;
  uint32_t variantCount;
} CutlEntry;

/** What a file holds. */
typedef struct CutlBundle {
  /** CUTL_RUNTIME_ABI_VERSION of the compiler that made it. */
  uint32_t abiVersion;
  const CutlEntry *entries;
  uint32_t entryCount;
} CutlBundle;

#ifdef __cplusplus
}
#endif

#endif /* CUTL_RUNTIME_ENTRY_H */
