//===- OutlineKernels.cpp - Problem ops become kernels of their own ------===//

#include "FoldDims.h"
#include "OutlineEntries.h"
#include "cutl/Dialect/Cutl/IR/GemmAliasing.h"
#include "cutl/Dialect/Cutl/IR/GemmSlicing.h"
#include "cutl/Dialect/Cutl/Transforms/HostRules.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/Cutl/Transforms/Phase.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CUTLOUTLINEKERNELS
#include "cutl/Dialect/Cutl/Transforms/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// Calls `visit` on each operand of a gemm, in the op's order.
static void forEachInput(GemmOperands &operands,
                         function_ref<void(GemmInput &)> visit) {
  visit(operands.a);
  llvm::for_each(operands.bs, visit);
  llvm::for_each(operands.scales, visit);
  llvm::for_each(operands.zeros, visit);
  llvm::for_each(operands.aux, visit);
  llvm::for_each(operands.outs, visit);
}

/// How the product is computed once a split B is two. The second starts
/// anywhere, so that nothing is promised about its address.
static GemmCompute getDecomposedCompute(GemmOp op,
                                        const GemmOperands &decomposed) {
  GemmCompute compute = op.getGemmCompute();
  if (compute.split == Split::None)
    return compute;
  compute.split = Split::None;
  if (compute.operandAlignments.empty())
    return compute;
  SmallVector<int64_t, 8> alignments = {compute.operandAlignments[0],
                                        compute.operandAlignments[1]};
  alignments.append(1 + decomposed.scales.size() + decomposed.zeros.size(), 0);
  llvm::append_range(alignments,
                     ArrayRef(compute.operandAlignments)
                         .take_back(op.getAux().size() + op.getOuts().size()));
  compute.operandAlignments = alignments;
  return compute;
}

/// What outlining needs an op to be.
static LogicalResult checkGemm(GemmOp op) {
  if (op.hasTensorForm())
    return op.emitOpError("expected memrefs in cutl-outline-kernels, got "
                          "tensors; run cutl-bufferize first");
  if (failed(requirePhase(op, Phase::Configured, "cutl-outline-kernels")))
    return failure();
  return verifyNoAliasing(op);
}

/// Moves `op` into a new kernel at the end of `module`.
static void outline(GemmOp op, gpu::GPUModuleOp module, StringRef name) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  GemmOperands operands = decomposeSplit(builder, loc, op);

  SmallVector<Value> arguments, numbers;
  forEachInput(operands, [&](GemmInput &input) {
    bool byValue = !isa<MemRefType>(input.value.getType());
    (byValue ? numbers : arguments).push_back(input.value);
  });
  size_t numMemrefs = arguments.size();
  llvm::append_range(arguments, numbers);
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         FlatSymbolRefAttr::get(builder.getContext(), name));
  LaunchKernelOp::create(builder, loc, symbol, arguments, op.getSmBudgetAttr());

  builder.setInsertionPointToEnd(module.getBody());
  auto type = builder.getFunctionType(ValueRange(arguments).getTypes(), {});
  auto kernel = gpu::GPUFuncOp::create(builder, loc, name, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  builder.setInsertionPointToStart(&kernel.getBody().front());

  // One memref may be two operands, so arguments go by position.
  size_t nextMemref = 0, nextNumber = numMemrefs;
  forEachInput(operands, [&](GemmInput &input) {
    bool byValue = !isa<MemRefType>(input.value.getType());
    input.value = kernel.getArgument(byValue ? nextNumber++ : nextMemref++);
  });
  auto moved = GemmOp::create(
      builder, loc, operands, getDecomposedCompute(op, operands),
      [&](OpBuilder &bodyBuilder, Location, ValueRange bodyArguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), bodyArguments);
        for (Operation &inner : *op.getBody())
          bodyBuilder.clone(inner, mapping);
      });
  moved.setConfigAttr(op.getConfigAttr());
  moved.setScheduleAttr(op.getScheduleAttr());
  moved->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  gpu::ReturnOp::create(builder, loc);
  op.erase();
}

/// The function gains arguments, which callers do not know of.
static LogicalResult checkNotUsed(func::FuncOp function) {
  Operation *scope =
      SymbolTable::getNearestSymbolTable(function->getParentOp());
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, scope);
  if (!uses || uses->empty())
    return success();
  InFlightDiagnostic diagnostic =
      function.emitOpError("expected no use of a function with problems in "
                           "cutl-outline-kernels, which adds a workspace and "
                           "a stream to its arguments, got one");
  diagnostic.attachNote(uses->begin()->getUser()->getLoc()) << "used here";
  return diagnostic;
}

