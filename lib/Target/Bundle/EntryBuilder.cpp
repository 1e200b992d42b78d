//===- EntryBuilder.cpp - One entry of a bundle ---------------------------===//

#include "EntryBuilder.h"
#include "EntryValues.h"
#include "Guards.h"
#include "KernelStep.h"
#include "LaunchInfo.h"
#include "cutl/Runtime/Runtime.h"
#include "cutl/Target/Bundle/ElementTypes.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::cutl;

/// Beyond that a call would try variants for longer than it launches them.
static constexpr size_t kMaxChoices = 64;
static constexpr StringLiteral kLaunchInfo =
    tile::CutlTileDialect::kLaunchInfoAttrName;

namespace {

class EntryBuilder {
public:
  EntryBuilder(EntryOp entry, const KernelImages &images, Storage &storage)
      : entry(entry), images(images), storage(storage), values(entry) {}

  FailureOr<CutlEntry> build();

private:
  /// A launch with the kernels that may do it, or a memset.
  struct Step {
    LaunchKernelOp op;
    const SmallVector<KernelImage, 1> *images;
    MemsetOp memset;
  };
  /// What a launch runs; nothing for a memset.
  struct Kernel {
    StringRef name;
    LaunchInfo info;
    const CutlImage *image = nullptr;
  };

  /// A kernel for each step, and when they are the ones to run.
  struct Choice {
    SmallVector<SymbolRefAttr> kernels;
    SmallVector<ExpressionCode> conditions;
  };

  LogicalResult collectSteps();
  LogicalResult addSignature(CutlEntry &result);
  FailureOr<int32_t> getElementType(Type type, const Twine &what);
  LogicalResult addRequirements(CutlEntry &result);
  void requireStrides(BlockArgument argument, Guards &requirements);
  LogicalResult requireTie(ArrayRef<int64_t> tie, Guards &requirements);
  const KernelImage *findImage(const Step &step, StringRef chip);
  FailureOr<SmallVector<StringRef>> getChips();
  FailureOr<Kernel> getKernel(const Step &step, const KernelImage &image,
                              StringRef name);
  FailureOr<bool> asksForLess(const Step &step, const Kernel &kernel,
                              const Kernel &other);
  LogicalResult addVariants(StringRef chip, const Choice &choice,
                            SmallVectorImpl<CutlVariant> &variants);
  FailureOr<SmallVector<Choice, 0>> getChoices();
  CutlStep makeMemset(MemsetOp op);
  FailureOr<CutlVariant> makeVariant(StringRef name, StringRef chip,
                                     ArrayRef<Kernel> kernels, Guards &guards);

  EntryOp entry;
  const KernelImages &images;
  Storage &storage;
  EntryValues values;
  SmallVector<Step> steps;
};

} // namespace

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

FailureOr<int32_t> EntryBuilder::getElementType(Type type, const Twine &what) {
  if (std::optional<int32_t> number = getRuntimeElementType(type))
    return *number;
  return entry.emitOpError("expected ")
         << what << " to be of a type that the runtime has, got " << type;
}

