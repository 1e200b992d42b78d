//===- KernelFrame.cpp - A whole Hopper gemm kernel -----------------------===//
//
// A persistent, warp-specialised kernel: one producer warpgroup, of which one
// thread starts copies, and consumer warpgroups that multiply and run the
// epilogue. It waits for nothing outside its cluster but, at a turnstile, for
// CTAs that have started before it.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

#include "Barriers.h"
#include "ClusterSum.h"
#include "CopyTma.h"
#include "Epilogue.h"
#include "Fixup.h"
#include "Parameters.h"
#include "Wgmma.h"
#include "Work.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// The module's view of dynamic shared memory.
static LLVM::GlobalOp emitSharedMemory(Emit &e, StringRef name) {
  auto type = LLVM::LLVMArrayType::get(e.b.getI8Type(), 0);
  return LLVM::GlobalOp::create(e.b, e.loc, type, /*isConstant=*/false,
                                LLVM::Linkage::External, name, Attribute(),
                                /*alignment=*/1024, kShared);
}

namespace {

class KernelEmitter {
public:
  explicit KernelEmitter(StagedKernel &kernel)
      : builder(kernel.function), e(builder, kernel.function.getLoc()),
        kernel(kernel), parameters(kernel), full(Value()), empty(Value()) {}

  LLVM::LLVMFuncOp emit();

private:
  void emitPrologue(LLVM::GlobalOp shared);
  void emitDraw();
  void emitProducer();
  void emitConsumer();
  void emitTile(const Unit &unit, RingPosition &at, Value parity);
  /// Start of an operand's stages.
  Value getStages(unsigned operand) {
    return e.advance(sharedBase,
                     kernel.ring.getLayoutAttr().getOperands()[operand]);
  }

  OpBuilder builder;
  Emit e;
  StagedKernel &kernel;
  KernelParameters parameters;
  ClusterThread cluster;
  std::optional<Work> work;
  /// Where the CTAs of a cluster divide k.
  std::optional<ClusterSum> clusterSum;
  Value sharedBase;
  BarrierArray full, empty;
  /// Of the thread, i32.
  Value thread, warpgroup;
  ConsumerThread self;
  MainloopInputs mainloop;
  EpilogueInputs epilogueInputs;
};

} // namespace

void KernelEmitter::emitPrologue(LLVM::GlobalOp shared) {
  OpBuilder &b = e.b;
  tile::RingLayoutAttr layout = kernel.ring.getLayoutAttr();
  sharedBase = LLVM::AddressOfOp::create(b, e.loc, shared);
  full = BarrierArray(e.advance(sharedBase, layout.getFull()));
  empty = BarrierArray(e.advance(sharedBase, layout.getEmpty()));
  thread = NVVM::ThreadIdXOp::create(b, e.loc, b.getI32Type());
  warpgroup = emitWarpUniform(e, e.div(thread, kWarpgroup));
  cluster = emitClusterThread(e, kernel);
  work.emplace(e, kernel, parameters.extents, cluster);
  if (kernel.clusterSum)
    clusterSum.emplace(e, kernel, cluster, sharedBase);

  // What reads a stage that this CTA's copies reach releases it: its own
  // consumers and those of the CTAs in its row and column of the cluster.
  int64_t stages = kernel.getRingType().getStages();
  int64_t releases =
      int64_t(*kernel.ring.getReaders()) *
      (kernel.getClusterRows() + kernel.getClusterColumns() - 1);
  int64_t loads = kernel.getNumLoads();
  tile::StagingAttr staging = kernel.epilogue.getStagingAttr();
  e.ifThen(e.equal(thread, 0), [&] {
    for (const TensorMap &map : parameters.inputs)
      emitPrefetchMap(e, map.value);
    full.emitInit(e, stages, 1);
    empty.emitInit(e, stages, releases);
    if (loads)
      BarrierArray(e.advance(sharedBase, staging.getBarriers()))
          .emitInit(e, loads * kernel.getConsumers(), 1);
    if (clusterSum)
      clusterSum->emitInit();
    emitFenceBarrierInit(e);
  });
  if (kernel.getClusterSize() > 1)
    emitClusterBarrier(e);
  else
    emitCtaBarrier(e);
  // Up to here nothing but parameters has been read.
  if (kernel.isProgrammatic)
    emitWaitForPrerequisites(e);
  if (kernel.fixup && kernel.fixup.getTurnstile())
    emitDraw();
}

