//===- Work.cpp - The units of work of a CTA ------------------------------===//
//
// The schedule's own arithmetic, which is on indices, between the kernel's,
// which is on i32; indices are 32 bits wide in kernels.
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

ClusterThread mlir::cutl::nvvm::emitClusterThread(Emit &e, StagedKernel &kernel) {
  if (kernel.getClusterSize() == 1)
    return {e.i32(0), e.i32(0), Value()};
  // Ranks run along rows first, along k last.
  Value rank =
      NVVM::ClusterId::create(e.b, e.loc, e.b.getI32Type());
  Value column = e.div(rank, kernel.getClusterRows());
  ClusterThread self = {e.rem(rank, kernel.getClusterRows()), column, Value()};
  if (kernel.getClusterParts() > 1) {
    self.column = e.rem(column, kernel.getClusterColumns());
    self.part = e.div(column, kernel.getClusterColumns());
  }
  return self;
}

Work::Work(Emit &e, StagedKernel &kernel, ArrayRef<Value> extents,
           const ClusterThread &cluster)
    : e(e), kernel(kernel), extents(extents.begin(), extents.end()),
      cluster(cluster) {
  GemmDomain domain = kernel.loop.getDomain();
  auto countTiles = [&](unsigned dim, int64_t tile) {
    return e.index(e.ceilDiv(extents[dim], tile));
  };
  auto countAlong = [&](unsigned dim) {
    return dim == kernel.getRowDim()
               ? countTiles(dim, kernel.getRows() * kernel.getClusterRows())
               : countTiles(dim,
                            kernel.getColumns() * kernel.getClusterColumns());
  };
  space.tilesM = countAlong(domain.m());
  space.tilesN = countAlong(domain.n());
  Value batches = e.i32(1);
  for (unsigned dim = 0; dim < domain.getNumBatch(); ++dim)
    batches = e.mul(batches, extents[dim]);
  space.batches = e.index(batches);
  space.kIterations = countTiles(domain.k(), kernel.config.ctaK);
  space.raster = {kernel.config.raster == ::cutl::heuristics::RasterOrder::M,
                  kernel.config.rasterGroup};
}

Unit Work::emitUnit(const tile::WorkUnit &unit) {
  GemmDomain domain = kernel.loop.getDomain();
  Unit result;
  result.starts.resize(domain.getNumBatch() + 2);
  Value batch = e.fromIndex(unit.batch);
  for (unsigned dim = domain.getNumBatch(); dim-- > 0;) {
    // The outermost takes what is left.
    result.starts[dim] = dim == 0 ? batch : e.rem(batch, extents[dim]);
    if (dim > 0)
      batch = e.div(batch, extents[dim]);
  }
  auto start = [&](unsigned dim) {
    Value tile = e.fromIndex(dim == domain.m() ? unit.tileM : unit.tileN);
    bool isRow = dim == kernel.getRowDim();
    int64_t ctas =
        isRow ? kernel.getClusterRows() : kernel.getClusterColumns();
    if (ctas > 1)
      tile = e.add(e.mul(tile, ctas), isRow ? cluster.row : cluster.column);
    return e.mul(tile, isRow ? kernel.getRows() : kernel.getColumns());
  };
  result.starts[domain.m()] = start(domain.m());
  result.starts[domain.n()] = start(domain.n());

  Value begin = e.fromIndex(unit.kBegin), end = e.fromIndex(unit.kEnd);
  Value count = e.sub(end, begin);
  if (cluster.part) {
    // The longer parts come first.
    Value longer = e.rem(count, kernel.getClusterParts());
    Value least = e.div(count, kernel.getClusterParts());
    Value isLonger = e.less(cluster.part, longer);
    begin = e.add(begin, e.add(e.mul(cluster.part, least),
                               e.select(isLonger, cluster.part, longer)));
    count = e.select(isLonger, e.add(least, e.i32(1)), least);
  }
  Value isEmpty = e.equal(count, 0);
  int64_t k = kernel.config.ctaK;
  result.kTiles = e.select(isEmpty, e.i32(1), count);
  result.firstK = e.select(isEmpty, e.add(extents[domain.k()], k),
                           e.mul(begin, k));
  if (kernel.fixup) {
    result.slot = e.fromIndex(unit.slot);
    result.firstSlot = e.fromIndex(unit.firstSlot);
    result.contributors = e.fromIndex(unit.contributors);
  }
  return result;
}

void Work::emitLoop(
    ValueRange init,
    function_ref<SmallVector<Value>(const Unit &, ValueRange)> body) {
  // Read where they are used: ptxas spills them rather than read them again.
  Type i32 = e.b.getI32Type();
  int64_t size = kernel.getClusterSize();
  Value worker =
      ticket ? e.index(LLVM::LoadOp::create(e.b, e.loc, i32, ticket))
             : e.index(e.div(NVVM::BlockIdXOp::create(e.b, e.loc, i32), size));
  Value workers =
      e.index(e.div(NVVM::GridDimXOp::create(e.b, e.loc, i32), size));
  auto schedule =
      cast<tile::ScheduleEmissionInterface>(kernel.loop.getSchedule());
  schedule.emitWorkLoop(
      e.b, e.loc, space, worker, workers, init,
      [&](const tile::WorkUnit &unit, ValueRange carried) {
        return body(emitUnit(unit), carried);
      });
}
