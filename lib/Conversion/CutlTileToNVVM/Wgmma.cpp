//===- Wgmma.cpp - The mainloop of a consumer warpgroup -------------------===//
//
// ptxas serialises wgmma as soon as it cannot prove that no accumulator is
// touched between issue and wait. The form below keeps it from that: the first
// stage is peeled, its first product ignores the accumulators, and they are
// tied to a wait only once, behind the loop.
//
// Sums that are promoted leave the accumulators every so many stages, or parts
// of one, and are added to others by the threads. Two sets of accumulators in
// turn would be serialised as well, so that a warpgroup waits meanwhile; the
// other one multiplies.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

RingPosition mlir::cutl::nvvm::emitAdvance(Emit &e, RingPosition at,
                                     int64_t stages) {
  Value next = e.add(at.stage, 1);
  Value wraps = e.equal(next, stages);
  return {e.select(wraps, e.i32(0), next),
          e.select(wraps, e.bitXor(at.parity, e.i32(1)), at.parity)};
}

void mlir::cutl::nvvm::emitRelease(Emit &e, StagedKernel &kernel,
                             const ClusterThread &cluster,
                             const BarrierArray &empty, Value stage,
                             Value thread) {
  int64_t rows = kernel.getClusterRows();
  int64_t sharers = rows * kernel.getClusterColumns();
  if (sharers == 1)
    return e.ifThen(e.equal(thread, 0), [&] { empty.emitArrive(e, stage); });
  // Thread number i arrives at the CTA of rank i, among those of this part of
  // k.
  Value sameRow = e.compare(arith::CmpIPredicate::eq, e.rem(thread, rows),
                            cluster.row);
  Value sameColumn = e.compare(arith::CmpIPredicate::eq, e.div(thread, rows),
                               cluster.column);
  Value reaches = arith::OrIOp::create(e.b, e.loc, sameRow, sameColumn);
  Value isCta = e.less(thread, e.i32(sharers));
  e.ifThen(e.both(isCta, reaches), [&] {
    Value rank =
        cluster.part ? e.add(thread, e.mul(cluster.part, sharers)) : thread;
    empty.emitArriveRemote(e, stage, rank);
  });
}

namespace {

/// Shared-memory descriptors of one operand.
struct Descriptors {
  tile::StageType stage;
  /// The descriptor of the first stage, i64.
  Value base;

  /// 16-byte units, what a descriptor counts addresses in.
  static int64_t units(int64_t bytes) { return bytes >> 4; }

  static constexpr int64_t kSpan = tile::StageType::kSpanBytes;

  Descriptors(Emit &e, tile::StageType stage, Value shared, Value firstRow)
      : stage(stage) {
    // Eight rows of a swizzled box lie 1024 bytes apart; boxes of an MN-major
    // operand follow each other, K-major ones ignore that field.
    int64_t leading = stage.getKMajor() ? 1 : units(stage.getBoxBytes());
    int64_t stride = units(8 * kSpan);
    uint64_t bits = (uint64_t(1) << 62) | (uint64_t(stride) << 32) |
                    (uint64_t(leading) << 16);
    if (firstRow)
      shared = e.advance(shared, e.mul(firstRow, rowBytes()));
    Value address =
        LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(), shared);
    Value start = e.zext64(e.bitAnd(e.shr(address, 4), 0x3fff));
    base = arith::OrIOp::create(e.b, e.loc, start, e.i64(int64_t(bits)));
  }

  Value atStage(Emit &e, Value index) const {
    return e.add(base, e.zext64(e.mul(index, units(stage.getBytes()))));
  }

  /// From a row to the next, where whole slabs lie: rows of a box, or parts of
  /// boxes of 64 rows.
  int64_t rowBytes() const {
    return stage.getKMajor() ? kSpan : stage.getBoxBytes() / stage.getSpan();
  }

