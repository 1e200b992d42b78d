//===- RasterEmission.h - What the loops of schedules share --------------===//

#ifndef CUTL_CONVERSION_SCHEDULEEMISSION_RASTEREMISSION_H
#define CUTL_CONVERSION_SCHEDULEEMISSION_RASTEREMISSION_H

#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::cutl {

/// Arithmetic on indices that are not negative, short to write.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value rem(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }
  Value min(Value a, Value b) {
    return arith::MinUIOp::create(builder, loc, a, b);
  }
};

/// The tile at `index` in raster order, without its k range; there is one, so
/// no extent is zero.
tile::WorkUnit emitRasterTile(Arithmetic arith, const tile::WorkSpace &space,
                              Value index);

/// The number of tiles of all batches.
Value emitTileCount(Arithmetic arith, const tile::WorkSpace &space);

/// The loop of worker number `worker` of `workers` over every so many of
/// `count` units. `body` gets the number of a unit.
SmallVector<Value>
emitStridedLoop(OpBuilder &builder, Location loc, Value count, Value worker,
                Value workers, ValueRange init,
                function_ref<SmallVector<Value>(Value, ValueRange)> body);

void attachDataParallelEmission(MLIRContext *context);
void attachSplitKEmission(MLIRContext *context);
void attachStreamKEmission(MLIRContext *context);

} // namespace mlir::cutl

#endif // CUTL_CONVERSION_SCHEDULEEMISSION_RASTEREMISSION_H
