//===- CutlLaunchToLLVM.cpp - Launches become calls of the runtime -------===//

#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Target/Bundle/BundleBuilder.h"
#include "cutl/Target/Bundle/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cutl {
#define GEN_PASS_DEF_CONVERTCUTLLAUNCHTOLLVM
#include "cutl/Conversion/Passes.h.inc"
} // namespace mlir::cutl

using namespace mlir;
using namespace mlir::cutl;

/// The function of cutl/Runtime/Stream.h.
static constexpr StringRef kLaunchFunction = "cutlStreamLaunch";

namespace {

/// The runtime's C structs as LLVM types.
struct RuntimeTypes {
  explicit RuntimeTypes(MLIRContext *context)
      : ptr(LLVM::LLVMPointerType::get(context)),
        i32(IntegerType::get(context, 32)), i64(IntegerType::get(context, 64)),
        operand(LLVM::LLVMStructType::getLiteral(context,
                                                 {ptr, ptr, ptr, i32, i32})),
        scalar(LLVM::LLVMStructType::getLiteral(context, {i64, i32})),
        launch(LLVM::LLVMFunctionType::get(
            i32, {ptr, ptr, ptr, i64, ptr, ptr, i32, ptr, i32, ptr, i64})) {}

  Type ptr, i32, i64;
  /// CutlOperand, CutlScalar, and the function cutlStreamLaunch.
  LLVM::LLVMStructType operand, scalar;
  LLVM::LLVMFunctionType launch;
};

/// What the launches of a module share.
struct BundleGlobals {
  LLVM::GlobalOp bytes, slot;
  uint64_t size = 0;
  /// The name of each entry as text.
  llvm::SmallDenseMap<StringAttr, LLVM::GlobalOp> names;
};

/// Lowers one launch.
class LaunchLowering {
public:
  LaunchLowering(LaunchOp launch, const RuntimeTypes &types)
      : launch(launch), types(types), b(launch.getLoc(), launch) {}

  LogicalResult lower(BundleGlobals &globals);

private:
  Value getConstant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, types.i64, index);
  }
  Value allocate(Type type, int64_t count);
  void store(Value array, Type type, int32_t element, int32_t field,
             Value value);
  Value getAddress(Value memref, Value offset);
  LogicalResult storeOperand(Value operands, int32_t i, Value extents,
                             int32_t firstExtent, Value memref);
  LogicalResult storeScalar(Value scalars, int32_t i, Value number);

  LaunchOp launch;
  const RuntimeTypes &types;
  ImplicitLocOpBuilder b;
};

} // namespace

/// Room on the stack, once per call of the function and not once per launch of
/// a loop. Null for nothing.
Value LaunchLowering::allocate(Type type, int64_t count) {
  if (count == 0)
    return LLVM::ZeroOp::create(b, types.ptr);
  OpBuilder::InsertionGuard guard(b);
  auto function = launch->getParentOfType<FunctionOpInterface>();
  b.setInsertionPointToStart(&function.getFunctionBody().front());
  return LLVM::AllocaOp::create(b, types.ptr, type,
                                getConstant(types.i64, count));
}

void LaunchLowering::store(Value array, Type type, int32_t element,
                           int32_t field, Value value) {
  SmallVector<LLVM::GEPArg> indices = {element};
  if (isa<LLVM::LLVMStructType>(type))
    indices.push_back(field);
  Value place = LLVM::GEPOp::create(b, types.ptr, type, array, indices);
  LLVM::StoreOp::create(b, value, place);
}

/// Of the element at `offset`, counted in elements.
Value LaunchLowering::getAddress(Value memref, Value offset) {
  Value address =
      toI64(memref::ExtractAlignedPointerAsIndexOp::create(b, memref));
  if (offset) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    Value bytes =
        LLVM::MulOp::create(b, toI64(offset), getConstant(types.i64, bits));
    bytes = LLVM::AShrOp::create(b, bytes, getConstant(types.i64, 3));
    address = LLVM::AddOp::create(b, address, bytes);
  }
  return LLVM::IntToPtrOp::create(b, types.ptr, address);
}

