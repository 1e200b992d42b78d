//===- KernelFrame.cpp - A whole Hopper gemm kernel -----------------------===//
//
// A persistent, warp-specialised kernel: one producer warpgroup, of which one
// thread starts copies, and consumer warpgroups that multiply and run the
// epilogue. It waits for nothing outside its CTA.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

#include "Barriers.h"
#include "CopyTma.h"
#include "LaunchInfo.h"
#include "Wgmma.h"
#include "WorkLoop.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

static constexpr int64_t kTensorMapBytes = 128;

/// The module's view of dynamic shared memory.
static LLVM::GlobalOp emitSharedMemory(OpBuilder &b, Location loc,
                                       StringRef name) {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/false,
                                LLVM::Linkage::External, name, Attribute(),
                                /*alignment=*/1024, kShared);
}

namespace {

class KernelEmitter {
public:
  KernelEmitter(OpBuilder &b, Location loc, KernelRequest &request)
      : e(b, loc), request(request), plan(request.plan),
        full(Value()), empty(Value()) {}

  LLVM::LLVMFuncOp emit();

private:
  bool isPingpong() const { return plan.tile.kernel == Kernel::Pingpong; }
  bool storesTensor() const { return plan.tile.store == StoreKind::Tma; }

  LLVM::LLVMFuncOp emitFunction();
  void nameParameters(LLVM::LLVMFuncOp function);
  void bindOperand(EpilogueOperand &operand, LLVM::LLVMFuncOp function,
                   unsigned &next);
  void emitPrologue(LLVM::GlobalOp shared);
  void emitProducer();
  void emitConsumer();
  SmallVector<Value> emitMainloopInOrder(const MainloopInputs &inputs,
                                         RingPosition &at);

  Emit e;
  KernelRequest &request;
  const KernelPlan &plan;

  Value mapA, mapB, mapOutput;
  Value m, n, k;
  TileGrid grid;
  Value sharedBase;
  BarrierArray full, empty;
  /// Of the thread, i32.
  Value thread, warpgroup, cta, ctas;
};

} // namespace

