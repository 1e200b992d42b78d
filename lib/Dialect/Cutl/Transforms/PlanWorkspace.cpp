//===- PlanWorkspace.cpp - Intermediates get places in the workspace -----===//

#include "FoldDims.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Runtime/Entry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLPLANWORKSPACE
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// What the runtime wants the workspace's own address to be a multiple of.
static constexpr int64_t kAlignment = CUTL_WORKSPACE_ALIGNMENT;

namespace {

/// Sizes in bytes: constants are computed, the rest becomes `arith` ops.
class Bytes {
public:
  Bytes(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpFoldResult add(OpFoldResult a, OpFoldResult b) {
    return combine<arith::AddIOp>(a, b, 0, llvm::AddOverflow<int64_t>);
  }
  OpFoldResult mul(OpFoldResult a, OpFoldResult b) {
    return combine<arith::MulIOp>(a, b, 1, llvm::MulOverflow<int64_t>);
  }
  OpFoldResult max(OpFoldResult a, OpFoldResult b) {
    if (isEqualConstantIntOrValue(a, b))
      return a;
    auto larger = [](int64_t x, int64_t y, int64_t &result) {
      result = std::max(x, y);
      return false;
    };
    return combine<arith::MaxSIOp>(a, b, std::nullopt, larger);
  }
  OpFoldResult ceilDiv(OpFoldResult a, int64_t divisor) {
    auto divide = [](int64_t x, int64_t y, int64_t &result) {
      result = llvm::divideCeilSigned(x, y);
      return false;
    };
    return combine<arith::CeilDivSIOp>(a, builder.getIndexAttr(divisor),
                                       std::nullopt, divide);
  }
  Value toValue(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }

  /// Of a memref with identity layout.
  OpFoldResult of(memref::AllocOp alloc);
  /// Up to where the next buffer may begin.
  OpFoldResult align(OpFoldResult size) {
    return mul(ceilDiv(size, kAlignment), builder.getIndexAttr(kAlignment));
  }

  /// Whether some constant did not fit 64 bits.
  bool hasOverflow() const { return overflow; }

private:
  template <typename OpTy, typename Function>
  OpFoldResult combine(OpFoldResult a, OpFoldResult b,
                       std::optional<int64_t> neutral, Function compute);

  OpBuilder &builder;
  Location loc;
  bool overflow = false;
};

/// An intermediate and the ops that use it, by their place in the entry.
struct Buffer {
  memref::AllocOp alloc;
  unsigned first = 0, last = 0;
  OpFoldResult bytes;
  unsigned slot = 0;
};

/// A part of the workspace that buffers take in turn.
struct Slot {
  OpFoldResult bytes;
  /// The last op that uses the buffer that came last.
  unsigned last = 0;
};

/// Plans one entry.
class Planner {
public:
  explicit Planner(EntryOp entry) : entry(entry) {}

  LogicalResult plan();
  unsigned getNumBuffers() const { return buffers.size(); }
  unsigned getNumSlots() const { return slots.size(); }

private:
  LogicalResult check(memref::AllocOp alloc);
  LogicalResult hoist(memref::AllocOp alloc, Value size, Operation *place);
  void findLifetime(Value memory, Buffer &buffer);
  void assignSlot(Buffer &buffer, Bytes &arithmetic);

  EntryOp entry;
  llvm::DenseMap<Operation *, unsigned> order;
  SmallVector<Buffer> buffers;
  SmallVector<Slot> slots;
};

} // namespace

template <typename OpTy, typename Function>
OpFoldResult Bytes::combine(OpFoldResult a, OpFoldResult b,
                            std::optional<int64_t> neutral, Function compute) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (neutral && x == neutral)
    return b;
  if (neutral && y == neutral)
    return a;
  if (x && y) {
    int64_t result = 0;
    overflow |= bool(compute(*x, *y, result));
    return builder.getIndexAttr(result);
  }
  return OpTy::create(builder, loc, toValue(a), toValue(b)).getResult();
}

OpFoldResult Bytes::of(memref::AllocOp alloc) {
  Type element = alloc.getType().getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  bool isBytes = bits % 8 == 0;
  OpFoldResult size = builder.getIndexAttr(isBytes ? bits / 8 : bits);
  // Constants first, so that they become one.
  for (bool constant : {true, false})
    for (OpFoldResult extent : alloc.getMixedSizes())
      if (getConstantIntValue(extent).has_value() == constant)
        size = mul(size, extent);
  return isBytes ? size : ceilDiv(size, 8);
}

LogicalResult Planner::check(memref::AllocOp alloc) {
  if (alloc->getParentOp() != entry)
    return alloc.emitOpError("expected to stand in the entry itself, got one "
                             "in '")
           << alloc->getParentOp()->getName() << "'";
  MemRefType type = alloc.getType();
  if (!type.getElementType().isIntOrIndexOrFloat() ||
      !type.getLayout().isIdentity() || type.getMemorySpace())
    return alloc.emitOpError("expected an intermediate of numbers in row-major "
                             "order and in no memory space, got ")
           << type;
  if (alloc.getAlignment().value_or(1) > uint64_t(kAlignment))
    return alloc.emitOpError("expected an alignment of at most ")
           << kAlignment << " like that of the workspace, got "
           << *alloc.getAlignment();
  return success();
}