  /// Where instruction `step` of slab `slab` starts, in units: 32 bytes further
  /// along K in a K-major box, 16 rows further in an MN-major one.
  int64_t getOffset(int64_t slab, int64_t step) const {
    int64_t rows = slab * units(kSlab * rowBytes());
    if (!stage.getKMajor())
      return rows + units(step * 16 * kSpan);
    constexpr int64_t perBox = kSpan / 32;
    return rows + step / perBox * units(stage.getBoxBytes()) +
           step % perBox * 2;
  }
};

/// The instruction's name of the type that elements are multiplied in.
NVVM::WGMMATypes getWgmmaType(Type element, Signedness sign, MathMode math) {
  return *NVVM::symbolizeWGMMATypes(
      getMultipliedType(element, sign, math)->ptxName);
}

class Mainloop {
public:
  Mainloop(Emit &e, StagedKernel &kernel, const MainloopInputs &inputs)
      : e(e), kernel(kernel), inputs(inputs),
        lhs(e, kernel.getStage(kernel.getLhs()), inputs.lhs, inputs.firstRow),
        elementType(kernel.getAccumulatorType()),
        // A register has two sums of 16 bits.
        registerType(elementType.getIntOrFloatBitWidth() == 16
                         ? Type(e.b.getI32Type())
                         : elementType),
        perSlab(kernel.getColumns() / 2 * elementType.getIntOrFloatBitWidth() /
                32),
        accumulatorType(LLVM::LLVMStructType::getLiteral(
            e.b.getContext(), SmallVector<Type>(perSlab, registerType))) {
    for (auto [i, shared] : llvm::enumerate(inputs.rhs))
      rhs.emplace_back(e, kernel.getStage(kernel.getRhs(i)), shared, Value());
    tile::ComputeAttr compute = kernel.multiply.getComputeAttr();
    MathMode math = compute ? compute.getMath() : MathMode::Exact;
    Signedness signs[] = {compute ? compute.getA() : Signedness::Signed,
                          compute ? compute.getB() : Signedness::Signed};
    Signedness left = signs[kernel.getLhs() == 0 ? 0 : 1];
    Signedness right = signs[kernel.getLhs() == 0 ? 1 : 0];
    leftType = getWgmmaType(lhs.stage.getElementType(), left, math);
    rightType = getWgmmaType(rhs[0].stage.getElementType(), right, math);
    if (compute)
      promote = compute.getPromote();
  }

  std::optional<int64_t> getPromote() const { return promote; }
  /// Instructions along the k of a stage.
  int64_t getNumSteps() const {
    return lhs.stage.getK() * lhs.stage.getElementBytes() / kStepBytes;
  }
  int64_t getStepK() const { return kStepBytes / lhs.stage.getElementBytes(); }

  /// Waits for a stage and issues products of it.
  SmallVector<Value> emitStage(RingPosition at, ValueRange accumulators,
                               bool overwrite) {
    inputs.full.emitWait(e, at.stage, at.parity);
    return emitSteps(at, accumulators, overwrite, 0, getNumSteps());
  }

