//===- Wgmma.cpp - The mainloop of a consumer warpgroup -------------------===//
//
// ptxas serialises wgmma as soon as it cannot prove that no accumulator is
// touched between issue and wait. The form below keeps it from that: the first
// stage is peeled, its first product ignores the accumulators, and they are
// tied to a wait only once, behind the loop.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

RingPosition cutl::nvvm::emitAdvance(Emit &e, RingPosition at,
                                     int64_t stages) {
  Value next = e.add(at.stage, 1);
  Value wraps = e.equal(next, stages);
  return {e.select(wraps, e.i32(0), next),
          e.select(wraps, e.bitXor(at.parity, e.i32(1)), at.parity)};
}

namespace {

/// Shared-memory descriptors of one operand.
struct Descriptors {
  const OperandStage &stage;
  /// The descriptor of the first stage, i64.
  Value base;

  /// 16-byte units, what a descriptor counts addresses in.
  static int64_t units(int64_t bytes) { return bytes >> 4; }

  Descriptors(Emit &e, const OperandStage &stage, Value shared)
      : stage(stage) {
    // Eight rows of a swizzled box lie 1024 bytes apart; boxes of an MN-major
    // operand follow each other, K-major ones ignore that field.
    int64_t leading = stage.kMajor ? 1 : units(stage.boxBytes);
    int64_t stride = units(8 * kSwizzleSpan);
    uint64_t bits = (uint64_t(1) << 62) | (uint64_t(stride) << 32) |
                    (uint64_t(leading) << 16);
    Value address =
        LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(), shared);
    Value start = e.zext64(e.bitAnd(e.shr(address, 4), 0x3fff));
    base = arith::OrIOp::create(e.b, e.loc, start, e.i64(int64_t(bits)));
  }

  Value atStage(Emit &e, Value index) const {
    return e.add(base, e.zext64(e.mul(index, units(stage.bytes()))));
  }

  /// Where instruction `step` of a stage starts, in units: 32 bytes further
  /// along K in a K-major box, 16 rows further in an MN-major one.
  int64_t stepOffset(int64_t step) const {
    if (!stage.kMajor)
      return units(step * 16 * kSwizzleSpan);
    constexpr int64_t perBox = kSwizzleSpan / 32;
    return step / perBox * units(stage.boxBytes) + step % perBox * 2;
  }
};

class Mainloop {
public:
  Mainloop(Emit &e, const KernelPlan &plan, const MainloopInputs &inputs)
      : e(e), plan(plan), inputs(inputs),
        a(e, plan.ring.a, inputs.sharedA), b(e, plan.ring.b, inputs.sharedB),
        accumulatorType(LLVM::LLVMStructType::getLiteral(
            e.b.getContext(),
            SmallVector<Type>(plan.tile.n / 2, e.b.getF32Type()))),
        wgmmaType(inputs.elementType.isBF16() ? NVVM::WGMMATypes::bf16
                                              : NVVM::WGMMATypes::f16) {}

