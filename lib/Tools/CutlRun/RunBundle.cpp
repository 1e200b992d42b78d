//===- RunBundle.cpp - Running an entry of a bundle on seeded inputs ------===//

#include "Arguments.h"
#include "GpuSession.h"
#include "Report.h"
#include "cutl/Dialect/Cutl/IR/DataTypes.h"
#include "cutl/Reference/NumericArray.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "cutl/Tools/CutlRun.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// The sizes of an entry's operands, as far as they are known.
class EntrySizes {
public:
  explicit EntrySizes(const CutlEntry &entry);

  /// Takes `name.dimension=size`; false if it is not that.
  bool set(StringRef setting, std::string &fault);
  /// Gives dimensions that a requirement ties to a known one its size.
  void propagate();
  /// Names of the dimensions that are open.
  std::string listOpen() const;
  ArrayRef<SmallVector<int64_t>> get() const { return sizes; }

private:
  bool copy(int64_t &to, int64_t from) {
    bool changes = to == CUTL_ANY_SIZE && from != CUTL_ANY_SIZE;
    if (changes)
      to = from;
    return changes;
  }

  const CutlEntry &entry;
  SmallVector<SmallVector<int64_t>> sizes;
};

} // namespace

EntrySizes::EntrySizes(const CutlEntry &entry) : entry(entry) {
  for (const CutlOperandSignature &operand :
       ArrayRef(entry.operands, entry.operandCount)) {
    SmallVector<int64_t> each(operand.rank, CUTL_ANY_SIZE);
    if (operand.sizes)
      each.assign(operand.sizes, operand.sizes + operand.rank);
    sizes.push_back(std::move(each));
  }
}

bool EntrySizes::set(StringRef setting, std::string &fault) {
  auto [place, text] = setting.split('=');
  auto [name, number] = place.split('.');
  int64_t dimension, size;
  if (number.getAsInteger(10, dimension) || text.getAsInteger(10, size) ||
      size < 0) {
    fault = ("expected name.dimension=size with a size of at least 0, got '" +
             setting + "'")
                .str();
    return false;
  }
  for (auto [operand, each] :
       llvm::zip(ArrayRef(entry.operands, entry.operandCount), sizes))
    if (name == operand.name && dimension >= 0 &&
        dimension < int64_t(each.size())) {
      each[dimension] = size;
      return true;
    }
  fault = ("expected the dimension of an operand before '=', got '" + setting +
           "'; open dimensions are " + listOpen())
              .str();
  return false;
}

void EntrySizes::propagate() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const CutlGuard &guard :
         ArrayRef(entry.requirements, entry.requirementCount)) {
      const CutlExpression &other = guard.expression;
      if (guard.kind != CUTL_GUARD_SIZE_EQUALS || other.count != 1 ||
          other.instructions->opcode != CUTL_OP_SIZE)
        continue;
      int64_t &left = sizes[guard.operand][guard.dimension];
      int64_t &right =
          sizes[other.instructions->index][other.instructions->value];
      changed |= copy(left, right);
      changed |= copy(right, left);
    }
  }
}

