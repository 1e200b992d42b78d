//===- CpuEngine.cpp - Running lowered modules on the host ----------------===//
//
// Calls into compiled modules, with their arguments checked.
//
//===----------------------------------------------------------------------===//

#include "cutl/Target/CPU/CpuEngine.h"

#include "CpuJit.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

CpuEngine::CpuEngine() = default;
CpuEngine::~CpuEngine() = default;

CpuEngine::Argument CpuEngine::describe(Type type) {
  Argument argument;
  llvm::raw_string_ostream(argument.type) << getElementTypeOrSelf(type);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    argument.bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return argument;
  }
  argument.isArray = true;
  argument.bits = memref.getElementTypeBitWidth();
  argument.sizes.assign(memref.getShape().begin(), memref.getShape().end());
  int64_t offset;
  (void)memref.getStridesAndOffset(argument.strides, offset);
  argument.isRowMajor = memref.getLayout().isIdentity();
  return argument;
}

llvm::Expected<std::unique_ptr<CpuEngine>>
CpuEngine::create(ModuleOp module, const CpuEngineOptions &options) {
  std::unique_ptr<CpuEngine> engine(new CpuEngine());
  std::vector<std::string> names;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    // The C wrapper inherits the attribute from the function it wraps.
    auto signature = func->getAttrOfType<ArrayAttr>(CutlDialect::kHostSignatureAttrName);
    if (!signature || func.getName().starts_with("_mlir_ciface_"))
      continue;
    EntryPoint &entry = engine->entryPoints[func.getName()];
    for (Attribute type : signature) {
      Type argument = cast<TypeAttr>(type).getValue();
      if (auto memref = dyn_cast<MemRefType>(argument)) {
        SmallVector<int64_t> strides;
        int64_t offset;
        (void)memref.getStridesAndOffset(strides, offset);
        if (offset != 0 && !ShapedType::isDynamic(offset))
          return makeError("expected entry point '" + func.getName() +
                           "' to take arrays of offset 0, got " +
                           Twine(offset));
      }
      entry.arguments.push_back(describe(argument));
    }
    int64_t count = entry.arguments.size();
    if (auto written = func->getAttrOfType<DenseI64ArrayAttr>(
            CutlDialect::kHostWritesAttrName))
      for (int64_t i : written.asArrayRef())
        if (i >= 0 && i < count)
          entry.arguments[i].isWritten = true;
    auto hasDim = [&](int64_t i, int64_t dim) {
      return i >= 0 && i < count && dim >= 0 &&
             dim < int64_t(entry.arguments[i].sizes.size());
    };
    if (auto ties =
            func->getAttrOfType<ArrayAttr>(CutlDialect::kHostTiesAttrName))
      for (auto tie : ties.getAsRange<DenseI64ArrayAttr>())
        if (hasDim(tie[4], tie[5]) && (tie[0] < 0 || hasDim(tie[0], tie[1])))
          entry.ties.push_back({tie[0], tie[1], tie[2], tie[3], tie[4], tie[5]});
    names.push_back(func.getName().str());
  }

  auto context = std::make_unique<llvm::LLVMContext>();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *context);
  if (!llvmModule)
    return makeError("expected a module in the LLVM dialect: its translation "
                     "to LLVM IR failed");
  for (const std::string &name : names) {
    SmallVector<bool> isArray;
    for (const Argument &argument : engine->entryPoints[name].arguments)
      isArray.push_back(argument.isArray);
    if (llvm::Error error = addPackedWrapper(*llvmModule, name, isArray))
      return std::move(error);
  }

  auto compiled = compileModule(
      llvm::orc::ThreadSafeModule(std::move(llvmModule), std::move(context)),
      names, options);
  if (!compiled)
    return compiled.takeError();
  engine->jit = std::move(compiled->jit);
  for (auto [name, wrapper] : llvm::zip_equal(names, compiled->wrappers))
    engine->entryPoints[name].code = wrapper;
  return engine;
}

