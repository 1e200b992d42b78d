//===- PtxTest.cpp - Every op of an epilogue as PTX ----------------------===//
//
// Compiles every op that an epilogue admits, on every type that it takes, with
// no toolkit at hand. The list comes from the interface: an op that is admitted
// and not lowered fails here.
//
//===----------------------------------------------------------------------===//

#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Target/GPU/Serialize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// One op with its operand types and attributes.
struct Sample {
  std::string op;
  SmallVector<Type> operands;
  Type result;
  SmallVector<NamedAttribute> attributes;

  std::string getName() const {
    std::string name = op;
    llvm::raw_string_ostream stream(name);
    for (Type type : operands)
      stream << "_" << type;
    stream << "_to_" << result;
    for (NamedAttribute attribute : attributes)
      stream << "_" << attribute.getName().strref() << attribute.getValue();
    for (char &c : name)
      if (!llvm::isAlnum(c))
        c = '_';
    return name;
  }
};

class EpiloguePtx : public testing::Test {
protected:
  EpiloguePtx() : context(getRegistry()), builder(&context) {
    context.loadAllAvailableDialects();
    loc = builder.getUnknownLoc();
    floats = {Float8E4M3FNType::get(&context),
              Float8E5M2Type::get(&context),
              builder.getF16Type(),
              builder.getBF16Type(),
              builder.getF32Type(),
              builder.getF64Type()};
    types = floats;
    for (unsigned width : {1, 8, 16, 32, 64})
      types.push_back(builder.getIntegerType(width));
  }

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    mlir::cutl::CutlDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect>();
    mlir::cutl::registerGpuTranslations(registry);
    return registry;
  }

  /// The op on `operands`, or null if it does not verify.
  Operation *tryCreate(const Sample &sample, ValueRange operands) {
    OperationState state(loc, sample.op, operands, sample.result,
                         sample.attributes);
    Operation *op = builder.create(state);
    ScopedDiagnosticHandler silence(&context,
                                    [](Diagnostic &) { return success(); });
    if (succeeded(verify(op)))
      return op;
    op->erase();
    return nullptr;
  }

  bool isValid(const Sample &sample) {
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(scratch->getBody());
    SmallVector<Value> operands;
    for (Type type : sample.operands)
      operands.push_back(
          UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
              .getResult(0));
    return tryCreate(sample, operands);
  }

  /// Every way to use an op that it accepts: operands and result of one type,
  /// or a conversion from one type to another, or the forms of the few others.
  SmallVector<Sample> getSamples(RegisteredOperationName name) {
    SmallVector<Sample> candidates;
    std::string op = name.getStringRef().str();
    auto enumerated = [&](unsigned count, auto makeAttributes, Type result) {
      for (Type type : types)
        for (unsigned i = 0; i < count; ++i)
          candidates.push_back(
              {op, {type, type}, result ? result : type, makeAttributes(i)});
    };
    auto integer = [&](StringRef key, int64_t value) {
      return SmallVector<NamedAttribute>{
          builder.getNamedAttr(key, builder.getI64IntegerAttr(value))};
    };
    if (op == "arith.cmpf")
      enumerated(
          16, [&](int i) { return integer("predicate", i); },
          builder.getI1Type());
    else if (op == "arith.cmpi")
      enumerated(
          10, [&](int i) { return integer("predicate", i); },
          builder.getI1Type());
    else if (op == "arith.select")
      for (Type type : types)
        candidates.push_back({op, {builder.getI1Type(), type, type}, type, {}});
    else if (op == "arith.constant")
      for (Type type : types) {
        TypedAttr value = isa<FloatType>(type)
                              ? TypedAttr(builder.getFloatAttr(type, 1.5))
                              : builder.getIntegerAttr(type, 1);
        candidates.push_back(
            {op, {}, type, {builder.getNamedAttr("value", value)}});
      }
    else if (name.hasTrait<OpTrait::SameOperandsAndResultType>())
      for (Type type : types) {
        unsigned count = name.hasTrait<OpTrait::OneOperand>()           ? 1
                         : name.hasTrait<OpTrait::NOperands<2>::Impl>() ? 2
                         : name.hasTrait<OpTrait::NOperands<3>::Impl>() ? 3
                                                                        : 4;
        candidates.push_back({op, SmallVector<Type>(count, type), type, {}});
      }
    else
      for (Type from : types)
        for (Type to : types)
          candidates.push_back({op, {from}, to, {}});
    if (op == "cutl.convert")
      candidates = getConversions();
    auto real = [&](StringRef key, double value) {
      return builder.getNamedAttr(key, builder.getF64FloatAttr(value));
    };
    SmallVector<NamedAttribute> needed;
    if (op == "cutl.leaky_relu" || op == "cutl.leaky_relu_grad")
      needed = {real("slope", 0.01)};
    else if (op == "cutl.clamp")
      needed = {real("low", -1.0), real("high", 6.0)};
    if (!needed.empty())
      for (Sample &candidate : candidates)
        candidate.attributes = needed;
    if (op == "cutl.gelu" || op == "cutl.gelu_grad")
      for (Type type : floats)
        candidates.push_back(
            {op,
             {type},
             type,
             {builder.getNamedAttr(
                 "form", mlir::cutl::GeluFormAttr::get(
                             &context, mlir::cutl::GeluForm::Tanh))}});
    if (op == "arith.truncf")
      for (unsigned mode = 0; mode <= arith::getMaxEnumValForRoundingMode();
           ++mode)
        for (Type from : types)
          for (Type to : types)
            candidates.push_back(
                {op,
                 {from},
                 to,
                 {builder.getNamedAttr(
                     "roundingmode",
                     arith::RoundingModeAttr::get(
                         &context, static_cast<arith::RoundingMode>(mode)))}});
    SmallVector<Sample> samples;
    for (Sample &candidate : candidates)
      if (isValid(candidate))
        samples.push_back(std::move(candidate));
    return samples;
  }

  /// Conversions with every rounding, saturating or not, signed and unsigned.
  SmallVector<Sample> getConversions() {
    SmallVector<Sample> candidates;
    for (Type from : types)
      for (Type to : types)
        for (unsigned choice = 0; choice < 16; ++choice) {
          SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
              "rounding",
              mlir::cutl::RoundingAttr::get(
                  &context, static_cast<mlir::cutl::Rounding>(choice % 4)))};
          if (choice & 4)
            attributes.push_back(
                builder.getNamedAttr("saturate", builder.getUnitAttr()));
          if (choice & 8)
            attributes.push_back(
                builder.getNamedAttr("is_unsigned", builder.getUnitAttr()));
          candidates.push_back({"cutl.convert", {from}, to, attributes});
        }
    return candidates;
  }

  /// The type that holds a value in memory.
  Type getStorage(Type type) {
    return builder.getIntegerType(std::max(type.getIntOrFloatBitWidth(), 8u));
  }

  /// A kernel that loads the operands from one place and stores the result at
  /// another.
  void addKernel(const Sample &sample) {
    OpBuilder::InsertionGuard guard(builder);
    Type pointer = LLVM::LLVMPointerType::get(&context, 1);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                            {pointer, pointer});
    auto kernel =
        LLVM::LLVMFuncOp::create(builder, loc, sample.getName(), type);
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    Block *entry = kernel.addEntryBlock(builder);
    builder.setInsertionPointToEnd(entry);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(sample.operands)) {
      Value address =
          LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(),
                              entry->getArgument(0), LLVM::GEPArg(i));
      Value bits =
          LLVM::LoadOp::create(builder, loc, getStorage(operand), address);
      if (operand.isInteger(1))
        bits = arith::TruncIOp::create(builder, loc, operand, bits);
      else if (isa<FloatType>(operand))
        bits = arith::BitcastOp::create(builder, loc, operand, bits);
      operands.push_back(bits);
    }
    Value result = tryCreate(sample, operands)->getResult(0);
    if (result.getType().isInteger(1))
      result =
          arith::ExtUIOp::create(builder, loc, builder.getI8Type(), result);
    else if (isa<FloatType>(result.getType()))
      result = arith::BitcastOp::create(builder, loc,
                                        getStorage(result.getType()), result);
    LLVM::StoreOp::create(builder, loc, result, entry->getArgument(1));
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }

  gpu::GPUModuleOp startModule() {
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto kernels = gpu::GPUModuleOp::create(builder, loc, "kernels");
    builder.setInsertionPointToStart(kernels.getBody());
    return kernels;
  }

  LogicalResult expandMath() {
    PassManager manager(&context);
    manager.nest<gpu::GPUModuleOp>().addPass(
        mlir::cutl::createConvertCutlMathToNVVM());
    return manager.run(*module);
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc = UnknownLoc::get(&context);
  SmallVector<Type> floats, types;
  OwningOpRef<ModuleOp> module;
};

