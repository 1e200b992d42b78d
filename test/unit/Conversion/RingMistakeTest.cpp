//===- RingMistakeTest.cpp - Protocols with a mistake are noticed ---------===//
//
// Each kernel is right, then gets one mistake, which some order of warps and
// copies must bring to light.
//
//===----------------------------------------------------------------------===//

#include "Simulator/RingProtocol.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "gtest/gtest.h"

using namespace cutltest;
using namespace mlir;

/// Whether an op belongs to the producer.
static bool isOfProducer(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    bool loads = false;
    parent->walk([&](NVVM::MBarrierArriveExpectTxOp) { loads = true; });
    bool multiplies = false;
    parent->walk([&](NVVM::WgmmaMmaAsyncOp) { multiplies = true; });
    if (multiplies)
      return false;
    if (loads)
      return true;
  }
  return false;
}

static std::optional<int64_t> getConstant(Value value) {
  auto constant = value ? value.getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!constant)
    return std::nullopt;
  return cast<IntegerAttr>(constant.getValue()).getInt();
}

template <typename Op>
static std::vector<Op> collect(LLVM::LLVMFuncOp kernel,
                               llvm::function_ref<bool(Op)> filter) {
  std::vector<Op> ops;
  kernel.walk([&](Op op) {
    if (filter(op))
      ops.push_back(op);
  });
  return ops;
}

template <typename Op>
static size_t eraseAll(LLVM::LLVMFuncOp kernel,
                       llvm::function_ref<bool(Op)> filter) {
  std::vector<Op> ops = collect<Op>(kernel, filter);
  for (Op op : ops)
    op.erase();
  return ops.size();
}

static bool isWait(LLVM::InlineAsmOp op) {
  return op.getAsmString().contains("try_wait");
}

/// Whether an op publishes to the cluster, or waits for what others published.
static bool isPublication(LLVM::InlineAsmOp op) {
  return op.getAsmString().contains("release.cluster");
}
static bool isAcquisition(LLVM::InlineAsmOp op) {
  return op.getAsmString().contains("acquire.cluster");
}

/// Keeps the parity where the ring wraps around.
static size_t dropParityFlip(LLVM::LLVMFuncOp kernel, bool ofProducer) {
  auto flips = collect<arith::SelectOp>(kernel, [&](arith::SelectOp op) {
    auto flip = op.getTrueValue().getDefiningOp<arith::XOrIOp>();
    return flip && flip.getLhs() == op.getFalseValue() &&
           isOfProducer(op) == ofProducer;
  });
  for (arith::SelectOp op : flips)
    op.replaceAllUsesWith(op.getFalseValue());
  return flips.size();
}

/// Changes how many arrivals release a stage.
static size_t changeReleaseCount(LLVM::LLVMFuncOp kernel, int64_t by) {
  auto all = collect<NVVM::MBarrierInitOp>(
      kernel, [](NVVM::MBarrierInitOp) { return true; });
  // Full barriers come first, as many as empty ones.
  for (size_t i = all.size() / 2; i < all.size(); ++i) {
    OpBuilder builder(all[i]);
    int64_t count = *getConstant(all[i].getCount());
    all[i].getCountMutable().assign(arith::ConstantOp::create(
        builder, all[i].getLoc(), builder.getI32IntegerAttr(count + by)));
  }
  return all.size() / 2;
}

/// Whether an op adds to partial results.
static bool isAddition(LLVM::InlineAsmOp op) {
  return op.getAsmString().starts_with("red.");
}

static size_t eraseFences(LLVM::LLVMFuncOp kernel) {
  return eraseAll<LLVM::FenceOp>(kernel, [](LLVM::FenceOp) { return true; });
}

/// Erases the barrier between the warps' stores and the leader's count.
static size_t countEarly(LLVM::LLVMFuncOp kernel) {
  return eraseAll<NVVM::BarrierOp>(kernel, [](NVVM::BarrierOp op) {
    Operation *leader = op->getNextNode();
    while (leader && !isa<scf::IfOp, NVVM::BarrierOp>(leader))
      leader = leader->getNextNode();
    bool counts = false;
    if (leader)
      leader->walk([&](LLVM::AtomicRMWOp) { counts = true; });
    return counts;
  });
}

/// Whether an op waits for the turn of a part of k.
static bool isTurn(LLVM::InlineAsmOp op) {
  return op.getAsmString().contains("ld.acquire.gpu");
}

/// Whether an op draws the number of a CTA.
static bool isDraw(LLVM::AtomicRMWOp op) { return !op->use_empty(); }

