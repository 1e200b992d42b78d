//===- PackFactor.cpp - Packing one side of a contraction -----------------===//
//
// Emits the loops that evaluate a factor over a block into a panel.
//
//===----------------------------------------------------------------------===//

#include "PackFactor.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// LoopEmitter
//===----------------------------------------------------------------------===//

LoopEmitter::LoopEmitter(OpBuilder &builder, Location loc)
    : b(builder), loc(loc) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  firstConstant = zero.getDefiningOp();
  constants[0] = zero;
}

Value LoopEmitter::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(firstConstant);
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value LoopEmitter::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value LoopEmitter::sub(Value lhs, Value rhs) {
  return b.createOrFold<arith::SubIOp>(loc, lhs, rhs);
}
Value LoopEmitter::mul(Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}
Value LoopEmitter::min(Value lhs, Value rhs) {
  return b.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}
Value LoopEmitter::equal(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lhs, rhs);
}

void LoopEmitter::loop(Value lower, Value upper, int64_t step,
                       function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(b, loc, lower, upper, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

void LoopEmitter::branch(Value condition, function_ref<void()> thenBody,
                         function_ref<void()> elseBody) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/!!elseBody);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  thenBody();
  if (elseBody) {
    b.setInsertionPointToStart(op.elseBlock());
    elseBody();
  }
}

//===----------------------------------------------------------------------===//
// FactorPacker
//===----------------------------------------------------------------------===//

FactorPacker::FactorPacker(LoopEmitter &emitter, const Contraction &contraction,
                           const Factor &factor)
    : e(emitter), contraction(contraction), op(contraction.op), factor(factor) {
  vectorizable = prepareVectors();
}

/// Whether vectors of `type` have the same layout in memory as its elements,
/// which sub-byte elements (one byte each in a memref) do not.
static bool isByteSized(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
         llvm::isPowerOf2_32(type.getIntOrFloatBitWidth());
}

bool FactorPacker::prepareVectors() {
  if (!factor.laneDim)
    return false;
  for (Operation *inner : factor.slice)
    if (!OpTrait::hasElementwiseMappableTraits(inner) &&
        !inner->hasTrait<OpTrait::ConstantLike>())
      return false;

  AffineExpr lane = getAffineDimExpr(*factor.laneDim, op.getContext());
  // Which dimension of which input the lanes run along; checked in full before
  // anything is emitted.
  SmallVector<std::pair<unsigned, unsigned>> laneInputs;
  for (unsigned input : factor.inputs) {
    OpOperand *operand = op.getDpsInputOperand(input);
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(*factor.laneDim))
      continue;
    auto type = cast<MemRefType>(operand->get().getType());
    std::optional<unsigned> position = map.getResultPosition(lane);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!position || !isByteSized(type.getElementType()) ||
        failed(type.getStridesAndOffset(strides, offset)))
      return false;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (i != *position && expr.isFunctionOfDim(*factor.laneDim))
        return false;
    if (strides[*position] != 1 && !ShapedType::isDynamic(strides[*position]))
      return false;
    laneInputs.emplace_back(input, *position);
  }

  for (auto [input, position] : laneInputs) {
    Value memref = op.getDpsInputOperand(input)->get();
    SmallVector<int64_t> staticStrides;
    int64_t staticOffset;
    (void)cast<MemRefType>(memref.getType())
        .getStridesAndOffset(staticStrides, staticOffset);
    auto metadata =
        memref::ExtractStridedMetadataOp::create(e.b, e.loc, memref);
    StridedInput view;
    view.base = metadata.getBaseBuffer();
    view.offset = ShapedType::isDynamic(staticOffset)
                      ? metadata.getOffset()
                      : e.constant(staticOffset);
    for (auto [i, stride] : llvm::enumerate(metadata.getStrides()))
      view.strides.push_back(ShapedType::isDynamic(staticStrides[i])
                                 ? Value(stride)
                                 : e.constant(staticStrides[i]));
    if (staticStrides[position] != 1) {
      Value isUnit = e.equal(view.strides[position], e.constant(1));
      contiguous =
          contiguous
              ? e.b.createOrFold<arith::AndIOp>(e.loc, contiguous, isUnit)
              : isUnit;
    }
    views[input] = std::move(view);
  }
  return !laneInputs.empty();
}

SmallVector<Value> FactorPacker::indices(unsigned input,
                                         ArrayRef<Value> point) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(input));
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults())
    result.push_back(
        affine::expandAffineExpr(e.b, e.loc, expr, point, ValueRange()));
  return result;
}