LogicalResult EntryBuilder::addSignature(CutlEntry &result) {
  llvm::SmallDenseSet<int64_t> written;
  // Without the attribute any operand may be written.
  auto writes =
      entry->getAttrOfType<DenseI64ArrayAttr>(CutlDialect::kHostWritesAttrName);
  if (writes)
    written.insert(writes.asArrayRef().begin(), writes.asArrayRef().end());

  SmallVector<CutlOperandSignature> operands;
  for (BlockArgument argument : values.getOperands()) {
    auto type = cast<MemRefType>(argument.getType());
    std::string name = getArgumentName(argument);
    FailureOr<int32_t> element =
        getElementType(type.getElementType(), "'" + name + "'");
    if (failed(element))
      return failure();
    if (type.getRank() > CUTL_MAX_RANK)
      return entry.emitOpError("expected '")
             << name << "' to have at most " << CUTL_MAX_RANK
             << " dimensions, got " << type.getRank();
    SmallVector<int64_t> sizes(type.getShape());
    for (int64_t &size : sizes)
      if (ShapedType::isDynamic(size))
        size = CUTL_ANY_SIZE;
    bool isWritten = !writes || written.contains(argument.getArgNumber());
    operands.push_back({storage.copyText(name), *element,
                        isWritten ? CUTL_ACCESS_WRITE : CUTL_ACCESS_READ,
                        uint32_t(type.getRank()),
                        storage.copy(ArrayRef(sizes))});
  }
  SmallVector<CutlScalarSignature> scalars;
  for (BlockArgument argument : values.getScalars()) {
    std::string name = getArgumentName(argument);
    FailureOr<int32_t> element =
        getElementType(argument.getType(), "'" + name + "'");
    if (failed(element))
      return failure();
    scalars.push_back({storage.copyText(name), *element});
  }
  result.name = storage.copyText(entry.getSymName());
  result.operands = storage.copy(ArrayRef(operands));
  result.operandCount = operands.size();
  result.scalars = storage.copy(ArrayRef(scalars));
  result.scalarCount = scalars.size();
  return success();
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

static std::string describe(const EntryValues &values, BlockArgument argument,
                            int64_t dim) {
  return "dimension " + std::to_string(dim) + " of '" +
         getArgumentName(argument) + "'";
}

/// The strides that the argument's type states.
void EntryBuilder::requireStrides(BlockArgument argument,
                                  Guards &requirements) {
  const ArrayValue &array = values.getArray(argument);
  for (unsigned dim = 0; dim < array.getRank(); ++dim) {
    std::optional<int64_t> stride = array.strides[dim].getConstant();
    // No stride is used in a dimension of one element.
    if (!stride || array.sizes[dim].getConstant().value_or(2) <= 1)
      continue;
    GuardSpec guard;
    guard.kind = CUTL_GUARD_STRIDE_RANGE;
    guard.operand = array.operand;
    guard.dimension = dim;
    guard.low = guard.high = *stride;
    guard.text = "expected " + describe(values, argument, dim) +
                 " to have stride " + std::to_string(*stride);
    requirements.add(std::move(guard));
  }
}

/// A tie is six numbers: argument (or -1) and dimension (or size), factor and
/// divisor, argument and dimension. The second size is the first times the
/// factor over the divisor, rounded up.
LogicalResult EntryBuilder::requireTie(ArrayRef<int64_t> tie,
                                       Guards &requirements) {
  auto getArgument = [&](int64_t number, int64_t dim) -> BlockArgument {
    if (number < 0 || number >= int64_t(entry.getNumArguments()) - 1)
      return nullptr;
    auto type = dyn_cast<MemRefType>(entry.getArgument(number).getType());
    bool fits = type && dim >= 0 && dim < type.getRank();
    return fits ? entry.getArgument(number) : BlockArgument();
  };
  BlockArgument from = getArgument(tie[0], tie[1]);
  BlockArgument to = getArgument(tie[4], tie[5]);
  if (!to || (tie[0] >= 0 && !from))
    return entry.emitOpError("expected '")
           << CutlDialect::kHostTiesAttrName
           << "' to name dimensions of the entry's arguments, got " << tie;
  ExpressionCode base =
      from ? values.getArray(from).sizes[tie[1]] : ExpressionCode(tie[1]);
  ExpressionCode expected =
      ExpressionCode::combine(CUTL_OP_CEILDIV, base * tie[2], tie[3]);
  const ArrayValue &array = values.getArray(to);
  ExpressionCode size = array.sizes[tie[5]];
  std::string text;
  if (!from)
    text = "expected the size of " + describe(values, to, tie[5]) + " to be " +
           std::to_string(*expected.getConstant());
  else if (tie[2] == tie[3])
    text = "expected " + describe(values, from, tie[1]) + " and " +
           describe(values, to, tie[5]) + " to be equal";
  else
    text = "expected " + describe(values, to, tie[5]) + " to be " +
           describe(values, from, tie[1]) + " times " + std::to_string(tie[2]) +
           " over " + std::to_string(tie[3]) + ", rounded up";
  if (size.getConstant() && expected.getConstant()) {
    if (size == expected)
      return success();
    return entry.emitOpError() << text << ", got " << *size.getConstant()
                               << " instead of " << *expected.getConstant();
  }
  GuardSpec guard;
  guard.kind = CUTL_GUARD_SIZE_EQUALS;
  guard.operand = array.operand;
  guard.dimension = tie[5];
  guard.expression = expected;
  guard.text = std::move(text);
  requirements.add(std::move(guard));
  return success();
}

LogicalResult EntryBuilder::addRequirements(CutlEntry &result) {
  Guards requirements(values);
  for (BlockArgument argument : values.getOperands())
    requireStrides(argument, requirements);
  if (auto ties =
          entry->getAttrOfType<ArrayAttr>(CutlDialect::kHostTiesAttrName))
    for (auto tie : ties.getAsRange<DenseI64ArrayAttr>())
      if (failed(requireTie(tie.asArrayRef(), requirements)))
        return failure();
  result.requirements = requirements.copyTo(storage);
  result.requirementCount = requirements.size();
  return success();
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

LogicalResult EntryBuilder::collectSteps() {
  auto bundle = cast<BundleOp>(entry->getParentOp());
  for (Operation &step : entry.getBody().front()) {
    if (auto memset = dyn_cast<MemsetOp>(step))
      steps.push_back({LaunchKernelOp(), nullptr, memset});
    auto op = dyn_cast<LaunchKernelOp>(step);
    if (!op)
      continue;
    Operation *binary =
        SymbolTable::lookupSymbolIn(bundle, op.getKernel().getRootReference());
    auto found = images.find(binary);
    if (found == images.end())
      return op.emitOpError("expected kernel ")
             << op.getKernel() << " in a gpu.binary of the bundle, got "
             << (binary ? binary->getName().getStringRef() : "nothing")
             << "; run cutl-serialize-kernels first";
    steps.push_back({op, &found->second, MemsetOp()});
  }
  if (steps.size() > CUTL_MAX_STEPS)
    return entry.emitOpError("expected at most ")
           << CUTL_MAX_STEPS << " kernels and memsets in an entry, got "
           << steps.size();
  return success();
}

const KernelImage *EntryBuilder::findImage(const Step &step, StringRef chip) {
  const auto *found =
      llvm::find_if(*step.images, [&](const KernelImage &image) {
        return image.chip == chip;
      });
  return found == step.images->end() ? nullptr : &*found;
}

/// The chips that all kernels are compiled for.
FailureOr<SmallVector<StringRef>> EntryBuilder::getChips() {
  SmallVector<StringRef> chips;
  const Step *first =
      llvm::find_if(steps, [](const Step &step) { return bool(step.op); });
  if (first == steps.end()) {
    TargetAttr target = TargetAttr::lookup(entry);
    if (!target)
      return entry.emitOpError("expected a target at or above it; run "
                               "cutl-attach-target first");
    chips.push_back(target.getChip());
    return chips;
  }
  for (const KernelImage &image : *first->images)
    chips.push_back(image.chip);
  for (Step &step : steps)
    for (StringRef chip : chips)
      if (step.op &&
          (step.images->size() != chips.size() || !findImage(step, chip)))
        return step.op.emitOpError("expected kernels for the chips of the "
                                   "entry's other kernels: ")
               << llvm::join(chips, ", ");
  return chips;
}

FailureOr<EntryBuilder::Kernel>
EntryBuilder::getKernel(const Step &step, const KernelImage &image,
                        StringRef name) {
  LaunchKernelOp op = step.op;
  gpu::KernelMetadataAttr metadata =
      image.kernels ? image.kernels.lookup(name) : nullptr;
  auto info =
      metadata ? metadata.getAttr<DictionaryAttr>(kLaunchInfo) : nullptr;
  if (!info)
    return op.emitOpError("expected kernel '")
           << name << "' with '" << kLaunchInfo << "' in @"
           << op.getKernel().getRootReference().getValue();
  FailureOr<LaunchInfo> read =
      readLaunchInfo(op, name, info, op.getArguments().getTypes());
  if (failed(read))
    return failure();
  return Kernel{name, std::move(*read), image.image};
}

CutlStep EntryBuilder::makeMemset(MemsetOp op) {
  const ArrayValue &array = values.getArray(op.getDestination());
  ExpressionCode count = 1;
  for (const ExpressionCode &size : array.sizes)
    count = count * size;
  CutlMemset memset = {};
  memset.destination = makeAddress(array, storage);
  memset.count = storage.copy(count, 0);
  memset.elementBytes = array.elementType.getIntOrFloatBitWidth() / 8;
  memset.value = op.getValue();
  CutlStep step = {};
  step.kind = CUTL_STEP_MEMSET;
  step.memset = storage.copy(memset);
  return step;
}

FailureOr<CutlVariant> EntryBuilder::makeVariant(StringRef name, StringRef chip,
                                                 ArrayRef<Kernel> kernels,
                                                 Guards &guards) {
  SmallVector<CutlStep> result;
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    if (steps[i].memset) {
      result.push_back(makeMemset(steps[i].memset));
      continue;
    }
    FailureOr<CutlLaunch> launch =
        makeKernelLaunch(steps[i].op, kernel.info, i, values, guards, storage);
    if (failed(launch))
      return failure();
    launch->image = kernel.image;
    launch->kernel = storage.copyText(kernel.name);
    CutlStep step = {};
    step.kind = CUTL_STEP_LAUNCH;
    step.launch = storage.copy(*launch);
    result.push_back(step);
  }
  CutlVariant variant = {};
  variant.name = storage.copyText(name);
  variant.chip = storage.copyText(chip);
  variant.guards = guards.copyTo(storage);
  variant.guardCount = guards.size();
  auto end = cast<EndEntryOp>(entry.getBody().front().getTerminator());
  if (Value bytes = end.getWorkspaceBytes())
    variant.workspaceBytes = storage.copy(*values.findNumber(bytes), 0);
  variant.steps = storage.copy(ArrayRef(result));
  variant.stepCount = result.size();
  return variant;
}

/// Whether some call may be refused by the step's kernel and not by `other`.
FailureOr<bool> EntryBuilder::asksForLess(const Step &step,
                                          const Kernel &kernel,
                                          const Kernel &other) {
  Guards guards(values), fewer(values);
  // Only what they ask for is of interest.
  Storage scratch;
  if (failed(
          makeKernelLaunch(step.op, kernel.info, 0, values, guards, scratch)) ||
      failed(makeKernelLaunch(step.op, other.info, 0, values, fewer, scratch)))
    return failure();
  return !guards.getViolation().empty() || !(guards == fewer);
}

/// Every combination of the variants of the steps, in an order in which the
/// first whose conditions hold has the first such variant of each step.
FailureOr<SmallVector<EntryBuilder::Choice, 0>> EntryBuilder::getChoices() {
  SmallVector<Choice, 0> choices(1);
  for (Step &step : steps) {
    SmallVector<Choice, 0> further;
    for (const Choice &choice : choices) {
      auto add = [&](SymbolRefAttr kernel, Value condition) {
        ExpressionCode holds =
            condition ? *values.findNumber(condition) : ExpressionCode(1);
        std::optional<int64_t> known = holds.getConstant();
        if (known == 0)
          return;
        Choice &next = further.emplace_back(choice);
        next.kernels.push_back(kernel);
        if (!known)
          next.conditions.push_back(holds);
      };
      if (!step.op) {
        add(SymbolRefAttr(), Value());
        continue;
      }
      for (auto [kernel, condition] : llvm::zip_equal(
               step.op.getVariantKernels(), step.op.getConditions()))
        add(kernel, condition);
      add(step.op.getKernelAttr(), Value());
    }
    choices = std::move(further);
    if (choices.size() > kMaxChoices)
      return step.op.emitOpError("expected at most ")
             << kMaxChoices << " combinations of variants in an entry, got "
             << choices.size() << " with this kernel";
  }
  return choices;
}

/// The variant of the kernels of a choice, and one of their alternatives for
/// the calls that those refuse.
LogicalResult
EntryBuilder::addVariants(StringRef chip, const Choice &choice,
                          SmallVectorImpl<CutlVariant> &variants) {
  SmallVector<Kernel, 0> primary, alternative;
  bool hasAlternative = false;
  for (auto [step, name] : llvm::zip_equal(steps, choice.kernels)) {
    LaunchKernelOp op = step.op;
    if (!op) {
      primary.emplace_back();
      alternative.emplace_back();
      continue;
    }
    const KernelImage &image = *findImage(step, chip);
    FailureOr<Kernel> kernel = getKernel(step, image, name.getLeafReference());
    if (failed(kernel))
      return failure();
    primary.push_back(*kernel);
    if (kernel->info.alternative.empty()) {
      alternative.push_back(std::move(*kernel));
      continue;
    }
    FailureOr<Kernel> other = getKernel(step, image, kernel->info.alternative);
    if (failed(other))
      return failure();
    FailureOr<bool> needsLess = asksForLess(step, *kernel, *other);
    if (failed(needsLess))
      return failure();
    alternative.push_back(std::move(*needsLess ? *other : *kernel));
    hasAlternative |= *needsLess;
  }
  Guards guards(values), fewer(values);
  for (const ExpressionCode &condition : choice.conditions) {
    guards.choose(condition);
    fewer.choose(condition);
  }
  FailureOr<CutlVariant> variant =
      makeVariant("primary", chip, primary, guards);
  if (failed(variant))
    return failure();
  if (guards.getViolation().empty())
    variants.push_back(*variant);
  if (hasAlternative) {
    variant = makeVariant("alternative", chip, alternative, fewer);
    if (failed(variant))
      return failure();
    if (fewer.getViolation().empty() &&
        (!guards.getViolation().empty() || !(guards == fewer)))
      variants.push_back(*variant);
  }
  if (variants.empty())
    return entry.emitOpError()
           << (hasAlternative ? fewer : guards).getViolation();
  return success();
}

FailureOr<CutlEntry> EntryBuilder::build() {
  CutlEntry result = {};
  if (failed(values.run()) || failed(collectSteps()) ||
      failed(addSignature(result)) || failed(addRequirements(result)))
    return failure();
  FailureOr<SmallVector<StringRef>> chips = getChips();
  if (failed(chips))
    return failure();
  FailureOr<SmallVector<Choice, 0>> choices = getChoices();
  if (failed(choices))
    return failure();
  SmallVector<CutlVariant> variants;
  for (StringRef chip : *chips)
    for (const Choice &choice : *choices)
      if (failed(addVariants(chip, choice, variants)))
        return failure();
  result.variants = storage.copy(ArrayRef(variants));
  result.variantCount = variants.size();
  return result;
}

FailureOr<CutlEntry> mlir::cutl::buildEntry(EntryOp entry,
                                            const KernelImages &images,
                                            Storage &storage) {
  return EntryBuilder(entry, images, storage).build();
}