llvm::Error CpuEngine::checkArray(const Argument &expected,
                                  const HostArray &array, const Twine &where) {
  int64_t rank = expected.sizes.size();
  if (array.rank != rank)
    return makeError(where + ": expected rank " + Twine(rank) + ", got " +
                     Twine(array.rank));
  if (array.elementBits != expected.bits)
    return makeError(where + ": expected elements of " + Twine(expected.bits) +
                     " bits, got " + Twine(array.elementBits));
  if (!array.elementType.empty() && array.elementType != expected.type)
    return makeError(where + ": expected elements of type " + expected.type +
                     ", got " + array.elementType);
  bool isEmpty = false;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = array.sizes[i];
    bool isOpen = ShapedType::isDynamic(expected.sizes[i]);
    if (size < 0 || (!isOpen && size != expected.sizes[i]))
      return makeError(where + ": expected a size of " +
                       Twine(isOpen ? 0 : expected.sizes[i]) +
                       (isOpen ? " or more" : "") + " in dimension " +
                       Twine(i) + ", got " + Twine(size));
    isEmpty |= size == 0;
  }
  if (isEmpty)
    return llvm::Error::success();
  // The stride of a dimension of size one is never used.
  int64_t rowMajor = 1;
  for (int64_t i = rank; i-- > 0;) {
    int64_t stride = expected.isRowMajor ? rowMajor : expected.strides[i];
    rowMajor *= array.sizes[i];
    if (array.sizes[i] != 1 && !ShapedType::isDynamic(stride) &&
        array.strides[i] != stride)
      return makeError(where + ": expected stride " + Twine(stride) +
                       " in dimension " + Twine(i) + ", got " +
                       Twine(array.strides[i]));
  }
  if (!array.data)
    return makeError(where + ": expected an address, got null");
  uintptr_t align = llvm::divideCeil(expected.bits, 8);
  if (reinterpret_cast<uintptr_t>(array.data) % align != 0)
    return makeError(where + ": expected data aligned to " + Twine(align) +
                     " bytes");
  return llvm::Error::success();
}

llvm::Error CpuEngine::checkTies(const EntryPoint &entry, StringRef name,
                                 ArrayRef<HostArgument> arguments) {
  auto getSize = [&](int64_t argument, int64_t dim) {
    return std::get<HostArray>(arguments[argument]).sizes[dim];
  };
  for (const Tie &tie : entry.ties) {
    int64_t base =
        tie.from < 0 ? tie.fromDim : getSize(tie.from, tie.fromDim);
    int64_t whole;
    if (llvm::MulOverflow(base, tie.factor, whole))
      continue;
    int64_t expected = llvm::divideCeil(whole, tie.divisor);
    int64_t got = getSize(tie.to, tie.toDim);
    if (got == expected)
      continue;
    std::string why = tie.from < 0 ? ""
                                   : (" to fit the size " + Twine(base) +
                                      " of argument " + Twine(tie.from) +
                                      " in dimension " + Twine(tie.fromDim))
                                         .str();
    return makeError("argument " + Twine(tie.to) + " of '" + name +
                     "': expected a size of " + Twine(expected) +
                     " in dimension " + Twine(tie.toDim) + why + ", got " +
                     Twine(got));
  }
  return llvm::Error::success();
}

bool CpuEngine::isWritten(StringRef name, size_t argument) const {
  auto it = entryPoints.find(name);
  return it != entryPoints.end() && argument < it->second.arguments.size() &&
         it->second.arguments[argument].isWritten;
}

llvm::Error CpuEngine::invoke(StringRef name,
                              ArrayRef<HostArgument> arguments) const {
  auto it = entryPoints.find(name);
  if (it == entryPoints.end())
    return makeError("expected the name of an entry point (a public function "
                     "of strided arrays and numbers), got '" +
                     name + "'; there are " +
                     (entryPoints.empty()
                          ? std::string("none")
                          : llvm::join(llvm::map_range(
                                           entryPoints,
                                           [](auto &e) {
                                             return e.getKey().str();
                                           }),
                                       ", ")));
  const EntryPoint &entry = it->second;
  if (arguments.size() != entry.arguments.size())
    return makeError("expected " + Twine(entry.arguments.size()) +
                     " arguments for '" + name + "', got " +
                     Twine(arguments.size()));

  // What the wrapper unpacks: the address of a descriptor or of a number.
  SmallVector<SmallVector<int64_t, 11>> descriptors(arguments.size());
  SmallVector<void *> packed;
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip_equal(entry.arguments, arguments))) {
    const auto &[expected, given] = pair;
    std::string where = ("argument " + Twine(i) + " of '" + name + "'").str();
    if (const auto *array = std::get_if<HostArray>(&given)) {
      if (!expected.isArray)
        return makeError(where + ": expected a number, got an array");
      if (llvm::Error error = checkArray(expected, *array, where))
        return error;
      SmallVectorImpl<int64_t> &words = descriptors[i];
      words.assign(2, reinterpret_cast<int64_t>(array->data));
      words.push_back(0);
      words.append(array->sizes, array->sizes + array->rank);
      words.append(array->strides, array->strides + array->rank);
      packed.push_back(words.data());
      continue;
    }
    const auto &scalar = std::get<HostScalar>(given);
    if (expected.isArray)
      return makeError(where + ": expected an array, got a number");
    if (scalar.width != expected.bits)
      return makeError(where + ": expected a number of " +
                       Twine(expected.bits) + " bits, got " +
                       Twine(scalar.width));
    if (!scalar.type.empty() && scalar.type != expected.type)
      return makeError(where + ": expected a number of type " + expected.type +
                       ", got " + scalar.type);
    packed.push_back(const_cast<uint64_t *>(&scalar.bits));
  }
  if (llvm::Error error = checkTies(entry, name, arguments))
    return error;
  entry.code(packed.data());
  return llvm::Error::success();
}
