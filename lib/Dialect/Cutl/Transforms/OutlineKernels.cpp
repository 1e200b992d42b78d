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
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
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

namespace {

/// Moves a gemm into kernels at the end of a module, one for each
/// configuration.
class GemmOutliner {
public:
  GemmOutliner(GemmOp op, gpu::GPUModuleOp module, StringRef name)
      : op(op), module(module), name(name), builder(op),
        operands(decomposeSplit(builder, op.getLoc(), op)) {}

  void outline();

private:
  SymbolRefAttr getSymbol(StringRef kernel) {
    return SymbolRefAttr::get(
        module.getSymNameAttr(),
        FlatSymbolRefAttr::get(module.getContext(), kernel));
  }
  void findArguments();
  void addKernel(StringRef kernelName, TileConfigAttr config);
  Value getTerm(::cutl::heuristics::Term term);
  Value makeCondition(VariantAttr variant);

  GemmOp op;
  gpu::GPUModuleOp module;
  StringRef name;
  OpBuilder builder;
  GemmOperands operands;
  SmallVector<Value> arguments;
  size_t numMemrefs = 0;
  /// What has been computed, by its number.
  std::array<Value, size_t(::cutl::heuristics::Term::Results) + 1> terms;
};

} // namespace

static bool isByValue(const GemmInput &input) {
  return !isa<MemRefType>(input.value.getType());
}

void GemmOutliner::findArguments() {
  SmallVector<Value> numbers;
  forEachInput(operands, [&](GemmInput &input) {
    (isByValue(input) ? numbers : arguments).push_back(input.value);
  });
  numMemrefs = arguments.size();
  llvm::append_range(arguments, numbers);
}

void GemmOutliner::addKernel(StringRef kernelName, TileConfigAttr config) {
  Location loc = op.getLoc();
  OpBuilder kernelBuilder = OpBuilder::atBlockEnd(module.getBody());
  auto type =
      kernelBuilder.getFunctionType(ValueRange(arguments).getTypes(), {});
  auto kernel = gpu::GPUFuncOp::create(kernelBuilder, loc, kernelName, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  kernelBuilder.getUnitAttr());
  kernelBuilder.setInsertionPointToStart(&kernel.getBody().front());

  // One memref may be two operands, so arguments go by position.
  GemmOperands inner = operands;
  size_t nextMemref = 0, nextNumber = numMemrefs;
  forEachInput(inner, [&](GemmInput &input) {
    input.value =
        kernel.getArgument(isByValue(input) ? nextNumber++ : nextMemref++);
  });
  auto gemm = GemmOp::create(
      kernelBuilder, loc, inner, getDecomposedCompute(op, inner),
      [&](OpBuilder &bodyBuilder, Location, ValueRange bodyArguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), bodyArguments);
        for (Operation &bodyOp : *op.getBody())
          bodyBuilder.clone(bodyOp, mapping);
      });
  gemm.setConfigAttr(config);
  gemm.setScheduleAttr(op.getScheduleAttr());
  gemm->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  gpu::ReturnOp::create(kernelBuilder, loc);
}

/// What a bound is on, from the sizes of the operands.
Value GemmOutliner::getTerm(::cutl::heuristics::Term term) {
  using ::cutl::heuristics::Term;
  Value &value = terms[size_t(term)];
  if (value)
    return value;
  Location loc = op.getLoc();
  GemmDomain domain = op.getDomain();
  SmallVector<unsigned> dims;
  if (term == Term::Batch || term == Term::Results)
    llvm::append_range(dims, llvm::seq<unsigned>(0, domain.getNumBatch()));
  if (term == Term::M || term == Term::Results)
    dims.push_back(domain.m());
  if (term == Term::N || term == Term::Results)
    dims.push_back(domain.n());
  if (term == Term::K)
    dims.push_back(domain.k());
  for (unsigned dim : dims) {
    Value extent = getValueOrCreateConstantIndexOp(
        builder, loc, op.getExtent(builder, loc, dim));
    value = value
                ? arith::MulIOp::create(builder, loc, value, extent).getResult()
                : extent;
  }
  if (!value)
    value = arith::ConstantIndexOp::create(builder, loc, 1);
  return value;
}

/// Whether the extents of a call keep to the bounds of a variant.
Value GemmOutliner::makeCondition(VariantAttr variant) {
  Location loc = op.getLoc();
  Value condition;
  for (const ::cutl::heuristics::Bound &bound : variant.getGuard()) {
    Value term = getTerm(bound.term);
    Value most = arith::ConstantIndexOp::create(builder, loc, bound.most);
    Value keeps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                        term, most);
    condition =
        condition
            ? arith::AndIOp::create(builder, loc, condition, keeps).getResult()
            : keeps;
  }
  return condition;
}

void GemmOutliner::outline() {
  findArguments();
  addKernel(name, op.getConfigAttr());
  llvm::MapVector<TileConfigAttr, std::string> kernels;
  kernels[op.getConfigAttr()] = name.str();
  SmallVector<Value> conditions;
  SmallVector<Attribute> variants;
  if (op.getVariantsAttr())
    for (auto variant : op.getVariantsAttr().getAsRange<VariantAttr>()) {
      std::string &kernel = kernels[variant.getConfig()];
      if (kernel.empty()) {
        kernel = (name + "_variant_" + Twine(kernels.size() - 2)).str();
        addKernel(kernel, variant.getConfig());
      }
      conditions.push_back(makeCondition(variant));
      variants.push_back(getSymbol(kernel));
    }
  auto launch = LaunchKernelOp::create(builder, op.getLoc(), getSymbol(name),
                                       arguments, op.getSmBudgetAttr());
  if (!variants.empty()) {
    launch.getConditionsMutable().assign(conditions);
    launch.setVariantsAttr(builder.getArrayAttr(variants));
  }
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
    std::string name = (function.getName() + "_" + Twine(i)).str();
    GemmOutliner(op, module, name).outline();
    ++numOutlined;
  }
  return success();
}
