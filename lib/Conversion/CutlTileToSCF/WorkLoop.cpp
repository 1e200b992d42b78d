//===- WorkLoop.cpp - CTAs one after the other ---------------------------===//

#include "TileOps.h"
#include "cutl/Dialect/CutlTile/IR/WorkSpace.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

namespace {

/// Emits one work loop.
class WorkLoopEmitter {
public:
  WorkLoopEmitter(Emit &e, tile::WorkLoopOp loop)
      : e(e), loop(loop), domain(loop.getDomain()),
        config(loop.getConfig().toTileConfig()) {}

  void emit(const CtaOptions &options, Operation *function);

private:
  Value emitWorker(Value position, const CtaOptions &options,
                   Operation *function);
  void emitUnit(const tile::WorkUnit &unit);
  /// The CTA at `(m, n)`, in tiles, which has number `rank` of its cluster and
  /// part `part` of the unit's k.
  void emitCta(const tile::WorkUnit &unit, Value m, Value n, Value rank,
               Value part);
  /// The steps of k that are part `part` of the unit's.
  std::pair<Value, Value> emitPart(const tile::WorkUnit &unit, Value part);
  Value emitElements(Value step);
  void emitMainloops(const tile::WorkUnit &unit, Emit &at,
                     const TileContext &context, tile::MainloopOp mainloop);

  Emit &e;
  tile::WorkLoopOp loop;
  GemmDomain domain;
  ::cutl::heuristics::TileConfig config;
  /// Of each mainloop, for each part of k.
  llvm::MapVector<Operation *, SmallVector<TileBuffers, 1>> buffers;
  /// Of each sum over a cluster.
  llvm::MapVector<Operation *, SmallVector<Value>> shares;
};

} // namespace

/// The worker that runs as number `position`.
Value WorkLoopEmitter::emitWorker(Value position, const CtaOptions &options,
                                  Operation *function) {
  // Numbers are in the order in which workers start.
  if (loop.getSchedule().takesTurns())
    return position;
  switch (options.order.kind) {
  case CtaOrder::Kind::Forward:
    return position;
  case CtaOrder::Kind::Reverse:
    return e.sub(e.index(options.grid - 1), position);
  case CtaOrder::Kind::Seeded:
    break;
  }
  auto type = MemRefType::get({options.grid}, e.b.getIndexType());
  auto tensor = RankedTensorType::get({options.grid}, e.b.getIndexType());
  std::vector<int64_t> order = options.order.permute(options.grid);
  // Detached, so that the symbol table may still choose another name.
  OpBuilder outside(e.b.getContext());
  auto table = memref::GlobalOp::create(
      outside, e.loc,
      (SymbolTable::getSymbolName(function).getValue() + "_order").str(),
      e.b.getStringAttr("private"), type,
      DenseElementsAttr::get(tensor, ArrayRef<int64_t>(order)),
      /*constant=*/true, /*alignment=*/IntegerAttr());
  SymbolTable(function->getParentOp()).insert(table, Block::iterator(function));
  Value values =
      memref::GetGlobalOp::create(e.b, e.loc, type, table.getSymName());
  return e.load(values, position);
}

/// Where a step of k starts, or the last one ends.
Value WorkLoopEmitter::emitElements(Value step) {
  return e.min(e.mul(step, loop.getTileK()), loop.getExtent(domain.k()));
}

std::pair<Value, Value> WorkLoopEmitter::emitPart(const tile::WorkUnit &unit,
                                                  Value part) {
  if (config.clusterK == 1)
    return {unit.kBegin, unit.kEnd};
  // The longer parts come first.
  Value parts = e.index(config.clusterK);
  Value count = e.sub(unit.kEnd, unit.kBegin);
  Value least = e.div(count, parts), longer = e.rem(count, parts);
  auto begin = [&](Value number) {
    return e.add(unit.kBegin,
                 e.add(e.mul(number, least), e.min(number, longer)));
  };
  return {begin(part), begin(e.add(part, e.index(1)))};
}