  /// Issues the products of instructions `first` to `end` of a stage.
  SmallVector<Value> emitSteps(RingPosition at, ValueRange accumulators,
                               bool overwrite, int64_t first, int64_t end) {
    NVVM::WgmmaFenceAlignedOp::create(e.b, e.loc);
    Value left = lhs.atStage(e, at.stage);
    SmallVector<Value> right;
    for (const Descriptors &operand : rhs)
      right.push_back(operand.atStage(e, at.stage));
    SmallVector<Value> result(accumulators);
    for (int64_t step = first; step < end; ++step)
      for (auto [i, accumulator] : llvm::enumerate(result)) {
        int64_t product = i / kernel.getSlabs(), slab = i % kernel.getSlabs();
        accumulator =
            emitProduct(accumulator, e.add(left, lhs.getOffset(slab, step)),
                        e.add(right[product], rhs[product].getOffset(0, step)),
                        rhs[product].stage, overwrite && step == first);
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(e.b, e.loc);
    return result;
  }

  SmallVector<Value> emitPoison() {
    SmallVector<Value> result;
    for (size_t i = 0; i < rhs.size() * kernel.getSlabs(); ++i)
      result.push_back(LLVM::PoisonOp::create(e.b, e.loc, accumulatorType));
    return result;
  }

  /// Waits for every product and makes the values depend on the wait.
  SmallVector<Value> emitFinish(ValueRange accumulators) {
    // The intrinsic is convergent, which the asm that ties the values is not.
    NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, 0);
    SmallVector<Value> operands;
    for (Value accumulator : accumulators)
      for (int64_t i = 0; i < perSlab; ++i)
        operands.push_back(
            LLVM::ExtractValueOp::create(e.b, e.loc, accumulator, i));
    bool isFloat = registerType.isF32();
    std::string constraints;
    for (size_t i = 0; i < operands.size(); ++i)
      constraints += isFloat ? "=f," : "=r,";
    for (size_t i = 0; i < operands.size(); ++i)
      constraints += std::to_string(i) + ",";
    constraints += "~{memory}";
    auto type = LLVM::LLVMStructType::getLiteral(
        e.b.getContext(), SmallVector<Type>(operands.size(), registerType));
    Value tied = e.inlineAsm(type, "wgmma.wait_group.sync.aligned 0;",
                             constraints, operands, /*sideEffects=*/true);
    SmallVector<Value> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      Value value = LLVM::ExtractValueOp::create(e.b, e.loc, tied, i);
      if (registerType == elementType) {
        values.push_back(value);
        continue;
      }
      Value pair = LLVM::BitcastOp::create(
          e.b, e.loc, VectorType::get(2, elementType), value);
      for (int64_t which : {0, 1})
        values.push_back(
            LLVM::ExtractElementOp::create(e.b, e.loc, pair, e.i32(which)));
    }
    return values;
  }

private:
  /// What an instruction takes of each row along k.
  static constexpr int64_t kStepBytes = 32;

  Value emitProduct(Value accumulator, Value left, Value right,
                    tile::StageType rightStage, bool overwrite) {
    auto shape = NVVM::MMAShapeAttr::get(e.b.getContext(), kSlab,
                                         kernel.getColumns(), getStepK());
    NVVM::WGMMATypes sumType = elementType.isF32()   ? NVVM::WGMMATypes::f32
                               : elementType.isF16() ? NVVM::WGMMATypes::f16
                                                     : NVVM::WGMMATypes::s32;
    // The layouts say which operands to transpose: the left is K-major as rows,
    // the right as columns.
    return NVVM::WgmmaMmaAsyncOp::create(
        e.b, e.loc, accumulatorType, accumulator, left, right, shape, leftType,
        rightType, sumType,
        overwrite ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
        lhs.stage.getKMajor() ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        rightStage.getKMajor() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::MMAIntOverflowAttr());
  }

  Emit &e;
  StagedKernel &kernel;
  const MainloopInputs &inputs;
  Descriptors lhs;
  SmallVector<Descriptors> rhs;
  /// Of the accumulators, and of the registers that hold them.
  Type elementType, registerType;
  /// Registers of a slab and product in each thread.
  int64_t perSlab;
  Type accumulatorType;
  NVVM::WGMMATypes leftType, rightType;
  std::optional<int64_t> promote;
};

} // namespace

/// Multiplies `count` (at least 1) stages from `at` on, and moves `at` on.
/// `afterLast` is called where the last product has been issued.
static SmallVector<Value> emitRun(Emit &e, Mainloop &mainloop,
                                  const MainloopInputs &inputs, int64_t stages,
                                  Value count, RingPosition &at,
                                  function_ref<void()> afterFirst,
                                  function_ref<void()> afterLast) {
  SmallVector<Value> first =
      mainloop.emitStage(at, mainloop.emitPoison(), /*overwrite=*/true);
  afterFirst();
  RingPosition second = emitAdvance(e, at, stages);

  SmallVector<Value> init = {second.stage, second.parity, at.stage};
  init.append(first);
  SmallVector<Value> last =
      e.loop(e.i32(1), count, e.i32(1), init, [&](Value, ValueRange carried) {
        RingPosition here = {carried[0], carried[1]};
        SmallVector<Value> next = mainloop.emitStage(
            here, carried.drop_front(3), /*overwrite=*/false);
        // The products of the stage before have completed.
        NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, 1);
        inputs.release(carried[2]);
        RingPosition after = emitAdvance(e, here, stages);
        SmallVector<Value> result = {after.stage, after.parity, here.stage};
        result.append(next);
        return result;
      });

  at = {last[0], last[1]};
  afterLast();
  SmallVector<Value> values =
      mainloop.emitFinish(ArrayRef<Value>(last).drop_front(3));
  inputs.release(last[2]);
  return values;
}