/// The fences before what a turn reads, or behind what it stores.
static size_t eraseFencesOfTurns(LLVM::LLVMFuncOp kernel, bool ofReads) {
  return eraseAll<LLVM::FenceOp>(kernel, [&](LLVM::FenceOp op) {
    bool follows = false;
    for (Operation *other = op; (other = other->getPrevNode());)
      if (auto leader = dyn_cast<scf::IfOp>(other))
        leader->walk([&](LLVM::InlineAsmOp op) { follows |= isTurn(op); });
    return follows == ofReads;
  });
}

/// Has an op access what lies so many bytes behind its address, the first
/// operand.
static void moveAddress(Operation *op, int32_t bytes) {
  OpBuilder builder(op);
  Value address = op->getOperand(0);
  op->setOperand(0,
                 LLVM::GEPOp::create(builder, op->getLoc(), address.getType(),
                                     builder.getI8Type(), address,
                                     ArrayRef<LLVM::GEPArg>{bytes}));
}

static size_t countNothing(LLVM::LLVMFuncOp kernel) {
  auto counts = collect<LLVM::AtomicRMWOp>(
      kernel, [](LLVM::AtomicRMWOp) { return true; });
  for (LLVM::AtomicRMWOp op : counts) {
    OpBuilder builder(op);
    op.getValMutable().assign(arith::ConstantOp::create(
        builder, op.getLoc(), builder.getI32IntegerAttr(0)));
  }
  return counts.size();
}

namespace {

struct Mistake {
  const char *name;
  Case test;
  /// Makes the mistake and returns at how many places.
  size_t (*make)(LLVM::LLVMFuncOp kernel);
  /// What some run must say.
  const char *says = "";
};

void PrintTo(const Mistake &mistake, std::ostream *os) {
  *os << mistake.test.config;
}

class RingMistake : public testing::TestWithParam<Mistake> {};

} // namespace

TEST_P(RingMistake, IsNoticed) {
  Protocol protocol(GetParam().test);
  ASSERT_TRUE(protocol.isValid());
  constexpr uint64_t kSeeds = 20;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    ASSERT_EQ(protocol.run(seed), "");
  ASSERT_NE(GetParam().make(protocol.getKernel()), 0u);
  uint64_t noticed = 0, said = 0;
  std::string first;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string wrong = protocol.run(seed);
    noticed += !wrong.empty();
    said += wrong.find(GetParam().says) != std::string::npos;
    if (first.empty())
      first = wrong;
  }
  EXPECT_GT(noticed, 0u) << "the mistake was not noticed";
  EXPECT_GT(said, 0u) << "no run said " << GetParam().says << ", but " << first;
  RecordProperty("noticed", int(noticed));
  RecordProperty("said", first);
}