/// CTAs are numbered as they start: a unit waits for smaller numbers alone.
void KernelEmitter::emitDraw() {
  Value ticket = e.advance(sharedBase, int64_t(*kernel.fixup.getTicket()));
  e.ifThen(e.equal(thread, 0), [&] {
    Value number = LLVM::AtomicRMWOp::create(
        e.b, e.loc, LLVM::AtomicBinOp::add, parameters.arrivals, e.i32(1),
        LLVM::AtomicOrdering::monotonic, "device");
    LLVM::StoreOp::create(e.b, e.loc, number, ticket, /*alignment=*/4);
  });
  emitCtaBarrier(e);
  work->setTicket(ticket);
}

void KernelEmitter::emitProducer() {
  emitSetMaxRegisters(e, kernel.producer.getRegisters(), /*increase=*/false);
  tile::RingType ring = kernel.getRingType();
  SmallVector<Value> stages;
  for (unsigned i = 0; i < ring.getOperands().size(); ++i)
    stages.push_back(getStages(i));
  auto loadTile = [&](const Unit &unit,
                      ValueRange outer) -> SmallVector<Value> {
    if (clusterSum)
      clusterSum->emitWaitForReaders(outer[2]);
    SmallVector<Value> next = e.loop(
        e.i32(0), unit.kTiles, e.i32(1), outer.take_front(2),
        [&](Value kTile, ValueRange inner) -> SmallVector<Value> {
          RingPosition at = {inner[0], inner[1]};
          // The first pass over the ring finds every stage free.
          empty.emitWait(e, at.stage, e.bitXor(at.parity, e.i32(1)));
          full.emitArriveExpect(e, at.stage, ring.getStageBytes());
          Value barrier = full.at(e, at.stage);
          SmallVector<Value> starts = unit.starts;
          starts.push_back(
              e.add(unit.firstK, e.mul(kTile, ring.getOperands()[0].getK())));
          for (auto [i, stage] : llvm::enumerate(ring.getOperands()))
            emitStageLoad(e, kernel, i, cluster,
                          e.advance(stages[i],
                                    e.mul(at.stage, stage.getBytes())),
                          parameters.inputs[i], starts, barrier);
          RingPosition next = emitAdvance(e, at, ring.getStages());
          return {next.stage, next.parity};
        });
    if (clusterSum)
      next.push_back(e.bitXor(outer[2], e.i32(1)));
    return next;
  };
  e.ifThen(e.equal(thread, 0), [&] {
    work->emitLoop(SmallVector<Value>(clusterSum ? 3 : 2, e.i32(0)), loadTile);
  });
}

void KernelEmitter::emitTile(const Unit &unit, RingPosition &at, Value parity) {
  // Warpgroup 1 waits at barrier 1, warpgroup 2 at barrier 2. The order is
  // needed for correctness: parities tell a stage's phase only modulo two, so
  // no consumer may run ahead by a whole tile.
  bool inTurn = kernel.isPingpong();
  if (inTurn)
    emitNamedBarrier(e, warpgroup, 2 * kWarpgroup);
  epilogueInputs.parity = parity;
  Unit share = clusterSum ? clusterSum->getShare(unit) : unit;
  Epilogue epilogue(e, kernel, epilogueInputs, self, share);
  SmallVector<Value> accumulators = emitMainloop(
      e, kernel, mainloop, unit.kTiles, at, [&] { epilogue.emitFirstLoads(); },
      [&] {
        if (inTurn)
          emitNamedArrive(e, e.sub(e.i32(3), warpgroup), 2 * kWarpgroup);
        if (!kernel.fixup)
          epilogue.emitEarlyLoads();
      });
  if (clusterSum)
    accumulators = clusterSum->emitSum(self, parity, accumulators);
  if (!kernel.fixup)
    return epilogue.emit(accumulators);
  FixupResult result = emitFixup(e, kernel, parameters, cluster, self, unit,
                                 accumulators);
  e.ifThen(result.isLast, [&] {
    // The sum needs the registers before.
    epilogue.emitEarlyLoads();
    epilogue.emit(result.accumulators);
  });
}

