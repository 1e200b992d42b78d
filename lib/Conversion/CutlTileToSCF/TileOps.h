//===- TileOps.h - The work ops as loops ---------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETOSCF_TILEOPS_H
#define CUTL_CONVERSION_CUTLTILETOSCF_TILEOPS_H

#include "CtaOrder.h"
#include "Emit.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::cutl::tilescf {

/// One position in the domain `(b…, m, n, k)`; k may be null.
struct DomainPoint {
  SmallVector<Value, 4> indices;

  /// What `map` picks of it.
  SmallVector<Value, 4> select(AffineMap map) const;
};

/// Buffers that a mainloop fills again and again, of the static tile size and
/// the accumulators' type.
struct TileBuffers {
  /// `[m][k]` and `[k][n]`.
  Value a, b;
  /// `[m][n]` each.
  SmallVector<Value, 2> accumulators;

  static TileBuffers allocate(Emit &e, tile::WorkLoopOp loop,
                              tile::MainloopOp op);
  void deallocate(Emit &e) const;
};

/// Where the operands of an op inside a work loop are now: the values of the
/// loop's arguments, and of accumulators the buffers that hold them.
struct TileContext {
  tile::WorkLoopOp loop;
  IRMapping &mapping;

  /// Where the op's tile starts, with a null k.
  DomainPoint getOrigin(ValueRange offsets) const;
};

/// Fills the accumulators of `buffers` with the product.
void emitMainloop(Emit &e, const TileContext &context, tile::MainloopOp op,
                  const TileBuffers &buffers);

/// Adds up, in order, what the CTAs of a cluster have along k, for the share of
/// number `part`. `parts` are their buffers, `sums` the share's.
void emitClusterSum(Emit &e, const TileContext &context, tile::ClusterSumOp op,
                    ArrayRef<TileBuffers> parts, ArrayRef<Value> sums,
                    Value part);

/// Adds up what the units of a tile have computed, in the one that arrives last;
/// in CTA number `rank` of a cluster.
void emitFixup(Emit &e, const TileContext &context, tile::FixupOp op,
               Value rank);

/// Runs the region for each element of the tile that lies within the extents.
void emitEpilogue(Emit &e, const TileContext &context, tile::EpilogueOp op);

/// Combines the elements of the input for each element of the output.
void emitCombine(Emit &e, tile::CombineOp op);

/// A copy, element by element.
void emitRepack(Emit &e, tile::RepackOp op);

/// How the units of work are shared and run.
struct CtaOptions {
  int64_t grid = 1;
  CtaOrder order;
};

/// Emits what replaces `loop` at the builder's position. A table of the order,
/// where it takes one, is put before `function`.
void emitWorkLoop(Emit &e, tile::WorkLoopOp loop, const CtaOptions &options,
                  Operation *function);

} // namespace mlir::cutl::tilescf

#endif // CUTL_CONVERSION_CUTLTILETOSCF_TILEOPS_H