/// The functions without a formula in f64, which are refused.
bool isRefused(const Sample &sample) {
  bool hasNoDouble = sample.op == "math.sin" || sample.op == "math.cos" ||
                     sample.op == "math.powf" || sample.op == "arith.remf";
  // Only one rounding leads to the 8-bit floats.
  bool roundsToFloat8 =
      sample.op == "arith.truncf" &&
      sample.result.getIntOrFloatBitWidth() == 8 &&
      !sample.attributes.empty() &&
      cast<arith::RoundingModeAttr>(sample.attributes[0].getValue())
              .getValue() != arith::RoundingMode::to_nearest_even;
  return (hasNoDouble && sample.result.isF64()) || roundsToFloat8;
}

/// Runs `ptxas -v` and returns what it prints; nothing if there is none.
std::optional<std::string> assemble(StringRef ptx) {
  auto program = llvm::sys::findProgramByName("ptxas");
  if (!program)
    return std::nullopt;
  SmallString<64> source, output;
  int file;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("math", "ptx", file, source));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << ptx;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("math", "txt", output));
  StringRef arguments[] = {*program, "-arch=sm_90a", "-v",       "-O1",
                           source,   "-o",           "/dev/null"};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output),
                                          StringRef(output)};
  int code =
      llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects);
  auto buffer = llvm::MemoryBuffer::getFile(output);
  std::string text = buffer ? (*buffer)->getBuffer().str() : "";
  llvm::sys::fs::remove(source);
  llvm::sys::fs::remove(output);
  EXPECT_EQ(code, 0) << text;
  return text;
}

} // namespace