void KernelEmitter::emitConsumer() {
  emitSetMaxRegisters(e, kernel.consumer.getRegisters(), /*increase=*/true);
  Value inWarpgroup = e.bitAnd(thread, kWarpgroup - 1);
  self.consumer = e.add(warpgroup, -1);
  self.warp = emitWarpUniform(e, e.shr(inWarpgroup, 5));
  self.lane = e.bitAnd(thread, 31);
  self.isLeader = e.equal(inWarpgroup, 0);
  // In a cooperative kernel each consumer has its own rows of the tile.
  self.firstRow = e.i32(0);
  if (kernel.getConsumerRows() < kernel.getRows())
    self.firstRow = e.mul(self.consumer, kernel.getConsumerRows());

  mainloop.lhs = getStages(kernel.getLhs());
  mainloop.firstRow = self.firstRow;
  for (unsigned i = 0; i < kernel.getNumProducts(); ++i)
    mainloop.rhs.push_back(getStages(kernel.getRhs(i)));
  mainloop.full = full;
  mainloop.release = [&](Value stage) {
    emitRelease(e, kernel, cluster, empty, stage, inWarpgroup);
  };

  tile::StagingAttr staging = kernel.epilogue.getStagingAttr();
  epilogueInputs.parameters = &parameters;
  epilogueInputs.staging = e.advance(
      e.advance(sharedBase, staging.getOffset()),
      e.mul(self.consumer, staging.getBuffers() * staging.getBytes()));
  // Only where there is something to wait for once in each tile does the parity
  // of tiles take a register.
  int64_t loads = kernel.getNumLoads();
  bool countsTiles = loads || clusterSum;
  SmallVector<Value> init(countsTiles ? 3 : 2, e.i32(0));
  if (loads)
    epilogueInputs.loads = BarrierArray(
        e.advance(e.advance(sharedBase, staging.getBarriers()),
                  e.mul(self.consumer, loads * BarrierArray::kBytes)));

  int64_t stages = kernel.getRingType().getStages();
  if (kernel.isPingpong()) {
    // Every other unit is this warpgroup's; the ring passes the stages of the
    // other's in between.
    e.ifThen(e.equal(self.consumer, 1), [&] {
      emitNamedArrive(e, e.i32(1), 2 * kWarpgroup);
    });
    work->emitLoop(
        init, [&](const Unit &unit, ValueRange carried) -> SmallVector<Value> {
          Value turn = carried[0], iteration = carried[1];
          Value isMine = e.compare(arith::CmpIPredicate::eq, turn,
                                   self.consumer);
          e.ifThen(isMine, [&] {
            Value round = e.div(iteration, stages);
            RingPosition at = {e.sub(iteration, e.mul(round, stages)),
                               e.bitAnd(round, 1)};
            emitTile(unit, at, countsTiles ? carried[2] : Value());
          });
          SmallVector<Value> next = {e.bitXor(turn, e.i32(1)),
                                     e.add(iteration, unit.kTiles)};
          // Both have had their turn.
          if (countsTiles)
            next.push_back(e.bitXor(carried[2], turn));
          return next;
        });
  } else {
    work->emitLoop(
        init, [&](const Unit &unit, ValueRange carried) -> SmallVector<Value> {
          RingPosition at = {carried[0], carried[1]};
          emitTile(unit, at, countsTiles ? carried[2] : Value());
          SmallVector<Value> next = {at.stage, at.parity};
          if (countsTiles)
            next.push_back(e.bitXor(carried[2], e.i32(1)));
          return next;
        });
  }
  // Shared memory must outlive the copies that read it.
  if (kernel.storesAnyTensor())
    e.ifThen(self.isLeader, [&] { emitStoreWaitRead(e, 0); });
}

LLVM::LLVMFuncOp KernelEmitter::emit() {
  LLVM::GlobalOp shared =
      emitSharedMemory(e, (kernel.function.getName() + "_shared").str());
  LLVM::LLVMFuncOp function = parameters.createFunction(e);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(function.addEntryBlock(e.b));
  parameters.bind(e, function);
  emitPrologue(shared);
  Value isProducer = e.equal(warpgroup, 0);
  e.ifThenElse(
      isProducer, [&] { emitProducer(); }, [&] { emitConsumer(); });
  // The other CTAs of a cluster may still write to this one's memory.
  if (kernel.getClusterSize() > 1)
    emitClusterBarrier(e);
  LLVM::ReturnOp::create(e.b, e.loc, ValueRange{});
  return function;
}

LLVM::LLVMFuncOp mlir::cutl::nvvm::emitKernel(StagedKernel &kernel) {
  return KernelEmitter(kernel).emit();
}
