//===- ClusterSum.cpp - CTAs of a cluster that meet, as loops ------------===//

#include "TileOps.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

void tilescf::emitClusterSum(Emit &e, const TileContext &context,
                             tile::ClusterSumOp op, ArrayRef<TileBuffers> parts,
                             ArrayRef<Value> sums, Value part) {
  tile::WorkLoopOp loop = context.loop;
  bool alongM = loop.getConfig().getSwapOperands();
  Value start = e.mul(part, alongM ? loop.getShareM() : loop.getShareN());
  for (size_t number = 0; number < sums.size(); ++number) {
    e.loop(loop.getShareM(), [&](Value i) {
      e.loop(loop.getShareN(), [&](Value j) {
        SmallVector<Value> place = {alongM ? e.add(i, start) : i,
                                    alongM ? j : e.add(j, start)};
        Value total = e.load(parts.front().accumulators[number], place);
        for (const TileBuffers &buffers : parts.drop_front())
          total = e.addSums(total, e.load(buffers.accumulators[number], place));
        e.store(total, sums[number], {i, j});
      });
    });
  }
  context.mapping.map(op.getSums(), sums);
  context.mapping.map(
      op.getStart(),
      e.add(context.mapping.lookupOrDefault(op.getFrom()), start));
}