static void addTo(Emit &e, MutableArrayRef<Value> sums,
                  ArrayRef<Value> values) {
  for (auto [sum, value] : llvm::zip_equal(sums, values))
    sum = e.addSums(sum, value);
}

/// Multiplies one stage in parts of `steps` instructions, each of which is
/// added to `sums`.
static void emitPromotedStage(Emit &e, Mainloop &mainloop,
                              const MainloopInputs &inputs, RingPosition at,
                              int64_t steps, MutableArrayRef<Value> sums) {
  inputs.full.emitWait(e, at.stage, at.parity);
  for (int64_t step = 0; step < mainloop.getNumSteps(); step += steps) {
    SmallVector<Value> part = mainloop.emitSteps(
        at, mainloop.emitPoison(), /*overwrite=*/true, step, step + steps);
    SmallVector<Value> values = mainloop.emitFinish(part);
    if (step + steps == mainloop.getNumSteps())
      inputs.release(at.stage);
    addTo(e, sums, values);
  }
}

/// As `emitMainloop`, adding what every `promote` of k sum up to.
static SmallVector<Value> emitPromotedMainloop(Emit &e, StagedKernel &kernel,
                                               Mainloop &mainloop,
                                               const MainloopInputs &inputs,
                                               int64_t promote, Value kTiles,
                                               RingPosition &at) {
  int64_t stages = kernel.getRingType().getStages();
  int64_t stageK = kernel.getStage(kernel.getLhs()).getK();
  // In each run of stages; part of one if it is none.
  int64_t perRun = promote / stageK;
  size_t count =
      kernel.getNumProducts() * kernel.getSlabs() * kernel.getColumns() / 2;
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getF32FloatAttr(0.0f));
  SmallVector<Value> init = {at.stage, at.parity};
  init.append(count, zero);
  SmallVector<Value> carried = e.loop(
      e.i32(0), kTiles, e.i32(std::max<int64_t>(perRun, 1)), init,
      [&](Value first, ValueRange values) {
        RingPosition here = {values[0], values[1]};
        SmallVector<Value> sums(values.drop_front(2));
        if (perRun <= 1) {
          emitPromotedStage(e, mainloop, inputs, here,
                            std::min(promote, stageK) / mainloop.getStepK(),
                            sums);
          here = emitAdvance(e, here, stages);
        } else {
          Value left = e.sub(kTiles, first);
          Value run =
              e.select(e.less(left, e.i32(perRun)), left, e.i32(perRun));
          addTo(e, sums,
                emitRun(
                    e, mainloop, inputs, stages, run, here, [] {}, [] {}));
        }
        SmallVector<Value> next = {here.stage, here.parity};
        next.append(sums);
        return next;
      });
  at = {carried[0], carried[1]};
  return SmallVector<Value>(ArrayRef<Value>(carried).drop_front(2));
}

SmallVector<Value> mlir::cutl::nvvm::emitMainloop(
    Emit &e, StagedKernel &kernel, const MainloopInputs &inputs, Value kTiles,
    RingPosition &at, function_ref<void()> afterFirst,
    function_ref<void()> afterLast) {
  Mainloop mainloop(e, kernel, inputs);
  if (std::optional<int64_t> promote = mainloop.getPromote()) {
    afterFirst();
    SmallVector<Value> sums =
        emitPromotedMainloop(e, kernel, mainloop, inputs, *promote, kTiles, at);
    afterLast();
    return sums;
  }
  return emitRun(e, mainloop, inputs, kernel.getRingType().getStages(), kTiles,
                 at, afterFirst, afterLast);
}
