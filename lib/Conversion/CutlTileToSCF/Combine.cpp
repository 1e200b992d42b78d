//===- Combine.cpp - Kernels that combine or copy, as loops --------------===//

#include "TileOps.h"
#include "cutl/Dialect/Cutl/IR/Combiners.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::tilescf;

/// Nested loops over dimensions `first` to `last` of `memref`.
static void emitLoops(Emit &e, Value memref, unsigned first, unsigned last,
                      SmallVector<Value> &indices,
                      function_ref<void()> body) {
  if (first == last)
    return body();
  Value extent = memref::DimOp::create(e.b, e.loc, memref, first);
  e.loop(extent, [&](Value index) {
    indices.push_back(index);
    emitLoops(e, memref, first + 1, last, indices, body);
    indices.pop_back();
  });
}

void tilescf::emitCombine(Emit &e, tile::CombineOp op) {
  Value input = op.getInput(), output = op.getOutput();
  MemRefType outputType = op.getOutput().getType();
  unsigned rank = op.getInput().getType().getRank();
  unsigned numDropped = rank - outputType.getRank();
  Type type = op.getInput().getType().getElementType();
  // A sum in a wider type than the output's is kept apart.
  Value sum = memref::AllocaOp::create(e.b, e.loc, MemRefType::get({}, type));
  SmallVector<Value> kept;
  emitLoops(e, output, 0, outputType.getRank(), kept, [&] {
    TypedAttr identity = getCombinerIdentity(e.b, op.getCombiner(), type);
    e.store(arith::ConstantOp::create(e.b, e.loc, identity), sum, {});
    SmallVector<Value> dropped;
    emitLoops(e, input, 0, numDropped, dropped, [&] {
      SmallVector<Value> indices = dropped;
      llvm::append_range(indices, kept);
      e.store(createCombine(e.b, e.loc, op.getCombiner(), e.load(sum, {}),
                            e.load(input, indices)),
              sum, {});
    });
    Value result = e.load(sum, {});
    if (type != outputType.getElementType())
      result = arith::TruncFOp::create(e.b, e.loc,
                                       outputType.getElementType(), result);
    e.store(result, output, kept);
  });
}

void tilescf::emitRepack(Emit &e, tile::RepackOp op) {
  Value source = op.getSource(), target = op.getTarget();
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<Value> indices;
  emitLoops(e, target, 0, permutation.size(), indices, [&] {
    SmallVector<Value> from(permutation.size());
    for (auto [i, dim] : llvm::enumerate(permutation))
      from[dim] = indices[i];
    e.store(e.load(source, from), target, indices);
  });
}