std::string EntrySizes::listOpen() const {
  SmallVector<std::string> names;
  for (auto [operand, each] :
       llvm::zip(ArrayRef(entry.operands, entry.operandCount), sizes))
    for (auto [i, size] : llvm::enumerate(each))
      if (size == CUTL_ANY_SIZE)
        names.push_back((Twine(operand.name) + "." + Twine(i)).str());
  return names.empty() ? "none" : llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static FailureOr<const CutlEntry *> findEntry(const GpuSession &session,
                                              StringRef name, Location loc) {
  const CutlBundle &bundle = session.getBundle();
  ArrayRef<CutlEntry> entries(bundle.entries, bundle.entryCount);
  for (const CutlEntry &entry : entries)
    if (name == entry.name || (name.empty() && entries.size() == 1))
      return &entry;
  SmallVector<StringRef> names;
  for (const CutlEntry &entry : entries)
    names.push_back(entry.name);
  std::string list = names.empty() ? "none" : llvm::join(names, ", ");
  if (name.empty())
    return emitError(loc, "expected a bundle of one entry, or --function with "
                          "the name of one; there are ")
           << list;
  return emitError(loc, "expected the name of an entry, got '")
         << name << "'; there are " << list;
}

/// The type of an operand or a number; null where arrays cannot hold it.
static Type getType(MLIRContext *context, int32_t type) {
  if (type == CUTL_ELEMENT_S64)
    return IntegerType::get(context, 64);
  const ::cutl::targetinfo::DataType *record =
      ::cutl::targetinfo::lookupDataType(cutlElementTypeName(type));
  Type found = record ? getMLIRType(context, *record) : Type();
  return found && getElementBytes(found) > 0 ? found : Type();
}

/// Random inputs, and outputs that are poisoned.
static FailureOr<std::vector<NumericBuffer>>
makeArguments(const CutlEntry &entry, ArrayRef<SmallVector<int64_t>> sizes,
              uint64_t seed, Location loc) {
  std::vector<NumericBuffer> buffers;
  auto add = [&](const char *name, int32_t number, ArrayRef<int64_t> shape,
                 bool isWritten) {
    Type type = getType(loc.getContext(), number);
    if (!type)
      return LogicalResult(emitError(loc, "expected '")
                           << name
                           << "' to be numbers of 8, 16, 32 or 64 bits, got "
                           << cutlElementTypeName(number));
    NumericBuffer buffer(type, shape);
    if (isWritten)
      buffer.poison();
    else
      buffer.fillRandom(seed + buffers.size());
    buffers.push_back(std::move(buffer));
    return success();
  };
  for (auto [operand, shape] :
       llvm::zip(ArrayRef(entry.operands, entry.operandCount), sizes))
    if (failed(add(operand.name, operand.type, shape,
                   operand.access == CUTL_ACCESS_WRITE)))
      return failure();
  for (const CutlScalarSignature &scalar :
       ArrayRef(entry.scalars, entry.scalarCount))
    if (failed(add(scalar.name, scalar.type, {}, /*isWritten=*/false)))
      return failure();
  return buffers;
}

/// `linear(A: 4x8xbf16, alpha: f32)`.
static void printCall(const CutlEntry &entry, ArrayRef<NumericBuffer> buffers,
                      raw_ostream &os) {
  os << "entry " << entry.name << "(";
  llvm::interleaveComma(llvm::enumerate(buffers), os, [&](auto each) {
    bool isArray = each.index() < entry.operandCount;
    os << (isArray ? entry.operands[each.index()].name
                   : entry.scalars[each.index() - entry.operandCount].name)
       << ": ";
    const NumericArray &array = each.value().get();
    for (int64_t size : array.sizes)
      os << size << "x";
    os << array.elementType;
  });
  os << ")\n";
}

LogicalResult mlir::cutl::runBundle(MLIRContext *context, StringRef name,
                                    StringRef bytes, const RunOptions &options,
                                    raw_ostream &os) {
  Location loc = FileLineColLoc::get(context, name, /*line=*/0, /*column=*/0);
  if (options.device != "auto" && options.device != "cuda")
    return emitError(loc, "expected device auto or cuda for a bundle, got '")
           << options.device << "'";
  if (options.verify)
    return emitError(loc, "expected a module to verify, got a bundle, which "
                          "does not say what it computes");
  auto session = GpuSession::open(options.driver);
  if (!session)
    return emitError(loc, llvm::toString(session.takeError()));
  if (llvm::Error error = (*session)->load(bytes))
    return emitError(loc, llvm::toString(std::move(error)));
  FailureOr<const CutlEntry *> entry =
      findEntry(**session, options.function, loc);
  if (failed(entry))
    return failure();

  EntrySizes sizes(**entry);
  std::string fault;
  for (StringRef setting : options.shape)
    if (!sizes.set(setting, fault))
      return emitError(loc, fault);
  sizes.propagate();
  if (std::string open = sizes.listOpen(); open != "none")
    return emitError(loc, "expected a size, as in --shape ")
           << StringRef(open).split(',').first << "=512, for " << open;
  auto buffers = makeArguments(**entry, sizes.get(), options.seed, loc);
  if (failed(buffers))
    return failure();
  printCall(**entry, *buffers, os);

  std::vector<HostArgument> arguments;
  for (auto [i, buffer] : llvm::enumerate(*buffers))
    arguments.push_back(
        toHostArgument(buffer.get(), i >= (*entry)->operandCount));
  auto call = GpuCall::create(**session, **entry, arguments);
  if (!call)
    return emitError(loc, llvm::toString(call.takeError()));
  if (llvm::Error error = (*call)->run())
    return emitError(loc, llvm::toString(std::move(error)));
  os << "ran on " << (*session)->describe() << "\n";
  if (!options.time)
    return success();
  if (auto warm = (*call)->time(5); !warm)
    return emitError(loc, llvm::toString(warm.takeError()));
  auto times = (*call)->time(100);
  if (!times)
    return emitError(loc, llvm::toString(times.takeError()));
  printTimes(std::move(*times), /*flops=*/0.0, os);
  return success();
}
