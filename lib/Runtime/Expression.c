/*===- Expression.c - evaluates the integer expressions of an entry -------===*\
|*                                                                            *|
|* A stack machine over 64-bit integers in which nothing wraps.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>

/** Why an instruction gave no value. */
typedef enum Failure { NONE, OVERFLOW, ZERO_DIVISOR, BAD_OPCODE } Failure;

static Failure floorDivide(int64_t left, int64_t right, int64_t *result) {
  if (right == 0)
    return ZERO_DIVISOR;
  if (left == INT64_MIN && right == -1)
    return OVERFLOW;
  *result = left / right - (left % right != 0 && (left < 0) != (right < 0));
  return NONE;
}

static Failure ceilDivide(int64_t left, int64_t right, int64_t *result) {
  Failure failure = floorDivide(left, right, result);
  if (failure == NONE && left % right != 0)
    ++*result;
  return failure;
}

static Failure modulo(int64_t left, int64_t right, int64_t *result) {
  if (right == 0)
    return ZERO_DIVISOR;
  /* INT64_MIN % -1 traps, though its value is zero. */
  int64_t remainder = right == -1 ? 0 : left % right;
  *result =
      remainder + (remainder && (remainder < 0) != (right < 0) ? right : 0);
  return NONE;
}

static Failure combine(int32_t opcode, int64_t left, int64_t right,
                       int64_t *result) {
  switch (opcode) {
  case CUTL_OP_ADD:
    return __builtin_add_overflow(left, right, result) ? OVERFLOW : NONE;
  case CUTL_OP_SUB:
    return __builtin_sub_overflow(left, right, result) ? OVERFLOW : NONE;
  case CUTL_OP_MUL:
    return __builtin_mul_overflow(left, right, result) ? OVERFLOW : NONE;
  case CUTL_OP_FLOORDIV:
    return floorDivide(left, right, result);
  case CUTL_OP_CEILDIV:
    return ceilDivide(left, right, result);
  case CUTL_OP_MOD:
    return modulo(left, right, result);
  case CUTL_OP_MIN:
    *result = left < right ? left : right;
    return NONE;
  case CUTL_OP_MAX:
    *result = left > right ? left : right;
    return NONE;
  case CUTL_OP_EQ:
    *result = left == right;
    return NONE;
  case CUTL_OP_NE:
    *result = left != right;
    return NONE;
  case CUTL_OP_LT:
    *result = left < right;
    return NONE;
  case CUTL_OP_LE:
    *result = left <= right;
    return NONE;
  case CUTL_OP_GT:
    *result = left > right;
    return NONE;
  case CUTL_OP_GE:
    *result = left >= right;
    return NONE;
  default:
    return BAD_OPCODE;
  }
}

static const char *symbolOf(int32_t opcode) {
  switch (opcode) {
  case CUTL_OP_ADD:
    return "+";
  case CUTL_OP_SUB:
    return "-";
  case CUTL_OP_MUL:
    return "*";
  case CUTL_OP_FLOORDIV:
    return "floordiv";
  case CUTL_OP_CEILDIV:
    return "ceildiv";
  default:
    return "mod";
  }
}

static CutlRuntimeStatus readScalar(const CutlEnvironment *environment,
                                    int32_t index, int64_t *value,
                                    const char *what, const char *of,
                                    CutlRuntimeError *error) {
  const CutlScalar *scalar = &environment->arguments->scalars[index];
  switch (environment->entry->scalars[index].type) {
  case CUTL_ELEMENT_S8:
    *value = (int8_t)scalar->bits;
    return CUTL_RUNTIME_OK;
  case CUTL_ELEMENT_U8:
    *value = (uint8_t)scalar->bits;
    return CUTL_RUNTIME_OK;
  case CUTL_ELEMENT_S32:
    *value = (int32_t)scalar->bits;
    return CUTL_RUNTIME_OK;
  case CUTL_ELEMENT_S64:
    *value = (int64_t)scalar->bits;
    return CUTL_RUNTIME_OK;
  default:
    return cutlFail(
        error, CUTL_RUNTIME_INVALID_ENTRY,
        "%s of '%s' reads scalar %d: expected an integer, got %s", what, of,
        index, cutlElementTypeName(environment->entry->scalars[index].type));
  }
}