/// Reads one input at `point`: an element, or `width` of them along the lanes
/// when the input depends on the lane.
Value FactorPacker::readInput(unsigned input, ArrayRef<Value> point,
                              int64_t width) {
  Value operand = op.getDpsInputOperand(input)->get();
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return operand;
  SmallVector<Value> index = indices(input, point);
  auto it = views.find(input);
  if (width == 1 || it == views.end())
    return memref::LoadOp::create(e.b, e.loc, operand, index);

  const StridedInput &view = it->second;
  Value start = view.offset;
  for (auto [i, stride] : llvm::zip_equal(index, view.strides))
    start = e.add(start, e.mul(i, stride));
  auto rowType = MemRefType::get(
      {width}, type.getElementType(),
      StridedLayoutAttr::get(e.b.getContext(), ShapedType::kDynamic, {1}),
      type.getMemorySpace());
  Value row = memref::ReinterpretCastOp::create(
      e.b, e.loc, rowType, view.base, OpFoldResult(start),
      ArrayRef<OpFoldResult>{e.b.getIndexAttr(width)},
      ArrayRef<OpFoldResult>{e.b.getIndexAttr(1)});
  return vector::LoadOp::create(e.b, e.loc,
                                VectorType::get({width}, type.getElementType()),
                                row, ValueRange{e.constant(0)});
}

/// Evaluates the factor at `point`, or for `width` lanes starting there.
Value FactorPacker::evaluate(ArrayRef<Value> point, int64_t width) {
  auto widen = [&](Value value) -> Value {
    if (width == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        e.b, e.loc, VectorType::get({width}, value.getType()), value);
  };
  IRMapping mapping;
  Block *body = op.getBody();
  for (unsigned input : factor.inputs)
    mapping.map(body->getArgument(input), readInput(input, point, width));
  for (Operation *inner : factor.slice) {
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    SmallVector<Type> types(inner->getResultTypes());
    // Only what depends on the lane is computed per lane.
    if (llvm::any_of(operands, [](Value value) {
          return isa<VectorType>(value.getType());
        })) {
      for (Value &operand : operands)
        operand = widen(operand);
      for (Type &type : types)
        type = VectorType::get({width}, type);
    }
    Operation *copy = mlir::clone(e.b, inner, types, operands);
    mapping.map(inner->getResults(), copy->getResults());
  }
  return widen(mapping.lookupOrDefault(factor.value));
}

void FactorPacker::pack(ArrayRef<Value> origin, Value lanes, Value depth,
                        Value panel) {
  auto panelType = cast<MemRefType>(panel.getType());
  int64_t tile = panelType.getDimSize(2);
  unsigned k = contraction.reductionDim;
  Value zeroIndex = e.constant(0), tileSize = e.constant(tile);
  Value zero =
      arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(contraction.type));
  Value blocks = e.b.createOrFold<arith::CeilDivUIOp>(e.loc, lanes, tileSize);

  e.loop(zeroIndex, blocks, 1, [&](Value block) {
    Value first = e.mul(block, tileSize);
    Value present = e.min(e.sub(lanes, first), tileSize);
    SmallVector<Value> point(origin);
    auto moveTo = [&](Value lane, Value step) {
      if (factor.laneDim)
        point[*factor.laneDim] =
            e.add(origin[*factor.laneDim], e.add(first, lane));
      point[k] = e.add(origin[k], step);
    };

    // k runs innermost here: with lanes not contiguous, k usually is.
    auto packElements = [&] {
      e.loop(zeroIndex, present, 1, [&](Value lane) {
        e.loop(zeroIndex, depth, 1, [&](Value step) {
          moveTo(lane, step);
          memref::StoreOp::create(e.b, e.loc, evaluate(point, 1), panel,
                                  ValueRange{block, step, lane});
        });
      });
      e.loop(present, tileSize, 1, [&](Value lane) {
        e.loop(zeroIndex, depth, 1, [&](Value step) {
          memref::StoreOp::create(e.b, e.loc, zero, panel,
                                  ValueRange{block, step, lane});
        });
      });
    };
    auto packVectors = [&] {
      e.loop(zeroIndex, depth, 1, [&](Value step) {
        moveTo(zeroIndex, step);
        vector::StoreOp::create(e.b, e.loc, evaluate(point, tile), panel,
                                ValueRange{block, step, zeroIndex});
      });
    };
    if (!vectorizable || tile == 1)
      return packElements();
    Value whole = e.equal(present, tileSize);
    if (contiguous)
      whole = e.b.createOrFold<arith::AndIOp>(e.loc, whole, contiguous);
    e.branch(whole, packVectors, packElements);
  });
}