/// Moves what computes `size` ahead of `place`: the place of one intermediate
/// depends on the sizes of others.
LogicalResult Planner::hoist(memref::AllocOp alloc, Value size,
                             Operation *place) {
  Operation *owner = size.getDefiningOp();
  if (!owner || owner->isBeforeInBlock(place))
    return success();
  // What divides runs in any case: all of an entry does.
  if (!isMemoryEffectFree(owner) || owner->getNumRegions() != 0) {
    InFlightDiagnostic diagnostic =
        alloc.emitOpError("expected sizes that follow from the arguments of "
                          "the entry, got one that depends on '")
        << owner->getName() << "'";
    diagnostic.attachNote(owner->getLoc()) << "which is here";
    return diagnostic;
  }
  for (Value operand : owner->getOperands())
    if (failed(hoist(alloc, operand, place)))
      return failure();
  owner->moveBefore(place);
  return success();
}

/// Widens the lifetime of `buffer` by the users of `memory`, a view of it.
void Planner::findLifetime(Value memory, Buffer &buffer) {
  for (Operation *user : memory.getUsers()) {
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    if (view && view.getViewSource() == memory) {
      for (Value result : user->getResults())
        findLifetime(result, buffer);
      continue;
    }
    unsigned place =
        order.lookup(entry.getBody().front().findAncestorOpInBlock(*user));
    buffer.first = std::min(buffer.first, place);
    buffer.last = std::max(buffer.last, place);
  }
}

/// Takes a slot that is free by then: one of the same size, or else the first.
void Planner::assignSlot(Buffer &buffer, Bytes &arithmetic) {
  Slot *chosen = nullptr;
  for (Slot &slot : slots) {
    if (slot.last >= buffer.first)
      continue;
    bool isEqual = isEqualConstantIntOrValue(slot.bytes, buffer.bytes);
    if (!chosen || isEqual)
      chosen = &slot;
    if (isEqual)
      break;
  }
  if (!chosen) {
    slots.push_back({buffer.bytes, 0});
    chosen = &slots.back();
  }
  chosen->bytes = arithmetic.max(chosen->bytes, buffer.bytes);
  chosen->last = buffer.last;
  buffer.slot = chosen - slots.begin();
}

LogicalResult Planner::plan() {
  auto end = cast<EndEntryOp>(entry.getBody().front().getTerminator());
  SmallVector<memref::AllocOp> allocs;
  entry.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  if (end.getWorkspaceBytes()) {
    if (allocs.empty())
      return success();
    return allocs.front().emitOpError(
        "expected no intermediate in an entry whose workspace was planned");
  }
  foldDims(entry);

  for (memref::AllocOp alloc : allocs)
    if (failed(check(alloc)))
      return failure();
  Operation *place = allocs.empty() ? end : allocs.front().getOperation();
  for (memref::AllocOp alloc : allocs)
    for (Value size : alloc.getDynamicSizes())
      if (failed(hoist(alloc, size, place)))
        return failure();
  for (auto [i, op] : llvm::enumerate(entry.getBody().front()))
    order[&op] = i;
  for (memref::AllocOp alloc : allocs) {
    Buffer buffer = {alloc, unsigned(order.size()), 0, {}, 0};
    findLifetime(alloc, buffer);
    buffers.push_back(buffer);
  }
  llvm::sort(buffers, [&](const Buffer &a, const Buffer &b) {
    return std::pair(a.first, order.lookup(a.alloc)) <
           std::pair(b.first, order.lookup(b.alloc));
  });

  OpBuilder builder(place);
  Bytes arithmetic(builder, entry.getLoc());
  for (Buffer &buffer : buffers) {
    buffer.bytes = arithmetic.of(buffer.alloc);
    assignSlot(buffer, arithmetic);
  }
  OpFoldResult total = builder.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets;
  for (const Slot &slot : slots) {
    offsets.push_back(total);
    total = arithmetic.add(total, arithmetic.align(slot.bytes));
  }
  if (arithmetic.hasOverflow())
    return entry.emitOpError("expected intermediates whose size in bytes fits "
                             "64 bits");
  for (Buffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    builder.setInsertionPoint(alloc);
    Value view = memref::ViewOp::create(
        builder, alloc.getLoc(), alloc.getType(), entry.getWorkspace(),
        arithmetic.toValue(offsets[buffer.slot]), alloc.getDynamicSizes());
    alloc->replaceAllUsesWith(ValueRange(view));
    alloc.erase();
  }
  builder.setInsertionPoint(end);
  end.getWorkspaceBytesMutable().assign(arithmetic.toValue(total));
  return success();
}

namespace {

struct PlanWorkspacePass final
    : mlir::cutl::impl::CutlPlanWorkspaceBase<PlanWorkspacePass> {
  using CutlPlanWorkspaceBase::CutlPlanWorkspaceBase;

  void runOnOperation() override {
    getOperation().walk([&](EntryOp entry) {
      Planner planner(entry);
      if (failed(planner.plan()))
        return signalPassFailure();
      numIntermediates += planner.getNumBuffers();
      numSlots += planner.getNumSlots();
    });
  }
};

} // namespace