/** The value of an instruction that pops nothing. */
static CutlRuntimeStatus readLeaf(const CutlEnvironment *environment,
                                  const CutlInstruction *instruction,
                                  int64_t *value, const char *what,
                                  const char *of, CutlRuntimeError *error) {
  const CutlArguments *arguments = environment->arguments;
  int32_t index = instruction->index;
  switch (instruction->opcode) {
  case CUTL_OP_CONSTANT:
    *value = instruction->value;
    return CUTL_RUNTIME_OK;
  case CUTL_OP_SM_COUNT:
    *value = environment->smCount;
    return CUTL_RUNTIME_OK;
  case CUTL_OP_OCCUPANCY:
    if (!environment->occupancy)
      return cutlFail(
          error, CUTL_RUNTIME_INVALID_ENTRY,
          "%s of '%s' may not use an occupancy, which depends on it", what, of);
    return environment->occupancy(environment->state, index, value, error);
  case CUTL_OP_SCALAR:
    if (index < 0 || (uint32_t)index >= arguments->scalarCount)
      return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                      "%s of '%s' reads scalar %d of %u", what, of, index,
                      arguments->scalarCount);
    return readScalar(environment, index, value, what, of, error);
  default:
    break;
  }
  if (index < 0 || (uint32_t)index >= arguments->operandCount)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "%s of '%s' reads operand %d of %u", what, of, index,
                    arguments->operandCount);
  const CutlOperand *operand = &arguments->operands[index];
  if (instruction->opcode == CUTL_OP_ALIGNMENT) {
    uint64_t address = (uint64_t)(uintptr_t)operand->data;
    *value = (int64_t)((address | UINT64_C(1) << 62) &
                       (~(address | UINT64_C(1) << 62) + 1));
    return CUTL_RUNTIME_OK;
  }
  if (instruction->value < 0 || instruction->value >= (int64_t)operand->rank)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "%s of '%s' reads dimension %" PRId64
                    " of operand %d, which has rank %u",
                    what, of, instruction->value, index, operand->rank);
  *value = instruction->opcode == CUTL_OP_SIZE
               ? operand->sizes[instruction->value]
               : operand->strides[instruction->value];
  return CUTL_RUNTIME_OK;
}

static int isLeaf(int32_t opcode) {
  return opcode >= CUTL_OP_CONSTANT && opcode <= CUTL_OP_OCCUPANCY;
}

CutlRuntimeStatus cutlEvaluate(const CutlEnvironment *environment,
                               const CutlExpression *expression,
                               int64_t fallback, const char *what,
                               const char *of, int64_t *value,
                               CutlRuntimeError *error) {
  if (expression->count == 0) {
    *value = fallback;
    return CUTL_RUNTIME_OK;
  }
  if (!expression->instructions)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "%s of '%s' has %u instructions at a null pointer", what,
                    of, expression->count);
  int64_t stack[CUTL_MAX_EXPRESSION_DEPTH];
  uint32_t depth = 0;
  for (uint32_t i = 0; i < expression->count; ++i) {
    const CutlInstruction *instruction = &expression->instructions[i];
    if (isLeaf(instruction->opcode)) {
      if (depth == CUTL_MAX_EXPRESSION_DEPTH)
        return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                        "%s of '%s' holds more than %d values at once", what,
                        of, CUTL_MAX_EXPRESSION_DEPTH);
      CutlRuntimeStatus status =
          readLeaf(environment, instruction, &stack[depth], what, of, error);
      if (status != CUTL_RUNTIME_OK)
        return status;
      ++depth;
      continue;
    }
    if (depth < 2)
      return cutlFail(
          error, CUTL_RUNTIME_INVALID_ENTRY,
          "instruction %u (opcode %d) of %s of '%s' needs 2 values, "
          "got %u",
          i, instruction->opcode, what, of, depth);
    int64_t left = stack[depth - 2], right = stack[depth - 1];
    switch (combine(instruction->opcode, left, right, &stack[depth - 2])) {
    case NONE:
      break;
    case OVERFLOW:
      return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                      "%s of '%s' does not fit 64 bits: %" PRId64
                      " %s %" PRId64,
                      what, of, left, symbolOf(instruction->opcode), right);
    case ZERO_DIVISOR:
      return cutlFail(error, CUTL_RUNTIME_ARITHMETIC,
                      "%s of '%s' divides by zero: %" PRId64 " %s 0", what, of,
                      left, symbolOf(instruction->opcode));
    case BAD_OPCODE:
      return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                      "instruction %u of %s of '%s' has the unknown opcode %d",
                      i, what, of, instruction->opcode);
    }
    --depth;
  }
  if (depth != 1)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "%s of '%s' leaves %u values, expected 1", what, of, depth);
  *value = stack[0];
  return CUTL_RUNTIME_OK;
}
