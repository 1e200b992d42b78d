//===- OutlineEntries.cpp - Runs of problem ops become entries -----------===//

#include "OutlineEntries.h"
#include "cutl/Dialect/Cutl/Transforms/PaddedMemory.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::cutl;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

SmallVector<GemmRun> mlir::cutl::findRuns(func::FuncOp function) {
  SmallVector<GemmRun> runs;
  function.walk([&](Block *block) {
    GemmRun run;
    auto finish = [&] {
      if (!run.empty())
        runs.push_back(std::move(run));
      run.clear();
    };
    for (Operation &op : *block) {
      if (auto gemm = dyn_cast<GemmOp>(op))
        run.push_back(gemm);
      else if (!isa<memref::AllocOp, memref::DeallocOp>(op) &&
               !isMemoryEffectFree(&op))
        finish();
    }
    finish();
  });
  return runs;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Whether `op` is a view of one strided memref.
static bool isView(Operation *op) {
  if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
           memref::ReinterpretCastOp, memref::SubViewOp, memref::TransposeOp>(
          op))
    return false;
  auto source = dyn_cast<MemRefType>(op->getOperand(0).getType());
  auto result = dyn_cast<MemRefType>(op->getResult(0).getType());
  return source && result && source.isStrided() && result.isStrided();
}

/// Whether `op` computes sizes and offsets from others.
static bool isIndexArithmetic(Operation *op) {
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return isa<MemRefType>(dim.getSource().getType()) &&
           cast<MemRefType>(dim.getSource().getType()).isStrided();
  return isa<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp,
             arith::AddIOp, arith::CeilDivSIOp, arith::ConstantOp,
             arith::FloorDivSIOp, arith::MaxSIOp, arith::MinSIOp, arith::MulIOp,
             arith::RemSIOp, arith::SubIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

namespace {

/// Moves one run into an entry.
class RunOutliner {
public:
  explicit RunOutliner(GemmRun gemms)
      : run(std::move(gemms)), block(run.front()->getBlock()),
        function(run.front()->getParentOfType<func::FuncOp>()) {}

  EntryOp outline(BundleOp bundle, StringRef name);

private:
  bool isInRun(Operation *op) const { return llvm::is_contained(run, op); }
  Operation *findForeignUser(Value memory) const;
  void findIntermediates();
  bool goesInside(Operation *op) const;
  void collectInputs(Value value);
  void cloneInto(OpBuilder &builder, Value value);
  void eraseRun();

  GemmRun run;
  Block *block;
  func::FuncOp function;

  /// Allocations that the run alone uses.
  llvm::SmallSetVector<Operation *, 4> intermediates;
  llvm::SmallSetVector<Value, 8> inputs;
  llvm::SmallPtrSet<Operation *, 16> visited;
  IRMapping mapping;
};

} // namespace

/// A user of `memory`, or of a view of it, that does not move with the run.
Operation *RunOutliner::findForeignUser(Value memory) const {
  for (Operation *user : memory.getUsers()) {
    if (isInRun(user) || isa<memref::DimOp>(user))
      continue;
    if (user->getBlock() != block)
      return user;
    if (isa<memref::DeallocOp>(user))
      continue;
    if (!isView(user))
      return user;
    if (Operation *foreign = findForeignUser(user->getResult(0)))
      return foreign;
  }
  return nullptr;
}

void RunOutliner::findIntermediates() {
  for (GemmOp gemm : run)
    for (Value value : gemm->getOperands()) {
      Operation *owner = value.getDefiningOp();
      while (owner && isView(owner))
        owner = owner->getOperand(0).getDefiningOp();
      auto alloc = dyn_cast_or_null<memref::AllocOp>(owner);
      if (!alloc || intermediates.contains(alloc))
        continue;
      Operation *foreign = alloc->getBlock() == block ? findForeignUser(alloc)
                                                      : alloc->getParentOp();
      if (!foreign && alloc.getType().getLayout().isIdentity())
        intermediates.insert(alloc);
    }
}

bool RunOutliner::goesInside(Operation *op) const {
  return op &&
         (intermediates.contains(op) || isView(op) || isIndexArithmetic(op));
}

/// Finds what the entry has to be given so that it can compute `value`.
void RunOutliner::collectInputs(Value value) {
  Operation *owner = value.getDefiningOp();
  if (!goesInside(owner)) {
    inputs.insert(value);
    return;
  }
  if (visited.insert(owner).second)
    llvm::for_each(owner->getOperands(),
                   [&](Value operand) { collectInputs(operand); });
}

/// Copies what computes `value` into the entry, once.
void RunOutliner::cloneInto(OpBuilder &builder, Value value) {
  if (mapping.contains(value))
    return;
  Operation *owner = value.getDefiningOp();
  for (Value operand : owner->getOperands())
    cloneInto(builder, operand);
  builder.clone(*owner, mapping);
}

EntryOp RunOutliner::outline(BundleOp bundle, StringRef name) {
  findIntermediates();
  for (GemmOp gemm : run)
    llvm::for_each(gemm->getOperands(),
                   [&](Value operand) { collectInputs(operand); });
  // A caller of the entry knows the order of the function's arguments.
  SmallVector<Value> operands;
  for (BlockArgument argument : function.getArguments())
    if (inputs.contains(argument))
      operands.push_back(argument);
  for (Value input : inputs)
    if (auto argument = dyn_cast<BlockArgument>(input);
        !argument || argument.getOwner() != &function.getBody().front())
      operands.push_back(input);

  Location loc = run.front().getLoc();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToEnd(&bundle.getBody().front());
  SmallVector<Type> types(ValueRange(operands).getTypes());
  types.push_back(getWorkspaceType(function.getContext()));
  auto entry = EntryOp::create(builder, loc, name, types);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    mapping.map(operand, entry.getArgument(i));
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &function.getBody().front())
      continue;
    if (Attribute named = function.getArgAttr(argument.getArgNumber(),
                                              CutlDialect::kNameAttrName))
      entry.setArgAttr(i, CutlDialect::kNameAttrName, named);
  }
  builder.setInsertionPoint(entry.getBody().front().getTerminator());
  for (GemmOp gemm : run) {
    for (Value operand : gemm->getOperands())
      cloneInto(builder, operand);
    builder.clone(*gemm, mapping);
  }

  builder.setInsertionPoint(run.back());
  auto symbol = SymbolRefAttr::get(
      bundle.getSymNameAttr(), FlatSymbolRefAttr::get(entry.getSymNameAttr()));
  unsigned numArguments = function.getNumArguments();
  LaunchOp::create(builder, loc, symbol, operands,
                   function.getArgument(numArguments - 2),
                   function.getArgument(numArguments - 1));
  eraseRun();
  return entry;
}