/// The parameters: tensor maps, extents, then for each operand of the epilogue
/// its scalar, or its pointer and those strides that are not known.
LLVM::LLVMFuncOp KernelEmitter::emitFunction() {
  OpBuilder &b = e.b;
  SmallVector<Type> types(storesTensor() ? 3 : 2, e.pointerType(kGeneric));
  size_t maps = types.size();
  types.append(3, b.getI64Type());
  auto addOperand = [&](const EpilogueOperand &operand) {
    if (operand.isScalar) {
      types.push_back(operand.elementType);
      return;
    }
    types.push_back(e.pointerType(kGlobal));
    for (int64_t stride : operand.strides)
      if (ShapedType::isDynamic(stride))
        types.push_back(b.getI64Type());
  };
  for (const EpilogueOperand &operand : request.aux)
    addOperand(operand);
  if (!storesTensor())
    addOperand(request.output);

  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(b, e.loc, request.name, type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr(
                        {static_cast<int32_t>(plan.roles.threads()), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  function->setAttr(kLaunchInfoName, makeLaunchInfo(b.getContext(), request));
  auto mapType = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  for (size_t i = 0; i < maps; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(mapType));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(64));
  }
  return function;
}

void KernelEmitter::bindOperand(EpilogueOperand &operand,
                                LLVM::LLVMFuncOp function, unsigned &next) {
  operand.value = function.getArgument(next++);
  operand.strideValues.clear();
  for (int64_t stride : operand.strides)
    operand.strideValues.push_back(ShapedType::isDynamic(stride)
                                       ? Value(function.getArgument(next++))
                                       : e.i64(stride));
}

void KernelEmitter::nameParameters(LLVM::LLVMFuncOp function) {
  unsigned next = 0;
  mapA = function.getArgument(next++);
  mapB = function.getArgument(next++);
  if (storesTensor())
    mapOutput = function.getArgument(next++);
  m = e.trunc32(function.getArgument(next++));
  n = e.trunc32(function.getArgument(next++));
  k = e.trunc32(function.getArgument(next++));
  for (EpilogueOperand &operand : request.aux)
    bindOperand(operand, function, next);
  if (!storesTensor())
    bindOperand(request.output, function, next);
}

void KernelEmitter::emitPrologue(LLVM::GlobalOp shared) {
  OpBuilder &b = e.b;
  sharedBase = LLVM::AddressOfOp::create(b, e.loc, shared);
  full = BarrierArray(e.advance(sharedBase, plan.shared.fullBarriers));
  empty = BarrierArray(e.advance(sharedBase, plan.shared.emptyBarriers));
  Type i32 = b.getI32Type();
  thread = NVVM::ThreadIdXOp::create(b, e.loc, i32);
  cta = NVVM::BlockIdXOp::create(b, e.loc, i32);
  ctas = NVVM::GridDimXOp::create(b, e.loc, i32);
  warpgroup = emitWarpUniform(e, e.div(thread, kWarpgroup));
  grid = emitTileGrid(e, plan.tile, m, n, k);

  e.ifThen(e.equal(thread, 0), [&] {
    emitPrefetchMap(e, mapA);
    emitPrefetchMap(e, mapB);
    full.emitInit(e, plan.ring.stages, 1);
    empty.emitInit(e, plan.ring.stages, plan.ring.readers);
    emitFenceBarrierInit(e);
  });
  emitCtaBarrier(e);
}

void KernelEmitter::emitProducer() {
  emitSetMaxRegisters(e, plan.roles.producerRegisters, /*increase=*/false);
  Value sharedA = e.advance(sharedBase, plan.shared.a);
  Value sharedB = e.advance(sharedBase, plan.shared.b);
  // With no k the only stage starts outside of both operands.
  Value firstK = e.select(e.equal(k, 0), e.i32(plan.tile.k), e.i32(0));
  e.ifThen(e.equal(thread, 0), [&] {
    e.loop(cta, grid.units, ctas, {e.i32(0), e.i32(0)},
           [&](Value unit, ValueRange outer) {
             TileOrigin origin = emitRasterTile(e, plan.tile, grid, unit);
             return e.loop(
                 e.i32(0), grid.kTiles, e.i32(1), outer,
                 [&](Value kTile, ValueRange inner) -> SmallVector<Value> {
                   RingPosition at = {inner[0], inner[1]};
                   // The first pass over the ring finds every stage free.
                   empty.emitWait(e, at.stage, e.bitXor(at.parity, e.i32(1)));
                   full.emitArriveExpect(e, at.stage, plan.ring.stageBytes());
                   Value barrier = full.at(e, at.stage);
                   Value kStart = e.add(e.mul(kTile, plan.tile.k), firstK);
                   int64_t bytes = plan.tile.elementBytes;
                   emitStageLoad(
                       e, plan.ring.a, bytes,
                       e.advance(sharedA,
                                 e.mul(at.stage, plan.ring.a.bytes())),
                       mapA, origin.m, kStart, barrier);
                   emitStageLoad(
                       e, plan.ring.b, bytes,
                       e.advance(sharedB,
                                 e.mul(at.stage, plan.ring.b.bytes())),
                       mapB, origin.n, kStart, barrier);
                   RingPosition next =
                       emitAdvance(e, at, plan.ring.stages);
                   return {next.stage, next.parity};
                 });
           });
  });
}

/// The mainloop, in pingpong with the mainloops of the two consumers in turn.
/// The order is needed for correctness: parities tell a stage's phase only
/// modulo two, so no consumer may run ahead by a whole tile.
SmallVector<Value>
KernelEmitter::emitMainloopInOrder(const MainloopInputs &inputs,
                                   RingPosition &at) {
  if (!isPingpong())
    return emitMainloop(e, plan, inputs, grid.kTiles, at, [] {});
  // Warpgroup 1 waits at barrier 1, warpgroup 2 at barrier 2.
  emitNamedBarrier(e, warpgroup, 2 * kWarpgroup);
  return emitMainloop(e, plan, inputs, grid.kTiles, at, [&] {
    emitNamedArrive(e, e.sub(e.i32(3), warpgroup), 2 * kWarpgroup);
  });
}

void KernelEmitter::emitConsumer() {
  emitSetMaxRegisters(e, plan.roles.consumerRegisters, /*increase=*/true);
  ConsumerThread self;
  self.consumer = e.add(warpgroup, -1);
  Value inWarpgroup = e.bitAnd(thread, kWarpgroup - 1);
  self.warp = emitWarpUniform(e, e.shr(inWarpgroup, 5));
  self.lane = e.bitAnd(thread, 31);
  self.isLeader = e.equal(inWarpgroup, 0);

  // In a cooperative kernel each consumer has its own rows of the tile.
  Value firstRow = e.i32(0);
  if (plan.tile.kernel == Kernel::Cooperative)
    firstRow = e.mul(self.consumer, plan.roles.consumerRows);
  MainloopInputs inputs = {
      request.elementType,
      e.advance(e.advance(sharedBase, plan.shared.a),
                e.mul(firstRow, kSwizzleSpan)),
      e.advance(sharedBase, plan.shared.b),
      full,
      empty,
      self.isLeader};

  EpilogueInputs epilogue;
  epilogue.body = request.epilogue;
  epilogue.aux = request.aux;
  epilogue.output = &request.output;
  epilogue.m = m;
  epilogue.n = n;
  epilogue.outputMap = mapOutput;
  epilogue.staging = e.advance(
      e.advance(sharedBase, plan.shared.staging),
      e.mul(self.consumer,
            plan.shared.buffers * plan.shared.stagingBufferBytes));

  auto emitTile = [&](Value unit, RingPosition &at) {
    TileOrigin origin = emitRasterTile(e, plan.tile, grid, unit);
    SmallVector<Value> accumulators = emitMainloopInOrder(inputs, at);
    origin.m = e.add(origin.m, firstRow);
    emitEpilogue(e, plan, epilogue, self, origin, accumulators);
  };

  if (isPingpong()) {
    // Every other tile of the CTA is this warpgroup's; the ring has passed the
    // stages of the other's in between.
    e.ifThen(e.equal(self.consumer, 1), [&] {
      emitNamedArrive(e, e.i32(1), 2 * kWarpgroup);
    });
    Value first = e.add(cta, e.mul(self.consumer, ctas));
    Value iteration = e.mul(self.consumer, grid.kTiles);
    e.loop(first, grid.units, e.shl(ctas, 1), {iteration},
           [&](Value unit, ValueRange carried) -> SmallVector<Value> {
             Value round = e.div(carried[0], plan.ring.stages);
             RingPosition at = {
                 e.sub(carried[0], e.mul(round, plan.ring.stages)),
                 e.bitAnd(round, 1)};
             emitTile(unit, at);
             return {e.add(carried[0], e.shl(grid.kTiles, 1))};
           });
  } else {
    e.loop(cta, grid.units, ctas, {e.i32(0), e.i32(0)},
           [&](Value unit, ValueRange carried) -> SmallVector<Value> {
             RingPosition at = {carried[0], carried[1]};
             emitTile(unit, at);
             return {at.stage, at.parity};
           });
  }
  // Shared memory must outlive the copies that read it.
  if (storesTensor())
    e.ifThen(self.isLeader, [&] { emitStoreWaitRead(e, 0); });
}

LLVM::LLVMFuncOp KernelEmitter::emit() {
  LLVM::GlobalOp shared =
      emitSharedMemory(e.b, e.loc, request.name + "_shared");
  LLVM::LLVMFuncOp function = emitFunction();
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(function.addEntryBlock(e.b));
  nameParameters(function);
  emitPrologue(shared);
  Value isProducer = e.equal(warpgroup, 0);
  e.ifThenElse(
      isProducer, [&] { emitProducer(); }, [&] { emitConsumer(); });
  LLVM::ReturnOp::create(e.b, e.loc, ValueRange{});
  return function;
}

LLVM::LLVMFuncOp cutl::nvvm::emitKernel(OpBuilder &builder, Location loc,
                                        KernelRequest &request) {
  return KernelEmitter(builder, loc, request).emit();
}
