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
  /// The CTA at `(m, n)`, in tiles, which has number `rank` of its cluster.
  void emitCta(const tile::WorkUnit &unit, Value m, Value n, Value rank);

  Emit &e;
  tile::WorkLoopOp loop;
  GemmDomain domain;
  ::cutl::heuristics::TileConfig config;
  llvm::MapVector<Operation *, TileBuffers> buffers;
};

} // namespace

/// The worker that runs as number `position`.
Value WorkLoopEmitter::emitWorker(Value position, const CtaOptions &options,
                                  Operation *function) {
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

void WorkLoopEmitter::emitCta(const tile::WorkUnit &unit, Value m, Value n,
                              Value rank) {
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
  arguments.push_back(e.mul(unit.kBegin, loop.getTileK()));
  arguments.push_back(
      e.min(e.mul(unit.kEnd, loop.getTileK()), loop.getExtent(domain.k())));
  if (loop.splitsK())
    arguments.append({unit.slot, unit.firstSlot, unit.contributors});
  mapping.map(loop.getBody().getArguments(), arguments);

  TileContext context = {loop, mapping};
  for (Operation &op : loop.getBody().front()) {
    Emit at{e.b, op.getLoc()};
    if (auto mainloop = dyn_cast<tile::MainloopOp>(op)) {
      const TileBuffers &tiles = buffers[&op];
      emitMainloop(at, context, mainloop, tiles);
      mapping.map(mainloop.getAccumulators(), tiles.accumulators);
    } else if (auto fixup = dyn_cast<tile::FixupOp>(op)) {
      emitFixup(at, context, fixup, rank);
    } else if (auto epilogue = dyn_cast<tile::EpilogueOp>(op)) {
      emitEpilogue(at, context, epilogue);
    } else {
      e.b.clone(op, mapping);
    }
  }
}

/// The CTAs of a cluster take neighbouring tiles.
void WorkLoopEmitter::emitUnit(const tile::WorkUnit &unit) {
  if (config.clusterSize() == 1)
    return emitCta(unit, unit.tileM, unit.tileN, e.index(0));
  e.loop(loop.getClusterM(), [&](Value i) {
    e.loop(loop.getClusterN(), [&](Value j) {
      emitCta(unit, e.add(e.mul(unit.tileM, loop.getClusterM()), i),
              e.add(e.mul(unit.tileN, loop.getClusterN()), j),
              e.add(e.mul(i, loop.getClusterN()), j));
    });
  });
}

void WorkLoopEmitter::emit(const CtaOptions &options, Operation *function) {
  for (auto op : loop.getBody().getOps<tile::MainloopOp>())
    buffers[op] = TileBuffers::allocate(e, loop, op);
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
  for (auto &[op, tiles] : buffers)
    tiles.deallocate(e);
}

void tilescf::emitWorkLoop(Emit &e, tile::WorkLoopOp loop,
                           const CtaOptions &options, Operation *function) {
  WorkLoopEmitter(e, loop).emit(options, function);
}