/// Erases the ops that moved, and what only they used.
void RunOutliner::eraseRun() {
  // Memory that stays is in use until the launch, just ahead of the last op.
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           Block::iterator(run.front()), Block::iterator(run.back()))))
    if (isa<memref::DeallocOp>(op))
      op.moveAfter(run.back());
  SmallVector<Operation *> maybeDead;
  for (GemmOp gemm : run) {
    for (Value operand : gemm->getOperands())
      if (Operation *owner = operand.getDefiningOp())
        maybeDead.push_back(owner);
    gemm.erase();
  }
  llvm::SmallPtrSet<Operation *, 16> erased;
  while (!maybeDead.empty()) {
    Operation *op = maybeDead.pop_back_val();
    if (erased.contains(op))
      continue;
    if (intermediates.contains(op) &&
        llvm::all_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>)) {
      for (Operation *dealloc : llvm::make_early_inc_range(op->getUsers()))
        dealloc->erase();
    } else if (!isOpTriviallyDead(op)) {
      continue;
    }
    for (Value operand : op->getOperands())
      if (Operation *owner = operand.getDefiningOp())
        maybeDead.push_back(owner);
    erased.insert(op);
    op->erase();
  }
}

EntryOp mlir::cutl::outlineRun(const GemmRun &run, BundleOp bundle,
                               StringRef name) {
  return RunOutliner(run).outline(bundle, name);
}

//===----------------------------------------------------------------------===//
// Intermediates
//===----------------------------------------------------------------------===//

/// Bytes that rows of intermediates are padded to, for the copy engine.
static constexpr int64_t kRowBytes = 16;

static void padIntermediate(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  std::optional<int64_t> unit =
      getPaddingUnit(type.getElementType(), kRowBytes);
  if (!unit || type.getRank() < 2)
    return;
  int64_t columns = type.getShape().back();
  if (!ShapedType::isDynamic(columns) && columns % *unit == 0)
    return;
  // Views state layouts of their own.
  if (!llvm::all_of(alloc->getUsers(), llvm::IsaPred<GemmOp, memref::DimOp>))
    return;
  OpBuilder builder(alloc);
  alloc->replaceAllUsesWith(ValueRange(
      allocatePadded(builder, alloc.getLoc(), type.getElementType(),
                     alloc.getMixedSizes(), *unit)));
  alloc.erase();
}

void mlir::cutl::padIntermediates(EntryOp entry) {
  SmallVector<memref::AllocOp> allocs(
      entry.getBody().getOps<memref::AllocOp>());
  llvm::for_each(allocs, padIntermediate);
}
