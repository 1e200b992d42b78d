//===- SampleBundle.h - a bundle with one of everything ---------*- C++ -*-===//
//
// Every kind of guard, step, parameter and image, with opcodes of each sort.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_BUNDLE_SAMPLEBUNDLE_H
#define CUTL_TEST_UNIT_BUNDLE_SAMPLEBUNDLE_H

#include "cutl/Runtime/Entry.h"
#include <cstring>
#include <deque>
#include <vector>

/// Structs that may be changed before they are written.
struct SampleBundle {
  SampleBundle() {
    std::memcpy(cubinData, "\177ELF\2\1", 6);
    cubinData[18] = 190;
    map.address = {CUTL_ADDRESS_OPERAND, 0, code({{CUTL_OP_CONSTANT, 0, 32}})};
    map.type = CUTL_TENSOR_MAP_BFLOAT16;
    map.rank = 2;
    map.sizes = mapSizes;
    map.strides = &mapStride;
    map.box = box;
    map.swizzle = CUTL_SWIZZLE_128B;
    map.l2Promotion = CUTL_L2_PROMOTION_256B;
    map.outOfBounds = CUTL_OUT_OF_BOUNDS_NAN;

    parameters[0].kind = CUTL_PARAMETER_TENSOR_MAP;
    parameters[1].kind = CUTL_PARAMETER_ADDRESS;
    parameters[1].address = {CUTL_ADDRESS_WORKSPACE, 0,
                             code({{CUTL_OP_CONSTANT, 0, 64}})};
    parameters[2].kind = CUTL_PARAMETER_EXPRESSION;
    parameters[2].bytes = 4;
    parameters[2].expression = size(1, 0);
    parameters[3].kind = CUTL_PARAMETER_EXPRESSION;
    parameters[3].bytes = 8;
    parameters[3].expression = code({{CUTL_OP_STRIDE, 1, 0}});
    parameters[4].kind = CUTL_PARAMETER_SCALAR;

    launch.image = &ptx;
    launch.kernel = "linear_0";
    launch.grid[0] = code({{CUTL_OP_SIZE, 1, 0},
                           {CUTL_OP_CONSTANT, 0, 128},
                           {CUTL_OP_CEILDIV, 0, 0},
                           {CUTL_OP_CONSTANT, 0, 2},
                           {CUTL_OP_MUL, 0, 0},
                           {CUTL_OP_OCCUPANCY, 2, 0},
                           {CUTL_OP_MIN, 0, 0}});
    launch.cluster[0] = code({{CUTL_OP_CONSTANT, 0, 2}});
    launch.block[0] = code({{CUTL_OP_CONSTANT, 0, 384}});
    launch.sharedBytes = code({{CUTL_OP_CONSTANT, 0, 200000}});
    launch.tensorMaps = &map;
    launch.tensorMapCount = 1;
    launch.parameters = parameters;
    launch.parameterCount = 5;
    other.image = &cubin;
    other.kernel = "linear_1";
    other.grid[1] = code({{CUTL_OP_SM_COUNT, 0, 0}});

    memset.destination = {CUTL_ADDRESS_WORKSPACE, 0, {}};
    memset.count = code({{CUTL_OP_SCALAR, 1, 0}});
    memset.elementBytes = 4;
    memset.value = 7;
    copy.destination = {CUTL_ADDRESS_OPERAND, 1, {}};
    copy.source = {CUTL_ADDRESS_WORKSPACE, 0, {}};
    copy.bytes = size(1, 1);
    steps[0] = {CUTL_STEP_MEMSET, nullptr, &memset, nullptr};
    steps[1] = {CUTL_STEP_COPY, nullptr, nullptr, &copy};
    steps[2] = {CUTL_STEP_LAUNCH, &launch, nullptr, nullptr};
    steps[3] = {CUTL_STEP_LAUNCH, &other, nullptr, nullptr};

    guards = {
        {CUTL_GUARD_SIZE_RANGE, 0, 0, 0, 1 << 20, 0, {}, "a range"},
        {CUTL_GUARD_SIZE_DIVISIBLE, 0, 1, 0, 0, 8, {}, "a divisor"},
        {CUTL_GUARD_POINTER_ALIGNMENT, 0, 0, 0, 0, 16, {}, "an alignment"},
        {CUTL_GUARD_STRIDE_RANGE, 0, 1, 1, 1, 0, {}, "a stride"},
        {CUTL_GUARD_STRIDE_ALIGNMENT, 0, 0, 0, 0, 16, {}, "a pitch"},
        {CUTL_GUARD_CONDITION, 0, 0, 0, 0, 0,
         code({{CUTL_OP_ALIGNMENT, 0, 0},
               {CUTL_OP_CONSTANT, 0, 16},
               {CUTL_OP_GE, 0, 0}}),
         "a condition"}};
    variants[0] = {"tma",
                   "sm_90a",
                   guards.data(),
                   uint32_t(guards.size()),
                   code({{CUTL_OP_CONSTANT, 0, 4096}}),
                   steps,
                   3};
    variants[1] = {
        "plain", "sm_90", nullptr, 0, code({{CUTL_OP_CONSTANT, 0, 8192}}),
        steps,   4};
    requirement = {CUTL_GUARD_SIZE_EQUALS, 1, 0, 0, 0, 0, size(0, 0),
                   "agreeing sizes"};
    entries[0] = {"linear",     operands, 3,        scalars, 2,
                  &requirement, 1,        variants, 2};
    entries[1] = {"nothing", nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0};
    bundle = {CUTL_RUNTIME_ABI_VERSION, entries, 2};
  }
  SampleBundle(const SampleBundle &) = delete;