TEST_F(EpiloguePtx, EveryAdmittedOpNeedsNoLibrary) {
  gpu::GPUModuleOp kernels = startModule();
  unsigned numOps = 0, numKernels = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<mlir::cutl::EpilogueOpInterface>())
      continue;
    SmallVector<Sample> samples = getSamples(name);
    EXPECT_FALSE(samples.empty()) << name.getStringRef().str();
    ++numOps;
    for (const Sample &sample : samples)
      if (!isRefused(sample)) {
        addKernel(sample);
        ++numKernels;
      }
  }
  printf("%u ops, %u kernels\n", numOps, numKernels);
  ASSERT_TRUE(succeeded(verify(*module)));
  ASSERT_TRUE(succeeded(expandMath()));
  module->walk([](Operation *op) {
    EXPECT_NE(op->getName().getDialectNamespace(), "math");
    EXPECT_NE(op->getName().getDialectNamespace(), "cutl");
  });
  PassManager manager(&context);
  mlir::cutl::buildLowerKernelsToLLVM(manager);
  ASSERT_TRUE(succeeded(manager.run(*module)));
  auto ptx = mlir::cutl::translateToPtx(
      kernels,
      mlir::cutl::PtxOptions(*::cutl::targetinfo::lookupChip("sm_90a")));
  ASSERT_TRUE(succeeded(ptx));
  EXPECT_TRUE(StringRef(*ptx).contains(".version 8.0"));
  EXPECT_FALSE(StringRef(*ptx).contains(".extern"));

  SmallVector<StringRef> entries;
  StringRef(*ptx).split(entries, ".visible .entry ");
  ASSERT_EQ(entries.size(), numKernels + 1);
  for (StringRef entry : ArrayRef(entries).drop_front()) {
    std::string name = entry.take_until([](char c) { return c == '('; }).str();
    EXPECT_FALSE(entry.contains("call")) << name;
    EXPECT_FALSE(entry.contains(".local")) << name;
    // A division of 64-bit integers chooses between two instructions.
    EXPECT_FALSE(entry.contains("bra") && name.find("_i64") == name.npos)
        << name;
  }
  if (std::optional<std::string> log = assemble(*ptx)) {
    SmallVector<StringRef> lines;
    StringRef(*log).split(lines, '\n');
    for (StringRef line : lines)
      if (line.contains("bytes stack frame"))
        EXPECT_TRUE(line.contains("0 bytes stack frame, 0 bytes spill stores"))
            << line.str();
  }
}

TEST_F(EpiloguePtx, RefusesByName) {
  auto refuse = [&](const Sample &sample, StringRef expected) {
    startModule();
    addKernel(sample);
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(message) << diagnostic << "\n";
      return success();
    });
    EXPECT_TRUE(failed(expandMath())) << sample.getName();
    EXPECT_NE(message.find(expected), message.npos) << message;
  };
  Type f64 = builder.getF64Type();
  refuse({"math.sin", {f64}, f64, {}},
         "'math.sin' op expected f16, bf16 or f32, for which there is an "
         "expansion, got 'f64'");
  refuse({"math.cos", {f64}, f64, {}}, "got 'f64'");
  refuse({"math.powf", {f64, f64}, f64, {}}, "got 'f64'");
  refuse({"arith.remf", {f64, f64}, f64, {}},
         "'arith.remf' op expected f16, bf16 or f32, for which there is an "
         "expansion, got 'f64'");
  Type fnuz = Float8E4M3FNUZType::get(&context);
  refuse({"arith.extf", {fnuz}, builder.getF32Type(), {}},
         "'arith.extf' op expected f16, bf16, f32, f64, f8E4M3FN or f8E5M2, "
         "which the target converts, got 'f8E4M3FNUZ'");
  refuse({"math.exp", {fnuz}, fnuz, {}}, "got 'f8E4M3FNUZ'");
  refuse(
      {"arith.truncf",
       {builder.getF32Type()},
       floats[0],
       {builder.getNamedAttr("roundingmode",
                             arith::RoundingModeAttr::get(
                                 &context, arith::RoundingMode::toward_zero))}},
      "'arith.truncf' op expected to_nearest_even, the rounding of the "
      "conversion to 'f8E4M3FN', got toward_zero");
}
