//===- ScheduleEmissionTest.cpp - Schedules in IR are those of the library ===//
//
// The loop of a schedule, compiled, against its arithmetic in C++.
//
//===----------------------------------------------------------------------===//

#include "TileProgram.h"
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"
#include "cutl/Target/CPU/LowerToLLVM.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <random>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;
namespace s = ::cutl::schedule;

namespace {

/// What a loop reports of each unit.
using Row = std::array<int64_t, 8>;

struct Schedule {
  const char *name, *text;
  s::Raster raster;
  bool divides;
};

void PrintTo(const Schedule &schedule, std::ostream *os) {
  *os << schedule.text;
}

class ScheduleEmission : public testing::TestWithParam<Schedule> {
protected:
  void SetUp() override;
  /// Grid, slots and the units of one worker.
  void run(const s::TileSpace &space, int64_t worker, int64_t workers);

  std::unique_ptr<MLIRContext> context;
  ScheduleAttrInterface schedule;
  std::unique_ptr<CpuEngine> engine;
  int64_t grid = 0, slots = 0;
  std::vector<Row> units;
};

} // namespace

/// `@units(problem, counts, rows)`, which runs the loop of one worker.
static void emitFunction(ModuleOp module, Attribute schedule,
                         const s::Raster &raster) {
  OpBuilder b(module.getBodyRegion());
  Location loc = b.getUnknownLoc();
  Type i64 = b.getI64Type();
  Type types[] = {MemRefType::get({6}, i64), MemRefType::get({3}, i64),
                  MemRefType::get({ShapedType::kDynamic, 8}, i64)};
  auto function =
      func::FuncOp::create(b, loc, "units", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto load = [&](int64_t place) -> Value {
    Value value = memref::LoadOp::create(b, loc, function.getArgument(0),
                                         constant(place));
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  auto store = [&](Value value, unsigned array, ValueRange indices) {
    memref::StoreOp::create(b, loc,
                            arith::IndexCastOp::create(b, loc, i64, value),
                            function.getArgument(array), indices);
  };
  tile::WorkSpace space;
  space.tilesM = load(0);
  space.tilesN = load(1);
  space.batches = load(2);
  space.kIterations = load(3);
  space.raster = raster;
  Value worker = load(4), workers = load(5);
  auto emission = cast<tile::ScheduleEmissionInterface>(schedule);
  store(emission.emitGridSize(b, loc, space, workers), 1, constant(0));
  if (Value slots = emission.emitSlotCount(b, loc, space, workers))
    store(slots, 1, constant(1));
  SmallVector<Value> count = emission.emitWorkLoop(
      b, loc, space, worker, workers, constant(0),
      [&](const tile::WorkUnit &unit, ValueRange carried) {
        Value values[] = {unit.tileM,     unit.tileN,       unit.batch,
                          unit.kBegin,    unit.kEnd,        unit.slot,
                          unit.firstSlot, unit.contributors};
        for (auto [place, value] : llvm::enumerate(values))
          if (value)
            store(value, 2, {carried[0], constant(place)});
        return SmallVector<Value>{
            arith::AddIOp::create(b, loc, carried[0], constant(1))};
      });
  store(count[0], 1, constant(2));
  func::ReturnOp::create(b, loc);
}

void ScheduleEmission::SetUp() {
  context = makeContext();
  schedule = dyn_cast_or_null<ScheduleAttrInterface>(
      parseAttribute(GetParam().text, context.get()));
  ASSERT_TRUE(schedule);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context.get()));
  emitFunction(*module, schedule, GetParam().raster);
  PassManager pm(context.get());
  buildLinalgToLLVMPipeline(pm, {});
  ASSERT_TRUE(succeeded(pm.run(*module)));
  auto created = CpuEngine::create(*module);
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  engine = std::move(*created);
}

void ScheduleEmission::run(const s::TileSpace &space, int64_t worker,
                           int64_t workers) {
  // Parts of k are the outermost batch dimension.
  int64_t problem[] = {space.tilesM,
                       space.tilesN,
                       space.batches * schedule.getNumParts(),
                       space.kIterations,
                       worker,
                       workers};
  int64_t counts[3] = {};
  units.assign(1000, Row());
  int64_t one = 1, six = 6, three = 3;
  int64_t sizes[] = {int64_t(units.size()), 8}, strides[] = {8, 1};
  HostArgument arguments[] = {HostArray{problem, 64, 1, &six, &one},
                              HostArray{counts, 64, 1, &three, &one},
                              HostArray{units.data(), 64, 2, sizes, strides}};
  llvm::Error error = engine->invoke("units", arguments);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  grid = counts[0];
  slots = counts[1];
  ASSERT_LE(counts[2], int64_t(units.size()));
  units.resize(counts[2]);
}

