//===- Mainloop.cpp - The product of one CTA tile as loops ---------------===//
//
// As on a GPU, every k step multiplies whole tiles whose elements beyond the
// extents are zero.
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "cutl/Conversion/ProductBody.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

SmallVector<Value, 4> DomainPoint::select(AffineMap map) const {
  SmallVector<Value, 4> result;
  for (AffineExpr expr : map.getResults())
    result.push_back(indices[cast<AffineDimExpr>(expr).getPosition()]);
  return result;
}

DomainPoint TileContext::getOrigin(ValueRange offsets) const {
  DomainPoint origin;
  for (Value offset : offsets)
    origin.indices.push_back(mapping.lookupOrDefault(offset));
  origin.indices.push_back(Value());
  return origin;
}

TileBuffers TileBuffers::allocate(Emit &e, tile::WorkLoopOp loop,
                                  tile::MainloopOp op) {
  Type element = op.getAccType(0).getElementType();
  auto allocate = [&](int64_t rows, int64_t columns) -> Value {
    return memref::AllocOp::create(e.b, e.loc,
                                   MemRefType::get({rows, columns}, element),
                                   e.b.getI64IntegerAttr(64));
  };
  TileBuffers buffers;
  buffers.a = allocate(loop.getTileM(), loop.getTileK());
  buffers.b = allocate(loop.getTileK(), loop.getTileN());
  for (size_t i = 0; i < op.getAccumulators().size(); ++i)
    buffers.accumulators.push_back(allocate(loop.getTileM(), loop.getTileN()));
  return buffers;
}

void TileBuffers::deallocate(Emit &e) const {
  for (Value buffer : accumulators)
    memref::DeallocOp::create(e.b, e.loc, buffer);
  memref::DeallocOp::create(e.b, e.loc, a);
  memref::DeallocOp::create(e.b, e.loc, b);
}

static Value emitZero(Emit &e, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return arith::ConstantOp::create(e.b, e.loc,
                                   cast<TypedAttr>(e.b.getZeroAttr(element)));
}

static void emitClear(Emit &e, Value buffer) {
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  Value zero = emitZero(e, buffer);
  e.loop(shape[0], [&](Value i) {
    e.loop(shape[1], [&](Value j) { e.store(zero, buffer, {i, j}); });
  });
}

namespace {

/// One operand's tile of a k step. Along dimension `outer` of the domain it has
/// the tile's extent, along k that of a step.
struct TileCopy {
  GemmInput input;
  MathMode math;
  Signedness signedness;
  unsigned outer, k;
  /// Where elements stop, along `outer` and along k.
  Value outerEnd, kEnd;
};

} // namespace

/// Copies into `buffer`, where k runs along `kAxis`, what `copy` reads from
/// `origin` on.
static void emitCopy(Emit &e, const TileCopy &copy, const DomainPoint &origin,
                     Value buffer, unsigned kAxis) {
  auto type = cast<MemRefType>(buffer.getType());
  e.loop(type.getDimSize(0), [&](Value i) {
    e.loop(type.getDimSize(1), [&](Value j) {
      DomainPoint point = origin;
      Value outer = e.add(origin.indices[copy.outer], kAxis == 1 ? i : j);
      Value k = e.add(origin.indices[copy.k], kAxis == 1 ? j : i);
      point.indices[copy.outer] = outer;
      point.indices[copy.k] = k;
      Value inside =
          e.both(e.isLess(outer, copy.outerEnd), e.isLess(k, copy.kEnd));
      auto guarded = scf::IfOp::create(
          e.b, e.loc, inside,
          [&](OpBuilder &builder, Location loc) {
            Emit inner{builder, loc};
            Value value =
                inner.load(copy.input.value, point.select(copy.input.map));
            scf::YieldOp::create(builder, loc,
                                 createFactor(builder, loc, copy.math,
                                              copy.signedness, value,
                                              type.getElementType()));
          },
          [&](OpBuilder &builder, Location loc) {
            Emit inner{builder, loc};
            scf::YieldOp::create(builder, loc, emitZero(inner, buffer));
          });
      e.store(guarded.getResult(0), buffer, {i, j});
    });
  });
}

/// Adds the product of the tiles to `accumulator`, in order of increasing k.
static void emitProduct(Emit &e, Value a, Value b, Value accumulator) {
  auto type = cast<MemRefType>(accumulator.getType());
  int64_t depth = cast<MemRefType>(a.getType()).getDimSize(1);
  e.loop(type.getDimSize(0), [&](Value i) {
    e.loop(depth, [&](Value k) {
      Value left = e.load(a, {i, k});
      e.loop(type.getDimSize(1), [&](Value j) {
        Value sum = createMultiplyAdd(e.b, e.loc, left, e.load(b, {k, j}),
                                      e.load(accumulator, {i, j}));
        e.store(sum, accumulator, {i, j});
      });
    });
  });
}

void tilescf::emitMainloop(Emit &e, const TileContext &context,
                           tile::MainloopOp op, const TileBuffers &buffers) {
  tile::WorkLoopOp loop = context.loop;
  GemmDomain domain = op.getDomain();
  Value kBegin = context.mapping.lookupOrDefault(op.getKBegin());
  Value kEnd = context.mapping.lookupOrDefault(op.getKEnd());
  DomainPoint origin = context.getOrigin(op.getOffsets());
  tile::ComputeAttr compute = op.getComputeAttr();
  MathMode math = compute ? compute.getMath() : MathMode::Exact;
  Signedness signOfA = compute ? compute.getA() : Signedness::Signed;
  Signedness signOfB = compute ? compute.getB() : Signedness::Signed;

  for (Value accumulator : buffers.accumulators)
    emitClear(e, accumulator);
  e.loop(kBegin, kEnd, e.index(loop.getTileK()), [&](Value k) {
    DomainPoint start = origin;
    start.indices[domain.k()] = k;
    emitCopy(e,
             {op.getInputA(), math, signOfA, domain.m(), domain.k(),
              loop.getExtent(domain.m()), kEnd},
             start, buffers.a, /*kAxis=*/1);
    for (auto [i, accumulator] : llvm::enumerate(buffers.accumulators)) {
      emitCopy(e,
               {op.getInputB(i), math, signOfB, domain.n(), domain.k(),
                loop.getExtent(domain.n()), kEnd},
               start, buffers.b, /*kAxis=*/0);
      emitProduct(e, buffers.a, buffers.b, accumulator);
    }
  });
}