void WorkLoopEmitter::emitCta(const tile::WorkUnit &unit, Value m, Value n,
                              Value rank, Value part) {
  IRMapping mapping;
  SmallVector<Value> arguments(domain.getNumBatch());
  // The last batch dimension is the innermost.
  Value batch = unit.batch;
  for (unsigned dim = domain.getNumBatch(); dim-- > 0;) {
    Value extent = loop.getExtent(dim);
    arguments[dim] = dim == 0 ? batch : e.rem(batch, extent);
    if (dim != 0)
      batch = e.div(batch, extent);
  }
  arguments.push_back(e.mul(m, loop.getTileM()));
  arguments.push_back(e.mul(n, loop.getTileN()));
  auto [kBegin, kEnd] = emitPart(unit, part);
  arguments.push_back(e.mul(kBegin, loop.getTileK()));
  arguments.push_back(emitElements(kEnd));
  if (loop.splitsK())
    arguments.append({unit.slot, unit.firstSlot, unit.contributors});
  mapping.map(loop.getBody().getArguments(), arguments);

  TileContext context = {loop, mapping};
  for (Operation &op : loop.getBody().front()) {
    Emit at{e.b, op.getLoc()};
    if (auto mainloop = dyn_cast<tile::MainloopOp>(op)) {
      emitMainloops(unit, at, context, mainloop);
    } else if (auto sum = dyn_cast<tile::ClusterSumOp>(op)) {
      Operation *mainloop = sum.getAccumulators().front().getDefiningOp();
      emitClusterSum(at, context, sum, buffers[mainloop], shares[sum], part);
    } else if (auto fixup = dyn_cast<tile::FixupOp>(op)) {
      emitFixup(at, context, fixup, rank);
    } else if (auto epilogue = dyn_cast<tile::EpilogueOp>(op)) {
      emitEpilogue(at, context, epilogue);
    } else {
      e.b.clone(op, mapping);
    }
  }
}

/// A CTA's own products, and where it is to add up its cluster's those of the
/// others too: nothing runs at the same time that could hand them on.
void WorkLoopEmitter::emitMainloops(const tile::WorkUnit &unit, Emit &at,
                                    const TileContext &context,
                                    tile::MainloopOp mainloop) {
  ArrayRef<TileBuffers> tiles = buffers[mainloop];
  for (auto [number, buffers] : llvm::enumerate(tiles)) {
    IRMapping mapping = context.mapping;
    if (tiles.size() > 1) {
      auto [begin, end] = emitPart(unit, e.index(number));
      mapping.map(loop.getKBegin(), e.mul(begin, loop.getTileK()));
      mapping.map(loop.getKEnd(), emitElements(end));
    }
    emitMainloop(at, {loop, mapping}, mainloop, buffers);
  }
  context.mapping.map(mainloop.getAccumulators(), tiles.front().accumulators);
}

/// The CTAs of a cluster take neighbouring tiles, or parts of one.
void WorkLoopEmitter::emitUnit(const tile::WorkUnit &unit) {
  if (config.clusterSize() == 1)
    return emitCta(unit, unit.tileM, unit.tileN, e.index(0), e.index(0));
  e.loop(loop.getClusterM(), [&](Value i) {
    e.loop(loop.getClusterN(), [&](Value j) {
      Value rank = e.add(e.mul(i, loop.getClusterN()), j);
      e.loop(config.clusterK, [&](Value part) {
        emitCta(unit, e.add(e.mul(unit.tileM, loop.getClusterM()), i),
                e.add(e.mul(unit.tileN, loop.getClusterN()), j), rank, part);
      });
    });
  });
}

void WorkLoopEmitter::emit(const CtaOptions &options, Operation *function) {
  for (auto op : loop.getBody().getOps<tile::MainloopOp>())
    for (int64_t part = 0; part < config.clusterK; ++part)
      buffers[op].push_back(TileBuffers::allocate(e, loop, op));
  for (auto op : loop.getBody().getOps<tile::ClusterSumOp>())
    for (Type type : op.getSums().getTypes()) {
      auto share = cast<tile::AccType>(type);
      shares[op].push_back(memref::AllocOp::create(
          e.b, e.loc, MemRefType::get(share.getShape(), share.getElementType()),
          e.b.getI64IntegerAttr(64)));
    }
  tile::WorkSpace space =
      tile::emitWorkSpace(e.b, e.loc, loop, loop.getExtents());
  auto schedule = cast<tile::ScheduleEmissionInterface>(loop.getSchedule());
  // Each CTA runs from its first unit to its last before the next one starts.
  // Were one to wait for another, only those before it could have done what it
  // waits for: a wait has nothing to do here but to check that.
  e.loop(options.grid, [&](Value position) {
    Value worker = emitWorker(position, options, function);
    schedule.emitWorkLoop(e.b, e.loc, space, worker, e.index(options.grid),
                          /*init=*/{},
                          [&](const tile::WorkUnit &unit, ValueRange) {
                            emitUnit(unit);
                            return SmallVector<Value>();
                          });
  });
  for (auto &[op, parts] : buffers)
    for (const TileBuffers &tiles : parts)
      tiles.deallocate(e);
  for (auto &[op, sums] : shares)
    for (Value sum : sums)
      memref::DeallocOp::create(e.b, e.loc, sum);
}

void tilescf::emitWorkLoop(Emit &e, tile::WorkLoopOp loop,
                           const CtaOptions &options, Operation *function) {
  WorkLoopEmitter(e, loop).emit(options, function);
}
