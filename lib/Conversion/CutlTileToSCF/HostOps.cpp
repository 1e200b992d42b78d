//===- HostOps.cpp - The steps of an entry that are no launches ----------===//

#include "HostOps.h"

#include "Emit.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

/// Stores `value` everywhere below `indices`.
static void emitFill(Emit &e, Value value, Value memref,
                     SmallVectorImpl<Value> &indices) {
  if (int64_t(indices.size()) == cast<MemRefType>(memref.getType()).getRank())
    return e.store(value, memref, indices);
  Value extent =
      memref::DimOp::create(e.b, e.loc, memref, int64_t(indices.size()));
  e.loop(extent, [&](Value index) {
    indices.push_back(index);
    emitFill(e, value, memref, indices);
    indices.pop_back();
  });
}

void tilescf::emitMemset(MemsetOp op) {
  OpBuilder builder(op);
  Emit e{builder, op.getLoc()};
  Type element =
      cast<MemRefType>(op.getDestination().getType()).getElementType();
  APInt bits =
      APInt(32, uint32_t(op.getValue())).trunc(element.getIntOrFloatBitWidth());
  TypedAttr constant;
  if (auto type = dyn_cast<FloatType>(element))
    constant = FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
  else
    constant = IntegerAttr::get(element, bits);
  Value value = arith::ConstantOp::create(builder, op.getLoc(), constant);
  SmallVector<Value> indices;
  emitFill(e, value, op.getDestination(), indices);
  op.erase();
}

void tilescf::emitResidentCtas(ResidentCtasOp op, int64_t ctas) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(
      arith::ConstantIndexOp::create(builder, op.getLoc(), ctas));
  op.erase();
}