/// Fills operand `i`; its sizes, then its strides, go to `extents`.
LogicalResult LaunchLowering::storeOperand(Value operands, int32_t i,
                                           Value extents, int32_t firstExtent,
                                           Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  std::optional<int32_t> element = getRuntimeElementType(type.getElementType());
  if (!element)
    return launch.emitOpError("expected elements of a type that the runtime "
                              "has, got ")
           << type;
  int32_t rank = type.getRank();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  for (auto [dim, size] : llvm::enumerate(metadata.getSizes()))
    store(extents, types.i64, firstExtent + dim, 0, toI64(size));
  for (auto [dim, stride] : llvm::enumerate(metadata.getStrides()))
    store(extents, types.i64, firstExtent + rank + dim, 0, toI64(stride));
  SmallVector<int64_t> strides;
  int64_t offset;
  // The op takes strided layouts alone.
  (void)type.getStridesAndOffset(strides, offset);
  auto getExtent = [&](int32_t which) {
    return LLVM::GEPOp::create(b, types.ptr, types.i64, extents,
                               SmallVector<LLVM::GEPArg>{which});
  };
  store(operands, types.operand, i, 0,
        getAddress(memref, offset == 0 ? Value() : metadata.getOffset()));
  store(operands, types.operand, i, 1, getExtent(firstExtent));
  store(operands, types.operand, i, 2, getExtent(firstExtent + rank));
  store(operands, types.operand, i, 3, getConstant(types.i32, rank));
  store(operands, types.operand, i, 4, getConstant(types.i32, *element));
  return success();
}

LogicalResult LaunchLowering::storeScalar(Value scalars, int32_t i,
                                          Value number) {
  Type type = number.getType();
  std::optional<int32_t> element = getRuntimeElementType(type);
  if (!element)
    return launch.emitOpError("expected a number of a type that the runtime "
                              "has, got ")
           << type;
  Value bits = number;
  if (type.isIndex()) {
    bits = toI64(number);
  } else {
    if (isa<FloatType>(type))
      bits = arith::BitcastOp::create(
          b, b.getIntegerType(type.getIntOrFloatBitWidth()), number);
    if (bits.getType() != types.i64)
      bits = arith::ExtUIOp::create(b, types.i64, bits);
  }
  store(scalars, types.scalar, i, 0, bits);
  store(scalars, types.scalar, i, 1, getConstant(types.i32, *element));
  return success();
}

LogicalResult LaunchLowering::lower(BundleGlobals &globals) {
  SmallVector<Value> memrefs, numbers;
  int64_t extentCount = 0;
  for (Value argument : launch.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    (type ? memrefs : numbers).push_back(argument);
    extentCount += type ? 2 * type.getRank() : 0;
  }
  Value operands = allocate(types.operand, memrefs.size());
  Value extents = allocate(types.i64, extentCount);
  Value scalars = allocate(types.scalar, numbers.size());
  int32_t nextExtent = 0;
  for (auto [i, memref] : llvm::enumerate(memrefs)) {
    if (failed(storeOperand(operands, i, extents, nextExtent, memref)))
      return failure();
    nextExtent += 2 * cast<MemRefType>(memref.getType()).getRank();
  }
  for (auto [i, number] : llvm::enumerate(numbers))
    if (failed(storeScalar(scalars, i, number)))
      return failure();

  auto addressOf = [&](LLVM::GlobalOp global) {
    return LLVM::AddressOfOp::create(b, global).getResult();
  };
  Value workspace = launch.getWorkspace();
  Value workspaceBytes = toI64(memref::DimOp::create(b, workspace, 0));
  StringAttr entry = launch.getEntry().getLeafReference();
  LLVM::CallOp::create(
      b, types.launch, kLaunchFunction,
      ValueRange{launch.getStream(), addressOf(globals.slot),
                 addressOf(globals.bytes), getConstant(types.i64, globals.size),
                 addressOf(globals.names[entry]), operands,
                 getConstant(types.i32, memrefs.size()), scalars,
                 getConstant(types.i32, numbers.size()),
                 getAddress(workspace, Value()), workspaceBytes});
  launch.erase();
  return success();
}