  /// Waits for a stage and issues all of its products.
  SmallVector<Value> emitStage(RingPosition at, ValueRange accumulators,
                               bool overwrite) {
    inputs.full.emitWait(e, at.stage, at.parity);
    NVVM::WgmmaFenceAlignedOp::create(e.b, e.loc);
    Value stageA = a.atStage(e, at.stage);
    Value stageB = b.atStage(e, at.stage);
    SmallVector<Value> result(accumulators);
    int64_t steps = plan.tile.k * plan.tile.elementBytes / 32;
    for (int64_t step = 0; step < steps; ++step) {
      Value descriptorB = e.add(stageB, b.stepOffset(step));
      for (auto [slab, accumulator] : llvm::enumerate(result)) {
        // A slab is 64 rows of a K-major box or one MN-major box.
        Value descriptorA = e.add(
            stageA, a.stepOffset(step) + int64_t(slab) * Descriptors::units(
                                                             kSlab * kSwizzleSpan));
        accumulator = emitProduct(accumulator, descriptorA, descriptorB,
                                  overwrite && step == 0);
      }
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(e.b, e.loc);
    return result;
  }

  SmallVector<Value> emitPoison() {
    SmallVector<Value> result;
    for (int64_t slab = 0; slab < plan.roles.slabs(); ++slab)
      result.push_back(LLVM::PoisonOp::create(e.b, e.loc, accumulatorType));
    return result;
  }

  void emitRelease(Value stage) {
    e.ifThen(inputs.releases, [&] { inputs.empty.emitArrive(e, stage); });
  }

  /// Waits for every product and makes the values depend on the wait.
  SmallVector<Value> emitFinish(ValueRange accumulators) {
    // The intrinsic is convergent, which the asm that ties the values is not.
    NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, 0);
    SmallVector<Value> operands;
    for (Value accumulator : accumulators)
      for (int64_t i = 0; i < plan.tile.n / 2; ++i)
        operands.push_back(
            LLVM::ExtractValueOp::create(e.b, e.loc, accumulator, i));
    std::string constraints;
    for (size_t i = 0; i < operands.size(); ++i)
      constraints += "=f,";
    for (size_t i = 0; i < operands.size(); ++i)
      constraints += std::to_string(i) + ",";
    constraints += "~{memory}";
    auto type = LLVM::LLVMStructType::getLiteral(
        e.b.getContext(),
        SmallVector<Type>(operands.size(), e.b.getF32Type()));
    Value tied = e.inlineAsm(type, "wgmma.wait_group.sync.aligned 0;",
                             constraints, operands, /*sideEffects=*/true);
    for (auto [i, value] : llvm::enumerate(operands))
      value = LLVM::ExtractValueOp::create(e.b, e.loc, tied, i);
    return operands;
  }

private:
  Value emitProduct(Value accumulator, Value descriptorA, Value descriptorB,
                    bool overwrite) {
    MLIRContext *context = e.b.getContext();
    auto shape = NVVM::MMAShapeAttr::get(context, kSlab, plan.tile.n,
                                         32 / plan.tile.elementBytes);
    // The layouts say which operands to transpose: A is K-major as rows, B as
    // columns.
    return NVVM::WgmmaMmaAsyncOp::create(
        e.b, e.loc, accumulatorType, accumulator, descriptorA, descriptorB,
        shape, wgmmaType, wgmmaType, NVVM::WGMMATypes::f32,
        overwrite ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
        plan.tile.aKMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        plan.tile.bKMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::MMAIntOverflowAttr());
  }

  Emit &e;
  const KernelPlan &plan;
  const MainloopInputs &inputs;
  Descriptors a, b;
  Type accumulatorType;
  NVVM::WGMMATypes wgmmaType;
};

} // namespace

SmallVector<Value> cutl::nvvm::emitMainloop(Emit &e, const KernelPlan &plan,
                                            const MainloopInputs &inputs,
                                            Value kTiles, RingPosition &at,
                                            function_ref<void()> afterIssue) {
  Mainloop mainloop(e, plan, inputs);
  int64_t stages = plan.ring.stages;
  SmallVector<Value> first =
      mainloop.emitStage(at, mainloop.emitPoison(), /*overwrite=*/true);
  RingPosition second = emitAdvance(e, at, stages);

  SmallVector<Value> init = {second.stage, second.parity, at.stage};
  init.append(first);
  SmallVector<Value> last = e.loop(
      e.i32(1), kTiles, e.i32(1), init, [&](Value, ValueRange carried) {
        RingPosition here = {carried[0], carried[1]};
        SmallVector<Value> next = mainloop.emitStage(
            here, carried.drop_front(3), /*overwrite=*/false);
        // The products of the stage before have completed.
        NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, 1);
        mainloop.emitRelease(carried[2]);
        RingPosition after = emitAdvance(e, here, stages);
        SmallVector<Value> result = {after.stage, after.parity, here.stage};
        result.append(next);
        return result;
      });

  at = {last[0], last[1]};
  afterIssue();
  SmallVector<Value> values =
      mainloop.emitFinish(ArrayRef<Value>(last).drop_front(3));
  mainloop.emitRelease(last[2]);
  return values;
}
