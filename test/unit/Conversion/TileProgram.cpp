//===- TileProgram.cpp - Running functions of gemms CTA by CTA ------------===//

#include "TileProgram.h"
#include "cutl/Conversion/Passes.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "cutl/Dialect/Cutl/Transforms/Passes.h"
#include "cutl/Dialect/CutlTile/Transforms/Passes.h"
#include "cutl/Pipelines/Pipelines.h"
#include "cutl/Target/CPU/LowerToLLVM.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

std::unique_ptr<MLIRContext> cutltest::makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

void cutltest::configure(ModuleOp module, const std::string &config,
                         const std::string &schedule) {
  MLIRContext *context = module.getContext();
  module->setAttr(CutlDialect::kTargetAttrName,
                  parseAttribute("#cutl.target<chip = \"sm_90a\">", context));
  auto tile = dyn_cast_or_null<TileConfigAttr>(
      parseAttribute("#cutl.tile_config<" + config + ">", context));
  ASSERT_TRUE(tile) << config;
  auto division = dyn_cast_or_null<ScheduleAttrInterface>(
      parseAttribute(schedule, context));
  ASSERT_TRUE(division) << schedule;
  module.walk([&](GemmOp op) {
    op.setConfigAttr(tile);
    op.setScheduleAttr(division);
  });
}

std::unique_ptr<CpuEngine> cutltest::compileTiled(ModuleOp module,
                                                  const TileOptions &options) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager pm(module.getContext());
  pm.addPass(createCutlOutlineKernels());
  pm.addPass(createConvertCutlToCutlTile());
  pm.addNestedPass<BundleOp>(tile::createCutlApplySchedule());
  pm.addNestedPass<BundleOp>(tile::createCutlTileSplitReductions());
  if (options.plansWorkspace)
    pm.addPass(createCutlPlanWorkspace());
  if (!options.fault.fault.empty())
    pm.addPass(createTestCutlSeedFault(options.fault));
  pm.addPass(createConvertCutlTileToSCF({options.grid, options.order}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  buildLinalgToLLVMPipeline(pm, {});
  if (failed(pm.run(*lowered))) {
    ADD_FAILURE() << "lowering failed";
    return nullptr;
  }
  auto engine = CpuEngine::create(*lowered);
  if (!engine) {
    ADD_FAILURE() << llvm::toString(engine.takeError());
    return nullptr;
  }
  return std::move(*engine);
}

//===----------------------------------------------------------------------===//
// GuardedArray
//===----------------------------------------------------------------------===//

static constexpr unsigned char kNaNByte = 0xff, kOtherByte = 0xa5;
/// Elements before the first and behind the last one.
static constexpr int64_t kMargin = 300;
static constexpr int64_t kPad = 3;

GuardedArray::GuardedArray(Type type, ArrayRef<int64_t> sizes)
    : type(type), sizes(sizes.begin(), sizes.end()), strides(sizes.size()),
      elementBytes(getElementBytes(type)), first(kMargin) {
  int64_t step = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = step;
    step *= std::max<int64_t>(sizes[dim], 1) + kPad;
  }
  bytes.resize((first + step + kMargin) * elementBytes);
  poison();
}

void GuardedArray::setElements(std::vector<unsigned char> &target,
                               unsigned char value) const {
  NumericArray array = {nullptr, type, sizes, strides};
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    std::memset(&target[(first + array.getOffset(i)) * elementBytes], value,
                elementBytes);
}

NumericArray GuardedArray::get() { return {getStart(), type, sizes, strides}; }

HostArgument GuardedArray::getHost() {
  return HostArray{getStart(), unsigned(8 * elementBytes),
                   int64_t(sizes.size()), sizes.data(), strides.data()};
}

void GuardedArray::poison() {
  guard = kOtherByte;
  std::fill(bytes.begin(), bytes.end(), guard);
  setElements(bytes, kNaNByte);
}