  CutlExpression code(std::vector<CutlInstruction> instructions) {
    storage.push_back(std::move(instructions));
    return {storage.back().data(), uint32_t(storage.back().size())};
  }
  CutlExpression size(int32_t operand, int64_t dimension) {
    return code({{CUTL_OP_SIZE, operand, dimension}});
  }

  std::deque<std::vector<CutlInstruction>> storage;
  unsigned char cubinData[64] = {};
  CutlImage ptx = {"linear.ptx", CUTL_IMAGE_PTX, ".version 8.0", 13};
  CutlImage cubin = {"linear.cubin", CUTL_IMAGE_CUBIN, cubinData, 64};
  CutlExpression mapSizes[2] = {size(0, 1), size(0, 0)};
  CutlExpression mapStride = code(
      {{CUTL_OP_STRIDE, 0, 0}, {CUTL_OP_CONSTANT, 0, 2}, {CUTL_OP_MUL, 0, 0}});
  uint32_t box[2] = {64, 128};
  CutlTensorMap map = {};
  CutlParameter parameters[5] = {};
  CutlLaunch launch = {}, other = {};
  CutlMemset memset = {};
  CutlCopy copy = {};
  CutlStep steps[4] = {};
  std::vector<CutlGuard> guards;
  CutlGuard requirement = {};
  CutlVariant variants[2] = {};
  int64_t sizes[2] = {CUTL_ANY_SIZE, 512};
  CutlOperandSignature operands[3] = {
      {"x", CUTL_ELEMENT_BF16, CUTL_ACCESS_READ, 2, nullptr},
      {"d", CUTL_ELEMENT_BF16, CUTL_ACCESS_WRITE, 2, sizes},
      {"scale", CUTL_ELEMENT_F32, CUTL_ACCESS_READ, 0, nullptr}};
  CutlScalarSignature scalars[2] = {{"alpha", CUTL_ELEMENT_F32},
                                    {"count", CUTL_ELEMENT_S64}};
  CutlEntry entries[2] = {};
  CutlBundle bundle = {};
};

#endif // CUTL_TEST_UNIT_BUNDLE_SAMPLEBUNDLE_H