TEST_P(ScheduleEmission, IsTheArithmeticOfTheLibrary) {
  std::mt19937 random(7);
  int64_t parts = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    s::TileSpace space = {int64_t(random() % 9), int64_t(random() % 9),
                          int64_t(1 + random() % 3), int64_t(random() % 20)};
    const s::Raster &raster = GetParam().raster;
    int64_t workers = 1 + random() % (trial % 2 ? 8 : 140);
    auto scheduler = schedule.makeScheduler(space, raster, workers);
    run(space, 0, workers);
    ASSERT_EQ(grid, scheduler->gridSize());
    if (schedule.getNumParts() == 1)
      ASSERT_EQ(slots, scheduler->slotCount());
    for (int64_t worker = 0; worker < grid; ++worker) {
      // What a kernel knows is how many workers there are.
      run(space, worker, grid);
      std::vector<int64_t> wanted = scheduler->unitsOf(worker);
      ASSERT_EQ(units.size(), wanted.size());
      for (auto [got, number] : llvm::zip_equal(units, wanted)) {
        s::WorkUnit unit = scheduler->unit(number);
        Row row = {unit.tile.m, unit.tile.n, unit.tile.batch, unit.kBegin,
                   unit.kEnd};
        row[2] += number / std::max<int64_t>(space.tiles(), 1) * space.batches *
                  (schedule.getNumParts() > 1);
        if (schedule.splitsK()) {
          s::Contributors contributors = scheduler->contributors(unit.tile);
          bool isPart = contributors.count > 1;
          // A whole tile has no place.
          row[5] = isPart ? unit.slot : got[5];
          row[6] = isPart ? contributors.first : got[6];
          row[7] = contributors.count;
          parts += isPart;
        }
        ASSERT_EQ(got, row);
      }
    }
  }
  EXPECT_EQ(GetParam().divides, parts > 1000);
}

// Positions in the row of all iterations do not fit 32 bits.
TEST_P(ScheduleEmission, CountsManyIterations) {
  s::TileSpace space = {10, 20, 1, int64_t(1) << 25};
  auto scheduler = schedule.makeScheduler(space, GetParam().raster, 132);
  for (int64_t worker : {0, 1, 77, 131}) {
    run(space, worker, 132);
    std::vector<int64_t> wanted = scheduler->unitsOf(worker);
    ASSERT_EQ(units.size(), wanted.size());
    for (auto [got, number] : llvm::zip_equal(units, wanted)) {
      s::WorkUnit unit = scheduler->unit(number);
      ASSERT_EQ(got[3], unit.kBegin);
      ASSERT_EQ(got[4], unit.kEnd);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, ScheduleEmission,
    testing::Values(
        Schedule{"DataParallel", "#cutl.data_parallel", {true, 8}, false},
        Schedule{"StreamK", "#cutl.stream_k", {true, 3}, true},
        Schedule{"StreamKNone", "#cutl.stream_k<tiles = 0>", {true, 3}, false},
        Schedule{"StreamKSome", "#cutl.stream_k<tiles = 17>", {false, 2}, true},
        Schedule{"StreamKAll", "#cutl.stream_k<tiles = 1000>", {true, 1}, true},
        Schedule{"StreamKInArrivalOrder",
                 "#cutl.stream_k<reduction = arrival_order>",
                 {true, 3},
                 true},
        Schedule{"SplitK", "#cutl.split_k<3>", {true, 3}, false},
        Schedule{"SplitKMeeting",
                 "#cutl.split_k<3, reduction = last_arriver>",
                 {true, 3},
                 true},
        Schedule{"SplitKMeetingAlone",
                 "#cutl.split_k<1, reduction = last_arriver>",
                 {true, 3},
                 false},
        Schedule{"SplitKAtATurnstile",
                 "#cutl.split_k<3, reduction = turnstile>",
                 {true, 2},
                 true},
        Schedule{"SplitKInArrivalOrder",
                 "#cutl.split_k<4, reduction = arrival_order>",
                 {false, 2},
                 true}),
    [](const auto &info) { return info.param.name; });