namespace {

struct ConvertCutlLaunchToLLVMPass final
    : mlir::cutl::impl::ConvertCutlLaunchToLLVMBase<
          ConvertCutlLaunchToLLVMPass> {
  using ConvertCutlLaunchToLLVMBase::ConvertCutlLaunchToLLVMBase;

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult convert(ModuleOp module);
};

} // namespace

/// Declares cutlStreamLaunch.
static LogicalResult declareLaunch(OpBuilder &builder, ModuleOp module,
                                   const RuntimeTypes &types) {
  if (Operation *existing = module.lookupSymbol(kLaunchFunction)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(existing);
    if (function && function.getFunctionType() == types.launch)
      return success();
    return existing->emitOpError("expected the name ")
           << kLaunchFunction << " to be left to the runtime";
  }
  LLVM::LLVMFuncOp::create(builder, module.getLoc(), kLaunchFunction,
                           types.launch);
  return success();
}

/// A constant of the module that holds `bytes`.
static LLVM::GlobalOp addBytes(OpBuilder &builder, SymbolTable &symbols,
                               StringRef name, StringRef bytes,
                               uint64_t alignment) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(
      builder, symbols.getOp()->getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, name, builder.getStringAttr(bytes), alignment);
  symbols.insert(global, builder.getInsertionPoint());
  return global;
}

/// A pointer of the module that is null at first.
static LLVM::GlobalOp addSlot(OpBuilder &builder, SymbolTable &symbols,
                              const RuntimeTypes &types) {
  Location loc = symbols.getOp()->getLoc();
  auto global = LLVM::GlobalOp::create(
      builder, loc, types.ptr, /*isConstant=*/false, LLVM::Linkage::Internal,
      "cutl_bundle_slot", Attribute());
  symbols.insert(global, builder.getInsertionPoint());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  Value null = LLVM::ZeroOp::create(builder, loc, types.ptr);
  LLVM::ReturnOp::create(builder, loc, null);
  return global;
}

/// Attributes of the dialect that nobody reads any more would keep tools
/// without it from reading the module.
static void dropAttributes(ModuleOp module,
                           ArrayRef<FunctionOpInterface> functions) {
  for (FunctionOpInterface function : functions)
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      function.removeArgAttr(i, CutlDialect::kNameAttrName);
  bool isTargeted =
      module.walk([](ProblemOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!isTargeted)
    module->removeAttr(CutlDialect::kTargetAttrName);
}

LogicalResult ConvertCutlLaunchToLLVMPass::convert(ModuleOp module) {
  SmallVector<BundleOp> bundles(module.getOps<BundleOp>());
  SmallVector<LaunchOp> launches;
  module.walk([&](LaunchOp launch) { launches.push_back(launch); });
  for (LaunchOp launch : launches)
    if (SymbolTable::getNearestSymbolTable(launch) != module)
      return launch.emitOpError("expected to stand in a function of the module "
                                "that convert-cutl-launch-to-llvm runs on");
  if (bundles.empty())
    return success();
  FailureOr<std::string> bytes = exportBundle(module);
  if (failed(bytes))
    return failure();

  RuntimeTypes types(&getContext());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  if (failed(declareLaunch(builder, module, types)))
    return failure();
  SymbolTable symbols(module);
  BundleGlobals globals;
  globals.bytes = addBytes(builder, symbols, "cutl_bundle", *bytes, 16);
  globals.slot = addSlot(builder, symbols, types);
  globals.size = bytes->size();
  SmallVector<FunctionOpInterface> functions;
  for (LaunchOp launch : launches) {
    functions.push_back(launch->getParentOfType<FunctionOpInterface>());
    StringAttr entry = launch.getEntry().getLeafReference();
    LLVM::GlobalOp &name = globals.names[entry];
    if (!name)
      name =
          addBytes(builder, symbols, ("cutl_entry_" + entry.getValue()).str(),
                   entry.str() + std::string(1, '\0'), 1);
    if (failed(LaunchLowering(launch, types).lower(globals)))
      return failure();
    ++numLowered;
  }
  for (BundleOp bundle : bundles)
    bundle.erase();
  dropAttributes(module, functions);
  return success();
}
