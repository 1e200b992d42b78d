/*===- Verify.c - checks a bundle ahead of any call -----------------------===*\
|*                                                                            *|
|* Everything that the launching functions would refuse whatever the          *|
|* arguments: so that a bundle that loads is one that can be launched.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/** What is being checked, and what errors say about where that is. */
typedef struct Scope {
  const CutlEntry *entry;
  /** Null outside variants. */
  const CutlVariant *variant;
  char where[256];
  CutlRuntimeError *error;
} Scope;

static CutlRuntimeStatus refuse(const Scope *scope, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static CutlRuntimeStatus refuse(const Scope *scope, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return cutlFail(scope->error, CUTL_RUNTIME_INVALID_ENTRY, "%s: %s",
                  scope->where, text);
}

static CutlRuntimeStatus checkArray(const Scope *scope, const void *array,
                                    uint32_t count, const char *what) {
  if (array || count == 0)
    return CUTL_RUNTIME_OK;
  return refuse(scope, "expected %u %s, got a null pointer", count, what);
}

static CutlRuntimeStatus checkChoice(const Scope *scope, int32_t value,
                                     int32_t last, const char *what) {
  if (value >= 0 && value <= last)
    return CUTL_RUNTIME_OK;
  return refuse(scope, "expected %s of 0 to %d, got %d", what, last, value);
}

static CutlRuntimeStatus checkOperandIndex(const Scope *scope, int32_t operand,
                                           const char *what) {
  if (operand >= 0 && (uint32_t)operand < scope->entry->operandCount)
    return CUTL_RUNTIME_OK;
  return refuse(scope, "%s: expected one of %u operands, got operand %d", what,
                scope->entry->operandCount, operand);
}

static CutlRuntimeStatus checkDimension(const Scope *scope, int32_t operand,
                                        int64_t dimension, const char *what) {
  CutlRuntimeStatus status = checkOperandIndex(scope, operand, what);
  if (status != CUTL_RUNTIME_OK)
    return status;
  uint32_t rank = scope->entry->operands[operand].rank;
  if (dimension >= 0 && dimension < (int64_t)rank)
    return CUTL_RUNTIME_OK;
  return refuse(scope,
                "%s: expected a dimension of operand %d, which has rank %u, "
                "got %" PRId64,
                what, operand, rank, dimension);
}

/*===- Expressions --------------------------------------------------------===*/

static int isInteger(int32_t type) {
  return type == CUTL_ELEMENT_S8 || type == CUTL_ELEMENT_U8 ||
         type == CUTL_ELEMENT_S32 || type == CUTL_ELEMENT_S64;
}

static CutlRuntimeStatus checkLeaf(const Scope *scope,
                                   const CutlInstruction *instruction,
                                   int mayUseOccupancy, const char *what) {
  int32_t index = instruction->index;
  switch (instruction->opcode) {
  case CUTL_OP_SIZE:
  case CUTL_OP_STRIDE:
    return checkDimension(scope, index, instruction->value, what);
  case CUTL_OP_ALIGNMENT:
    return checkOperandIndex(scope, index, what);
  case CUTL_OP_SCALAR:
    if (index >= 0 && (uint32_t)index < scope->entry->scalarCount &&
        isInteger(scope->entry->scalars[index].type))
      return CUTL_RUNTIME_OK;
    return refuse(scope, "%s: expected an integer of %u scalars, got scalar %d",
                  what, scope->entry->scalarCount, index);
  case CUTL_OP_OCCUPANCY:
    if (mayUseOccupancy && scope->variant && index >= 0 &&
        (uint32_t)index < scope->variant->stepCount &&
        scope->variant->steps[index].kind == CUTL_STEP_LAUNCH)
      return CUTL_RUNTIME_OK;
    return refuse(scope,
                  "%s: expected the occupancy of a launch, and only where it "
                  "does not depend on the value, got step %d",
                  what, index);
  default:
    return CUTL_RUNTIME_OK;
  }
}

static CutlRuntimeStatus checkExpression(const Scope *scope,
                                         const CutlExpression *expression,
                                         int mayUseOccupancy,
                                         const char *what) {
  CutlRuntimeStatus status =
      checkArray(scope, expression->instructions, expression->count, what);
  uint32_t depth = 0;
  for (uint32_t i = 0; !status && i < expression->count; ++i) {
    const CutlInstruction *instruction = &expression->instructions[i];
    int32_t opcode = instruction->opcode;
    if (opcode >= CUTL_OP_CONSTANT && opcode <= CUTL_OP_OCCUPANCY) {
      status = checkLeaf(scope, instruction, mayUseOccupancy, what);
      if (!status && ++depth > CUTL_MAX_EXPRESSION_DEPTH)
        status = refuse(scope,
                        "%s: expected at most %d values at once, got "
                        "more",
                        what, CUTL_MAX_EXPRESSION_DEPTH);
    } else if (opcode < CUTL_OP_ADD || opcode > CUTL_OP_GE) {
      status = refuse(scope, "%s: expected an opcode, got %d", what, opcode);
    } else if (depth < 2) {
      status = refuse(scope, "%s: expected 2 values for opcode %d, got %u",
                      what, opcode, depth);
    } else {
      --depth;
    }
  }
  if (!status && expression->count && depth != 1)
    status =
        refuse(scope, "%s: expected to leave 1 value, got %u", what, depth);
  return status;
}

/*===- Signatures and guards ----------------------------------------------===*/

static CutlRuntimeStatus checkOperand(const Scope *scope, uint32_t index) {
  const CutlOperandSignature *operand = &scope->entry->operands[index];
  if (!operand->name || !cutlElementTypeName(operand->type) ||
      operand->rank > CUTL_MAX_RANK)
    return refuse(scope,
                  "operand %u: expected a name, an element type and a rank of "
                  "at most %d, got type %d and rank %u",
                  index, CUTL_MAX_RANK, operand->type, operand->rank);
  for (uint32_t i = 0; operand->sizes && i < operand->rank; ++i)
    if (operand->sizes[i] < 0 && operand->sizes[i] != CUTL_ANY_SIZE)
      return refuse(scope,
                    "operand %u: expected a size of at least 0 for dimension "
                    "%u, got %" PRId64,
                    index, i, operand->sizes[i]);
  return checkChoice(scope, operand->access, CUTL_ACCESS_WRITE, "an access");
}

static CutlRuntimeStatus checkScalar(const Scope *scope, uint32_t index) {
  const CutlScalarSignature *scalar = &scope->entry->scalars[index];
  if (scalar->name && cutlElementTypeBits(scalar->type) >= 8)
    return CUTL_RUNTIME_OK;
  return refuse(scope,
                "scalar %u: expected a name and a type of at least 8 bits, got "
                "type %d",
                index, scalar->type);
}

static CutlRuntimeStatus checkGuard(const Scope *scope,
                                    const CutlGuard *guard) {
  static const char what[] = "a guard";
  CutlRuntimeStatus status =
      checkChoice(scope, guard->kind, CUTL_GUARD_CONDITION, "a kind of guard");
  if (status != CUTL_RUNTIME_OK)
    return status;
  if (!guard->text)
    return refuse(scope, "expected a guard with a text, got null");
  if (guard->kind == CUTL_GUARD_POINTER_ALIGNMENT)
    status = checkOperandIndex(scope, guard->operand, what);
  else if (guard->kind != CUTL_GUARD_CONDITION)
    status = checkDimension(scope, guard->operand, guard->dimension, what);
  if (status != CUTL_RUNTIME_OK)
    return status;
  switch (guard->kind) {
  case CUTL_GUARD_SIZE_DIVISIBLE:
  case CUTL_GUARD_POINTER_ALIGNMENT:
  case CUTL_GUARD_STRIDE_ALIGNMENT:
    if (guard->divisor < 1)
      return refuse(scope,
                    "expected a guard's divisor of at least 1, got %" PRId64,
                    guard->divisor);
    return CUTL_RUNTIME_OK;
  case CUTL_GUARD_SIZE_EQUALS:
  case CUTL_GUARD_CONDITION:
    if (guard->expression.count == 0)
      return refuse(scope, "expected a guard with an expression, got none");
    return checkExpression(scope, &guard->expression, 0, what);
  default:
    return CUTL_RUNTIME_OK;
  }
}

static CutlRuntimeStatus checkGuards(const Scope *scope,
                                     const CutlGuard *guards, uint32_t count) {
  CutlRuntimeStatus status = checkArray(scope, guards, count, "guards");
  for (uint32_t i = 0; !status && i < count; ++i)
    status = checkGuard(scope, &guards[i]);
  return status;
}

/*===- Steps --------------------------------------------------------------===*/

static CutlRuntimeStatus checkAddress(const Scope *scope,
                                      const CutlAddress *address) {
  CutlRuntimeStatus status = checkChoice(
      scope, address->kind, CUTL_ADDRESS_WORKSPACE, "a kind of address");
  if (!status && address->kind == CUTL_ADDRESS_OPERAND)
    status = checkOperandIndex(scope, address->operand, "an address");
  if (!status)
    status = checkExpression(scope, &address->offset, 1, "an offset");
  return status;
}

static CutlRuntimeStatus checkTensorMap(const Scope *scope,
                                        const CutlTensorMap *map) {
  if (map->rank < 1 || map->rank > CUTL_MAX_TENSOR_MAP_RANK || !map->sizes ||
      !map->box || (map->rank > 1 && !map->strides))
    return refuse(scope,
                  "expected a tensor map of rank 1 to %d with sizes, strides "
                  "and box, got rank %u",
                  CUTL_MAX_TENSOR_MAP_RANK, map->rank);
  if (!cutlTensorMapTypeBytes(map->type))
    return refuse(scope, "expected a type of tensor maps, got %d", map->type);
  CutlRuntimeStatus status = checkAddress(scope, &map->address);
  for (uint32_t i = 0; !status && i < map->rank; ++i) {
    status = checkExpression(scope, &map->sizes[i], 1, "a size");
    if (!status && i > 0)
      status = checkExpression(scope, &map->strides[i - 1], 1, "a stride");
    if (!status && (map->box[i] < 1 || map->box[i] > 256))
      status = refuse(scope, "expected a tensor map's box of 1 to 256, got %u",
                      map->box[i]);
  }
  if (!status)
    status = checkChoice(scope, map->swizzle, CUTL_SWIZZLE_128B, "a swizzle");
  if (!status)
    status = checkChoice(scope, map->l2Promotion, CUTL_L2_PROMOTION_256B,
                         "an L2 promotion");
  if (!status)
    status = checkChoice(scope, map->outOfBounds, CUTL_OUT_OF_BOUNDS_NAN,
                         "a value out of bounds");
  return status;
}

static CutlRuntimeStatus checkParameter(const Scope *scope,
                                        const CutlLaunch *launch,
                                        const CutlParameter *parameter) {
  int32_t index = parameter->index;
  switch (parameter->kind) {
  case CUTL_PARAMETER_EXPRESSION:
    if (parameter->bytes != 4 && parameter->bytes != 8)
      return refuse(scope, "expected a parameter of 4 or 8 bytes, got %u",
                    parameter->bytes);
    return checkExpression(scope, &parameter->expression, 1, "a parameter");
  case CUTL_PARAMETER_ADDRESS:
    return checkAddress(scope, &parameter->address);
  case CUTL_PARAMETER_TENSOR_MAP:
    if (index >= 0 && (uint32_t)index < launch->tensorMapCount)
      return CUTL_RUNTIME_OK;
    return refuse(scope, "expected one of %u tensor maps, got %d",
                  launch->tensorMapCount, index);
  case CUTL_PARAMETER_SCALAR:
    if (index >= 0 && (uint32_t)index < scope->entry->scalarCount)
      return CUTL_RUNTIME_OK;
    return refuse(scope, "expected one of %u scalars, got %d",
                  scope->entry->scalarCount, index);
  default:
    return checkChoice(scope, parameter->kind, CUTL_PARAMETER_SCALAR,
                       "a kind of parameter");
  }
}

static CutlRuntimeStatus checkLaunch(const Scope *scope,
                                     const CutlLaunch *launch) {
  const CutlImage *image = launch->image;
  if (!image || !image->name || !launch->kernel)
    return refuse(scope, "expected a launch with an image, its name and a "
                         "kernel, got null");
  CutlRuntimeStatus status = cutlCheckImage(image, scope->error);
  for (int i = 0; !status && i < 3; ++i) {
    status = checkExpression(scope, &launch->grid[i], 1, "a grid");
    if (!status)
      status = checkExpression(scope, &launch->cluster[i], 0, "a cluster");
    if (!status)
      status = checkExpression(scope, &launch->block[i], 0, "a block");
  }
  if (!status)
    status = checkExpression(scope, &launch->sharedBytes, 0, "shared memory");
  if (!status)
    status = checkArray(scope, launch->tensorMaps, launch->tensorMapCount,
                        "tensor maps");
  for (uint32_t i = 0; !status && i < launch->tensorMapCount; ++i)
    status = checkTensorMap(scope, &launch->tensorMaps[i]);
  if (!status)
    status = checkArray(scope, launch->parameters, launch->parameterCount,
                        "parameters");
  for (uint32_t i = 0; !status && i < launch->parameterCount; ++i)
    status = checkParameter(scope, launch, &launch->parameters[i]);
  return status;
}

static CutlRuntimeStatus checkMemset(const Scope *scope,
                                     const CutlMemset *memset) {
  uint32_t bytes = memset->elementBytes;
  if (bytes != 1 && bytes != 2 && bytes != 4)
    return refuse(scope, "expected elements of 1, 2 or 4 bytes, got %u", bytes);
  CutlRuntimeStatus status = checkAddress(scope, &memset->destination);
  if (!status)
    status = checkExpression(scope, &memset->count, 1, "a count");
  return status;
}

static CutlRuntimeStatus checkCopy(const Scope *scope, const CutlCopy *copy) {
  CutlRuntimeStatus status = checkAddress(scope, &copy->destination);
  if (!status)
    status = checkAddress(scope, &copy->source);
  if (!status)
    status = checkExpression(scope, &copy->bytes, 1, "a number of bytes");
  return status;
}

static CutlRuntimeStatus checkStep(const Scope *scope, const CutlStep *step) {
  switch (step->kind) {
  case CUTL_STEP_LAUNCH:
    return checkLaunch(scope, step->launch);
  case CUTL_STEP_MEMSET:
    return checkMemset(scope, step->memset);
  default:
    return checkCopy(scope, step->copy);
  }
}

/*===- Variants and entries -----------------------------------------------===*/

/** That steps are there, before anything refers to them, and their sums. */
static CutlRuntimeStatus checkStepKinds(const Scope *scope) {
  const CutlVariant *variant = scope->variant;
  if (variant->stepCount > CUTL_MAX_STEPS)
    return refuse(scope, "expected at most %d steps, got %u", CUTL_MAX_STEPS,
                  variant->stepCount);
  CutlRuntimeStatus status =
      checkArray(scope, variant->steps, variant->stepCount, "steps");
  if (status != CUTL_RUNTIME_OK)
    return status;
  uint64_t parameters = 0, maps = 0;
  for (uint32_t i = 0; i < variant->stepCount; ++i) {
    const CutlStep *step = &variant->steps[i];
    if (!(step->kind == CUTL_STEP_LAUNCH && step->launch) &&
        !(step->kind == CUTL_STEP_MEMSET && step->memset) &&
        !(step->kind == CUTL_STEP_COPY && step->copy))
      return refuse(scope,
                    "expected step %u to be a launch, memset or copy with its "
                    "struct, got kind %d",
                    i, step->kind);
    if (step->kind == CUTL_STEP_LAUNCH) {
      parameters += step->launch->parameterCount;
      maps += step->launch->tensorMapCount;
    }
  }
  if (parameters > CUTL_MAX_PARAMETERS || maps > CUTL_MAX_TENSOR_MAPS)
    return refuse(scope,
                  "expected at most %d parameters and %d tensor maps in all "
                  "steps, got %" PRIu64 " and %" PRIu64,
                  CUTL_MAX_PARAMETERS, CUTL_MAX_TENSOR_MAPS, parameters, maps);
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus checkVariant(Scope *scope, uint32_t index) {
  const CutlVariant *variant = &scope->entry->variants[index];
  int number;
  char suffix;
  snprintf(scope->where, sizeof(scope->where), "entry '%.64s', variant %u",
           scope->entry->name, index);
  scope->variant = variant;
  if (!variant->name || !variant->chip)
    return refuse(scope, "expected a name and a chip, got null");
  if (!cutlParseChip(variant->chip, &number, &suffix))
    return refuse(scope, "expected a chip like sm_90a, got '%s'",
                  variant->chip);
  CutlRuntimeStatus status = checkStepKinds(scope);
  if (!status)
    status = checkGuards(scope, variant->guards, variant->guardCount);
  if (!status)
    status = checkExpression(scope, &variant->workspaceBytes, 1, "workspace");
  for (uint32_t i = 0; !status && i < variant->stepCount; ++i) {
    snprintf(scope->where, sizeof(scope->where),
             "entry '%.64s', variant '%.64s', step %u", scope->entry->name,
             variant->name, i);
    status = checkStep(scope, &variant->steps[i]);
  }
  return status;
}

static CutlRuntimeStatus checkEntry(const CutlEntry *entry, uint32_t index,
                                    CutlRuntimeError *error) {
  Scope scope;
  scope.entry = entry;
  scope.variant = NULL;
  scope.error = error;
  snprintf(scope.where, sizeof(scope.where), "entry %u", index);
  if (!entry->name)
    return refuse(&scope, "expected a name, got null");
  snprintf(scope.where, sizeof(scope.where), "entry '%.64s'", entry->name);
  CutlRuntimeStatus status =
      checkArray(&scope, entry->operands, entry->operandCount, "operands");
  if (!status)
    status = checkArray(&scope, entry->scalars, entry->scalarCount, "scalars");
  for (uint32_t i = 0; !status && i < entry->operandCount; ++i)
    status = checkOperand(&scope, i);
  for (uint32_t i = 0; !status && i < entry->scalarCount; ++i)
    status = checkScalar(&scope, i);
  if (!status)
    status = checkGuards(&scope, entry->requirements, entry->requirementCount);
  if (!status)
    status =
        checkArray(&scope, entry->variants, entry->variantCount, "variants");
  for (uint32_t i = 0; !status && i < entry->variantCount; ++i)
    status = checkVariant(&scope, i);
  return status;
}

CutlRuntimeStatus cutlCheckAbiVersion(uint32_t version,
                                      CutlRuntimeError *error) {
  if (version == CUTL_RUNTIME_ABI_VERSION)
    return CUTL_RUNTIME_OK;
  return cutlFail(error, CUTL_RUNTIME_BAD_BUNDLE,
                  "expected a bundle of ABI version %d, got %u; compile it "
                  "again with the version of cutl that launches it",
                  CUTL_RUNTIME_ABI_VERSION, version);
}

CutlRuntimeStatus cutlBundleVerify(const CutlBundle *bundle,
                                   CutlRuntimeError *error) {
  if (!bundle)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected a bundle, got null");
  CutlRuntimeStatus status = cutlCheckAbiVersion(bundle->abiVersion, error);
  if (!status && bundle->entryCount && !bundle->entries)
    status =
        cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                 "expected %u entries, got a null pointer", bundle->entryCount);
  for (uint32_t i = 0; !status && i < bundle->entryCount; ++i)
    status = checkEntry(&bundle->entries[i], i, error);
  return status == CUTL_RUNTIME_OK ? cutlSucceed(error) : status;
}
