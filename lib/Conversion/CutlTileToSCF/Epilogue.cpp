//===- Epilogue.cpp - The epilogue of one CTA tile as loops --------------===//

#include "TileOps.h"
#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

/// Clones the region for one element, ops of the dialect as their formulas, and
/// returns the values to write. `mapping` has the region's arguments.
static SmallVector<Value> emitBody(Emit &e, Block &body, IRMapping &mapping) {
  for (Operation &op : body.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    if (Value expanded =
            cast<EpilogueOpInterface>(op).expandToArith(e.b, operands))
      mapping.map(op.getResult(0), expanded);
    else
      e.b.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

/// What `map` picks of `point`, in blocks where it divides.
static SmallVector<Value> selectBlock(Emit &e, AffineMap map,
                                      const DomainPoint &point) {
  SmallVector<Value> position;
  for (AffineExpr expr : map.getResults()) {
    GemmMapResult result = *decomposeMapResult(expr);
    Value index = point.indices[result.dim];
    position.push_back(result.divisor == 1
                           ? index
                           : e.div(index, e.index(result.divisor)));
  }
  return position;
}

/// Lets a reduced output start from its identity wherever the tile writes.
static void emitIdentities(Emit &e, tile::EpilogueOp op,
                           const GemmOutput &output, const DomainPoint &origin,
                           Value rows, Value columns) {
  GemmDomain domain = op.getDomain();
  TypedAttr identity = getCombinerIdentity(
      e.b, output.combiner, getElementTypeOrSelf(output.value.getType()));
  e.loop(rows, [&](Value i) {
    e.loop(columns, [&](Value j) {
      DomainPoint point = origin;
      point.indices[domain.m()] = e.add(origin.indices[domain.m()], i);
      point.indices[domain.n()] = e.add(origin.indices[domain.n()], j);
      e.store(arith::ConstantOp::create(e.b, e.loc, identity), output.value,
              selectBlock(e, output.map, point));
    });
  });
}

static void emitElements(Emit &e, const TileContext &context,
                         tile::EpilogueOp op) {
  tile::WorkLoopOp loop = context.loop;
  GemmDomain domain = op.getDomain();
  DomainPoint origin = context.getOrigin(op.getOffsets());
  Value m0 = origin.indices[domain.m()], n0 = origin.indices[domain.n()];
  // A tile of a cluster may lie beyond the extents as a whole: then the ends
  // are negative and nothing is visited.
  Value rows =
      e.min(e.index(loop.getShareM()), e.sub(loop.getExtent(domain.m()), m0));
  Value columns =
      e.min(e.index(loop.getShareN()), e.sub(loop.getExtent(domain.n()), n0));
  for (unsigned out = 0; out < op.getOuts().size(); ++out)
    if (op.isReduced(out))
      emitIdentities(e, op, op.getOutput(out), origin, rows, columns);
  e.loop(rows, [&](Value i) {
    e.loop(columns, [&](Value j) {
      DomainPoint point = origin;
      point.indices[domain.m()] = e.add(m0, i);
      point.indices[domain.n()] = e.add(n0, j);

      Block &body = op.getBody().front();
      IRMapping mapping;
      auto argument = body.args_begin();
      for (Value accumulator : op.getAccumulators())
        mapping.map(*argument++,
                    e.load(context.mapping.lookup(accumulator), {i, j}));
      for (unsigned aux = 0; aux < op.getAux().size(); ++aux) {
        GemmInput input = op.getAuxInput(aux);
        bool byValue = !isa<MemRefType>(input.value.getType());
        mapping.map(*argument++,
                    byValue ? input.value
                            : e.load(input.value, point.select(input.map)));
      }
      SmallVector<Value> results = emitBody(e, body, mapping);
      // Behind every read: an auxiliary operand may be an output.
      for (unsigned out = 0; out < results.size(); ++out) {
        GemmOutput output = op.getOutput(out);
        SmallVector<Value> position = selectBlock(e, output.map, point);
        Value result = results[out];
        if (output.combiner != Combiner::None)
          result = createCombine(e.b, e.loc, output.combiner,
                                 e.load(output.value, position), result);
        e.store(result, output.value, position);
      }
    });
  });
}

void tilescf::emitEpilogue(Emit &e, const TileContext &context,
                           tile::EpilogueOp op) {
  if (!op.getCondition())
    return emitElements(e, context, op);
  e.ifThen(context.mapping.lookupOrDefault(op.getCondition()),
           [&] { emitElements(e, context, op); });
}