/// Finds ops that touch the memory of `value`, or of a view of it, on the host.
static void collectHostAccesses(Value value,
                                llvm::SmallSetVector<Operation *, 4> &ops) {
  for (Operation *user : value.getUsers()) {
    if (isa<LaunchOp, memref::DeallocOp>(user))
      continue;
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    if (view && view.getViewSource() == value) {
      for (Value result : user->getResults())
        collectHostAccesses(result, ops);
      continue;
    }
    // Calls may know of the stream.
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (effects && (effects.getEffectOnValue<MemoryEffects::Read>(value) ||
                    effects.getEffectOnValue<MemoryEffects::Write>(value)))
      ops.insert(user);
  }
}

/// Warns of what is legal and hardly ever meant: host code that uses the
/// operands of a launch, for which it does not wait, and operands that the host
/// allocates.
static void warnOfHostMemory(func::FuncOp function) {
  llvm::SmallSetVector<Value, 8> operands;
  function.walk([&](LaunchOp launch) {
    for (Value operand : launch.getArguments()) {
      while (auto view = operand.getDefiningOp<ViewLikeOpInterface>())
        operand = view.getViewSource();
      if (isa<MemRefType>(operand.getType()))
        operands.insert(operand);
    }
  });
  llvm::SmallSetVector<Operation *, 4> accesses;
  for (Value operand : operands) {
    collectHostAccesses(operand, accesses);
    if (auto alloc = operand.getDefiningOp<memref::AllocOp>())
      alloc.emitWarning("is memory of the host that kernels are given, since "
                        "not only problem ops of one run use it");
  }
  for (Operation *op : accesses)
    op->emitWarning("uses memory that kernels use and does not wait for them");
}

namespace {

struct OutlineKernelsPass final
    : mlir::cutl::impl::CutlOutlineKernelsBase<OutlineKernelsPass> {
  using CutlOutlineKernelsBase::CutlOutlineKernelsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp op) {
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        functions.push_back(op);
    });
    for (func::FuncOp function : functions)
      if (failed(outlineFunction(function)))
        signalPassFailure();
  }

private:
  LogicalResult outlineFunction(func::FuncOp function);
  std::string getEntryName(func::FuncOp function, SymbolTable &scope);

  llvm::StringSet<> entryNames;
};

} // namespace

/// A name that no other entry of the module has: the function's, or with a
/// number for what is not its first run.
std::string OutlineKernelsPass::getEntryName(func::FuncOp function,
                                             SymbolTable &scope) {
  std::string name = function.getName().str();
  for (unsigned i = 1; !entryNames.insert(name).second; ++i) {
    do
      name = (function.getName() + "_" + Twine(i)).str();
    while (scope.lookup(name) && ++i);
  }
  return name;
}

LogicalResult OutlineKernelsPass::outlineFunction(func::FuncOp function) {
  SmallVector<GemmOp> gemms;
  bool ok = true;
  function.walk([&](GemmOp op) {
    ok &= succeeded(checkGemm(op));
    gemms.push_back(op);
  });
  if (!ok || gemms.empty())
    return success(ok);
  TargetAttr target = TargetAttr::lookup(gemms.front());
  for (GemmOp op : gemms)
    if (TargetAttr other = TargetAttr::lookup(op); other != target)
      return op.emitOpError("expected the target of the function's other "
                            "problems, ")
             << target << ", got " << other;
  if (failed(checkNotUsed(function)))
    return failure();

  MLIRContext *context = &getContext();
  unsigned end = function.getNumArguments();
  SmallVector<Type> added = {getWorkspaceType(context), getStreamType(context)};
  SmallVector<Location> locations(2, function.getLoc());
  if (failed(function.insertArguments(
          {end, end}, added, SmallVector<DictionaryAttr>(2), locations)))
    return function.emitOpError("expected a function that can be given a "
                                "workspace and a stream");
  foldDims(function);

  SymbolTable scope(
      SymbolTable::getNearestSymbolTable(function->getParentOp()));
  OpBuilder builder(context);
  auto bundle = BundleOp::create(builder, function.getLoc(),
                                 (function.getName() + "_bundle").str());
  bundle->setAttr(CutlDialect::kTargetAttrName, target);
  scope.insert(bundle, ++Block::iterator(function));
  for (const GemmRun &run : findRuns(function)) {
    EntryOp entry = outlineRun(run, bundle, getEntryName(function, scope));
    recordHostRules(entry);
    padIntermediates(entry);
  }
  warnOfHostMemory(function);

  auto module = gpu::GPUModuleOp::create(builder, function.getLoc(), "kernels");
  SymbolTable(bundle).insert(module);
  gemms.clear();
  bundle.walk([&](GemmOp op) { gemms.push_back(op); });
  for (auto [i, op] : llvm::enumerate(gemms)) {
    outline(op, module, (function.getName() + "_" + Twine(i)).str());
    ++numOutlined;
  }
  return success();
}