static std::vector<Mistake> getMistakes() {
  Case single = {"",
                 "cta = [64, 64, 64], stages = 3, kernel = single",
                 {130, 130, 400},
                 1};
  Case cooperative = {"",
                      "cta = [128, 64, 64], stages = 3, kernel = cooperative",
                      {300, 130, 400},
                      1};
  Case pingpong = {"",
                   "cta = [64, 64, 64], stages = 2, kernel = pingpong",
                   {200, 130, 256},
                   1};
  Case cluster = {
      "",
      "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [2, 1]",
      {300, 200, 300},
      2};
  Case shared = {"",
                 "cta = [64, 64, 64], stages = 3, kernel = single",
                 {64, 128, 500},
                 5};
  Case parts = shared, added = shared, turns = shared;
  turns.schedule = "#cutl.split_k<3, reduction = turnstile>";
  shared.schedule = "#cutl.stream_k";
  parts.schedule = "#cutl.split_k<3, reduction = last_arriver>";
  added.schedule = "#cutl.split_k<3, reduction = arrival_order>";
  Case divided = {"",
                  "cta = [128, 64, 64], stages = 3, kernel = cooperative, "
                  "cluster = [1, 1, 2]",
                  {300, 64, 300},
                  2};
  return {
      {"RingFilledBeforeSumsAreRead", divided,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isAcquisition(op) && isOfProducer(op);
         });
       }},
      {"SumsReadBeforeTheyAreThere", divided,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isAcquisition(op) && !isOfProducer(op);
         });
       }},
      {"SumsStoredWhileOthersMultiply", divided,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::BarrierOp>(kernel, [](NVVM::BarrierOp op) {
           return getConstant(op.getNumberOfThreads()) == 256;
         });
       }},
      {"SumsPublishedBeforeAllHaveStored", divided,
       [](LLVM::LLVMFuncOp kernel) {
         // The barrier between the warps' stores and the arrivals.
         return eraseAll<NVVM::BarrierOp>(kernel, [](NVVM::BarrierOp op) {
           Operation *arrivals = op->getNextNode();
           while (arrivals && !isa<scf::IfOp, NVVM::BarrierOp>(arrivals))
             arrivals = arrivals->getNextNode();
           bool publishes = false;
           if (arrivals)
             arrivals->walk(
                 [&](LLVM::InlineAsmOp op) { publishes |= isPublication(op); });
           Operation *before = op->getPrevNode();
           while (before && isa<arith::ArithDialect>(before->getDialect()))
             before = before->getPrevNode();
           return publishes && isa_and_nonnull<LLVM::StoreOp>(before);
         });
       }},
      {"SumsArePlainArrivals", divided,
       [](LLVM::LLVMFuncOp kernel) {
         auto arrivals = collect<LLVM::InlineAsmOp>(kernel, isPublication);
         for (LLVM::InlineAsmOp op : arrivals)
           op.setAsmString("mapa.shared::cluster; mbarrier.arrive");
         return arrivals.size();
       }},
      {"NoFenceOfPartials", shared, eraseFences},
      {"NoFenceOfParts", parts, eraseFences},
      {"NoFenceOfAdditions", added, eraseFences},
      {"CountedBeforeAllHaveStored", shared, countEarly},
      {"CountedBeforeAllPartsAreStored", parts, countEarly},
      {"CountedBeforeAllHaveAdded", added, countEarly},
      {"ArrivalsAreNotCounted", shared, countNothing},
      {"PartsAreNotCounted", parts, countNothing},
      {"AdditionsAreNotCounted", added, countNothing},
      {"NoFenceOfTurns", turns, eraseFences},
      {"TurnsAreNotCounted", turns,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::AtomicRMWOp>(
             kernel, [](LLVM::AtomicRMWOp op) { return !isDraw(op); });
       },
       "deadlock"},
      {"TurnsAreNotWaitedFor", turns,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, isTurn);
       }},
      {"NoFenceBeforeTurnsRead", turns,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseFencesOfTurns(kernel, /*ofReads=*/true);
       },
       "without a fence"},
      {"NoFenceOnceTurnsHaveStored", turns,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseFencesOfTurns(kernel, /*ofReads=*/false);
       },
       "not published"},
      {"TurnsAreThoseOfThePartAfter", turns,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<LLVM::InlineAsmOp>(kernel, isTurn);
         for (LLVM::InlineAsmOp op : waits) {
           OpBuilder builder(op);
           Value one = arith::ConstantOp::create(builder, op.getLoc(),
                                                 builder.getI32IntegerAttr(1));
           op->setOperand(1, arith::AddIOp::create(builder, op.getLoc(),
                                                   op->getOperand(1), one));
         }
         return waits.size();
       },
       "deadlock"},
      {"TurnsAreThoseOfAnotherTile", turns,
       [](LLVM::LLVMFuncOp kernel) {
         auto counts = collect<LLVM::AtomicRMWOp>(
             kernel, [](LLVM::AtomicRMWOp op) { return !isDraw(op); });
         for (LLVM::AtomicRMWOp op : counts)
           moveAddress(op, 4);
         return counts.size();
       }},
      {"TurnsAddOtherRows", turns,
       [](LLVM::LLVMFuncOp kernel) {
         // The next thread's.
         auto loads = collect<LLVM::LoadOp>(kernel, [](LLVM::LoadOp op) {
           return isa<VectorType>(op.getType());
         });
         for (LLVM::LoadOp op : loads)
           moveAddress(op, 16);
         return loads.size();
       }},
      {"TurnsAddNothing", turns,
       [](LLVM::LLVMFuncOp kernel) {
         auto sums = collect<arith::AddFOp>(kernel, [](arith::AddFOp op) {
           return op.getLhs().getDefiningOp<LLVM::ExtractElementOp>();
         });
         for (arith::AddFOp op : sums)
           op.replaceAllUsesWith(op.getRhs());
         return sums.size();
       },
       "do not reach the epilogue in their order"},
      {"TurnsAreCountedBeforeAllHaveStored", turns, countEarly},
      {"NumbersAreThoseOfBlocks", turns,
       [](LLVM::LLVMFuncOp kernel) {
         // What runs at once may wait for a CTA that has not started.
         auto draws = collect<LLVM::AtomicRMWOp>(kernel, isDraw);
         for (LLVM::AtomicRMWOp op : draws) {
           OpBuilder builder(op->getContext());
           builder.setInsertionPointAfter(op);
           op.replaceAllUsesWith(NVVM::BlockIdXOp::create(builder, op.getLoc(),
                                                          builder.getI32Type())
                                     .getResult());
         }
         return draws.size();
       },
       "deadlock"},
      {"NumbersAreReadBeforeTheyAreDrawn", turns,
       [](LLVM::LLVMFuncOp kernel) {
         // The barrier of the CTA behind the draw.
         return eraseAll<NVVM::BarrierOp>(kernel, [](NVVM::BarrierOp op) {
           auto draw = dyn_cast_or_null<scf::IfOp>(op->getPrevNode());
           bool draws = false;
           if (draw)
             draw->walk([&](LLVM::AtomicRMWOp op) { draws |= isDraw(op); });
           return draws && !op.getBarrierId();
         });
       }},
      {"AdditionsAreLeftOut", added,
       [](LLVM::LLVMFuncOp kernel) {
         auto additions = collect<LLVM::InlineAsmOp>(
             kernel, [](LLVM::InlineAsmOp op) { return isAddition(op); });
         additions.back().erase();
         return additions.size();
       }},
      {"AddedToOtherRows", added,
       [](LLVM::LLVMFuncOp kernel) {
         // The next thread's.
         auto additions = collect<LLVM::InlineAsmOp>(
             kernel, [](LLVM::InlineAsmOp op) { return isAddition(op); });
         for (LLVM::InlineAsmOp op : additions)
           moveAddress(op, 16);
         return additions.size();
       }},
      {"NoPingpongOrder", pingpong,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::BarrierOp>(
                    kernel,
                    [](NVVM::BarrierOp op) {
                      return getConstant(op.getNumberOfThreads()) == 256;
                    }) +
                eraseAll<NVVM::BarrierArriveOp>(
                    kernel, [](NVVM::BarrierArriveOp) { return true; });
       }},
      {"PingpongOrderNotPrimed", pingpong,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::BarrierArriveOp>(
             kernel, [](NVVM::BarrierArriveOp op) {
               return getConstant(op.getBarrierId()).has_value();
             });
       }},
      {"ReleasedByOneOfTwo", cooperative,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, -1); }},
      {"ReleasedByThreeOfTwo", cooperative,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, 1); }},
      {"ReleasedByTwoOfOne", pingpong,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, 1); }},
      {"ReleasedByOneOfTwoCtas", cluster,
       [](LLVM::LLVMFuncOp kernel) { return changeReleaseCount(kernel, -1); }},
      {"NoParityFlipOfProducer", single,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, true); }},
      {"NoParityFlipOfConsumer", single,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, false); }},
      {"NoParityFlipInPingpong", pingpong,
       [](LLVM::LLVMFuncOp kernel) { return dropParityFlip(kernel, false); }},
      {"NeverReleased", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<NVVM::MBarrierArriveOp>(
             kernel, [](NVVM::MBarrierArriveOp) { return true; });
       }},
      {"ProducerDoesNotWait", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isWait(op) && isOfProducer(op);
         });
       }},
      {"ConsumerDoesNotWait", single,
       [](LLVM::LLVMFuncOp kernel) {
         return eraseAll<LLVM::InlineAsmOp>(kernel, [](LLVM::InlineAsmOp op) {
           return isWait(op) && !isOfProducer(op);
         });
       }},
      {"ReleasedBeforeItIsRead", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::WgmmaWaitGroupSyncOp>(
             kernel,
             [](NVVM::WgmmaWaitGroupSyncOp op) { return op.getGroup() == 1; });
         for (NVVM::WgmmaWaitGroupSyncOp op : waits)
           op.setGroup(2);
         return waits.size();
       }},
      {"TooFewBytes", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto arrivals = collect<NVVM::MBarrierArriveExpectTxOp>(
             kernel, [](NVVM::MBarrierArriveExpectTxOp) { return true; });
         for (NVVM::MBarrierArriveExpectTxOp op : arrivals) {
           OpBuilder builder(op);
           op.getTxcountMutable().assign(arith::ConstantOp::create(
               builder, op.getLoc(),
               builder.getI32IntegerAttr(*getConstant(op.getTxcount()) / 2)));
         }
         return arrivals.size();
       }},
      {"StagingIsReusedTooEarly", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::CpAsyncBulkWaitGroupOp>(
             kernel, [](NVVM::CpAsyncBulkWaitGroupOp) { return true; });
         // The last is that of the kernel's end.
         waits.pop_back();
         for (NVVM::CpAsyncBulkWaitGroupOp op : waits)
           op.erase();
         return waits.size();
       }},
      {"EndsBeforeItIsStored", single,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::CpAsyncBulkWaitGroupOp>(
             kernel, [](NVVM::CpAsyncBulkWaitGroupOp) { return true; });
         waits.back().erase();
         return waits.size();
       }},
      {"ClusterStartsTooEarly", cluster,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::ClusterWaitOp>(
             kernel, [](NVVM::ClusterWaitOp) { return true; });
         waits.front().erase();
         return waits.size();
       }},
      {"ClusterEndsTooEarly", cluster,
       [](LLVM::LLVMFuncOp kernel) {
         auto waits = collect<NVVM::ClusterWaitOp>(
             kernel, [](NVVM::ClusterWaitOp) { return true; });
         waits.back().erase();
         return waits.size();
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Mistakes, RingMistake,
                         testing::ValuesIn(getMistakes()),
                         [](const auto &info) { return info.param.name; });