void GuardedArray::fillRandom(uint64_t seed) {
  guard = kNaNByte;
  std::fill(bytes.begin(), bytes.end(), guard);
  std::mt19937_64 random(seed);
  NumericArray array = get();
  // Between -1 and 1, or any integer of the type.
  int64_t bits = type.getIntOrFloatBitWidth();
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    double value = double(random() >> 11) * 0x1p-52 - 1.0;
    if (type.isInteger())
      value = std::floor(value * double(int64_t(1) << (bits - 1)));
    writeElement(type, array.data, array.getOffset(i), value);
  }
}

bool GuardedArray::guardsAreIntact() const {
  std::vector<unsigned char> rest = bytes;
  setElements(rest, guard);
  return llvm::all_of(rest, [&](unsigned char b) { return b == guard; });
}

//===----------------------------------------------------------------------===//
// TileCall
//===----------------------------------------------------------------------===//

TileCall::TileCall(ModuleOp module, ArrayRef<SmallVector<int64_t>> extents) {
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  llvm::SmallDenseMap<Operation *, ArrayRef<int64_t>> extentsOf;
  for (auto [gemm, extent] :
       llvm::zip_equal(llvm::to_vector(function.getOps<GemmOp>()), extents))
    extentsOf[gemm] = extent;
  name = function.getName().str();
  static float scalars[] = {0.75f, -1.25f};
  unsigned nextScalar = 0;
  SmallVector<NumericArray> arrays;
  for (BlockArgument argument : function.getArguments()) {
    Argument &made = arguments.emplace_back();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      float *number = &scalars[nextScalar++ % 2];
      arrays.push_back({number, argument.getType(), {}, {}});
      made.scalar = HostScalar::get(*number);
      continue;
    }
    SmallVector<int64_t> sizes;
    bool isRead = false;
    for (OpOperand &use : argument.getUses()) {
      auto gemm = dyn_cast<GemmOp>(use.getOwner());
      if (!gemm)
        continue;
      isRead |= use.getOperandNumber() <
                gemm->getNumOperands() - gemm.getOuts().size();
      AffineMap map = gemm.getMap(use);
      sizes.clear();
      for (unsigned i = 0; i < map.getNumResults(); ++i)
        sizes.push_back(extentsOf[gemm][map.getDimPosition(i)]);
    }
    made.array.emplace_back(type.getElementType(), sizes);
    if (isRead)
      made.array.front().fillRandom(arguments.size());
    made.array.push_back(made.array.front());
    arrays.push_back(made.array.front().get());
  }
  FailureOr<FunctionReference> evaluated = evaluateFunction(function, arrays);
  if (failed(evaluated))
    ADD_FAILURE() << "no reference";
  else
    reference = std::move(*evaluated);
}

std::string TileCall::run(const CpuEngine &engine) {
  std::vector<HostArgument> list;
  for (Argument &argument : arguments) {
    if (!argument.array.empty())
      argument.array.back() = argument.array.front();
    list.push_back(argument.array.empty() ? HostArgument(argument.scalar)
                                          : argument.array.back().getHost());
  }
  // The workspace, which the function did not have before it was outlined.
  int64_t bytes = workspace.size(), stride = 1;
  list.push_back(HostArray{workspace.data(), 8, 1, &bytes, &stride});
  if (llvm::Error error = engine.invoke(name, list))
    return llvm::toString(std::move(error));
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (!argument.array.empty() && !argument.array.back().guardsAreIntact())
      return llvm::formatv("argument {0}: written outside of its elements", i);
  if (reference.writtenArguments.empty())
    return "nothing is compared";
  for (auto &[i, output] : reference.writtenArguments) {
    Comparison comparison =
        compareWithReference(output, arguments[i].array.back().get());
    if (!comparison.passed())
      return llvm::formatv("argument {0}: {1}", i, comparison.describeWorst());
    if (comparison.unbounded != 0)
      return llvm::formatv("argument {0}: {1} elements without a bound", i,
                           comparison.unbounded);
  }
  return "";
}

std::vector<unsigned char> TileCall::getBytes() const {
  std::vector<unsigned char> all;
  for (const Argument &argument : arguments)
    if (!argument.array.empty())
      llvm::append_range(all, argument.array.back().getBytes());
  return all;
}
