//===- Machine.cpp - The instructions that warps share --------------------===//

#include "Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace cutltest;
using namespace mlir;

Machine::Machine(const LaunchInfo &launch, const SimtProgram &program)
    : launch(launch), shared(launch.ctas),
      sums(launch.ctas, launch.ctas * getWarpsPerCta()),
      clusters(launch.ctas / launch.clusterSize),
      workspace(launch.ctas * getWarpsPerCta(), launch.partialBytes,
                launch.counterBytes) {
  for (int64_t cta = 0; cta < launch.ctas; ++cta)
    for (int64_t number = 0; number < getWarpsPerCta(); ++number)
      warps.push_back({Warp(program, launch.parameters), cta, number});
}

void Machine::checkFullWarp(WarpState &state) {
  if (state.warp.getMask() != ~Mask(0))
    fail("an instruction of the whole warp runs in a part of it");
}

bool Machine::hasEnded(int64_t cta) const {
  return llvm::all_of(warps, [&](const WarpState &warp) {
    return warp.hasFinished || warp.cta != cta;
  });
}

bool Machine::step(size_t number) {
  WarpState &state = warps[number];
  const Instruction *instruction = state.warp.advance();
  if (!instruction) {
    fail(state.warp.getError());
    state.hasFinished = true;
    if (!state.products.empty())
      fail("a warp ends while its products are not complete");
    if (hasEnded(state.cta) && !shared[state.cta].stores.empty())
      fail("a CTA ends while its staging buffers are copied");
    return true;
  }
  bool done = execute(state, *instruction);
  if (!error.empty() && error.find(" (") == std::string::npos)
    error += " (CTA " + std::to_string(state.cta) + ", warp " +
             std::to_string(state.number) + ", at " +
             instruction->op->getName().getStringRef().str() + ")";
  if (done)
    state.warp.retire();
  return done;
}

void Machine::finish() {
  std::string blocked;
  for (WarpState &state : warps) {
    if (state.hasFinished)
      continue;
    const Instruction *instruction = state.warp.advance();
    blocked += "\n  CTA " + std::to_string(state.cta) + ", warp " +
               std::to_string(state.number) + " at " +
               instruction->op->getName().getStringRef().str();
    if (isa<LLVM::InlineAsmOp>(instruction->op)) {
      int64_t address = state.warp.getUniform(instruction->operands[0]);
      blocked += " on " + std::to_string(address) + ": " +
                 shared[state.cta].mbarriers[address].print();
    }
  }
  if (!blocked.empty())
    fail("deadlock (" + blocked + ")");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// The first time, the warp has just arrived and `generation` is still open.
bool Machine::waitAtBarrier(WarpState &state, uint64_t generation) {
  if (generation <= *state.waitsFor)
    return false;
  state.waitsFor.reset();
  return true;
}

void Machine::arriveRemote(WarpState &state, const Instruction &instruction) {
  int64_t first = state.cta / launch.clusterSize * launch.clusterSize;
  forEachLane(state, [&](unsigned lane) {
    int64_t address = state.warp.get(instruction.operands[0])[lane];
    int64_t rank = state.warp.get(instruction.operands[1])[lane];
    if (rank < 0 || rank >= launch.clusterSize)
      return fail("arrival at a CTA that the cluster does not have");
    if (hasEnded(first + rank))
      return fail("arrival at a CTA that has ended");
    fail(shared[first + rank].mbarriers[address].arrive(0));
  });
}

bool Machine::executeText(WarpState &state, const Instruction &instruction,
                          StringRef text) {
  if (text.contains("mbarrier.try_wait.parity")) {
    int64_t address = state.warp.getUniform(instruction.operands[0]);
    int64_t parity = state.warp.getUniform(instruction.operands[1]);
    Mbarrier &barrier = shared[state.cta].mbarriers[address];
    if (!barrier.isInitialised())
      fail("a wait at a barrier that is not initialised");
    if (parity != 0 && parity != 1)
      fail("a wait for parity " + std::to_string(parity));
    bool isOver = barrier.hasCompleted(parity);
    if (isOver && text.contains("acquire.cluster"))
      sums.acquire(getIndex(state));
    return isOver;
  }
  if (text.contains("mapa.shared::cluster")) {
    if (text.contains("release.cluster"))
      sums.publish(state.cta);
    arriveRemote(state, instruction);
    return true;
  }
  if (text == "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};") {
    addVector(state, instruction);
    return true;
  }
  if (text.contains("ld.acquire.gpu.global.b32"))
    return waitForTurn(state, instruction);
  // It ties accumulators to the wait before it.
  if (text.contains("wgmma.wait_group.sync.aligned 0")) {
    if (!waitForProducts(state, 0))
      return false;
    setAccumulators(state, instruction);
    return true;
  }
  fail("no model of inline PTX: " + text.str());
  return true;
}

/// The first time it arrives; then it waits until all others have.
bool Machine::vote(WarpState &state, const Instruction &instruction) {
  checkFullWarp(state);
  int64_t id = state.warp.getUniform(instruction.operands[0]);
  NamedBarrier &barrier = shared[state.cta].namedBarriers[id];
  if (!state.waitsFor) {
    bool any = false;
    forEachLane(state, [&](unsigned lane) {
      any |= state.warp.get(instruction.operands[2])[lane] & 1;
    });
    state.waitsFor = barrier.getGeneration();
    fail(barrier.arrive(state.warp.getUniform(instruction.operands[1]), any));
  }
  if (!waitAtBarrier(state, barrier.getGeneration()))
    return false;
  forEachLane(state, [&](unsigned lane) {
    state.warp.set(instruction.results[0], lane, barrier.getVote());
  });
  return true;
}

void Machine::write(WarpState &state, unsigned reg, unsigned lanes,
                    int64_t bytes) {
  forEachLane(state, [&](unsigned lane) {
    int64_t begin = state.warp.get(reg)[lane];
    if (lane < lanes)
      fail(shared[state.cta].write({begin, begin + bytes}));
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<int64_t, 5> Machine::readOperand(WarpState &state,
                                             const Operand &operand,
                                             unsigned &parameter) {
  // Bytes of a row of a swizzled box, and of eight rows.
  constexpr int64_t kSpan = 128, kGroup = 8 * kSpan;
  auto field = [&](unsigned shift) {
    return ((operand.descriptor >> shift) & 0x3fff) << 4;
  };
  int64_t address = field(0), leading = field(16), stride = field(32);
  SharedMemory &memory = shared[state.cta];
  SmallVector<int64_t, 5> first;
  // Reads eight rows of a box at `at`, which must start `inner` and `outer`
  // elements from the first ones.
  auto read = [&](int64_t at, int64_t inner, int64_t outer) {
    int64_t line = at / kSpan * kSpan;
    const Box *box = memory.find({line, line + kGroup});
    if (!box)
      return fail("products read at " + std::to_string(at) +
                  ", where no complete box lies");
    const TensorMapInfo &map = launch.maps.at(box->parameter);
    SmallVector<int64_t, 5> start = box->start;
    int64_t offset = at - box->range.begin;
    start[0] += offset % kSpan / map.elementBytes;
    start[1] += offset / kSpan;
    if (first.empty()) {
      first = start;
      parameter = box->parameter;
    }
    SmallVector<int64_t, 5> wanted = first;
    wanted[0] += inner;
    wanted[1] += outer;
    if (start != wanted || box->parameter != parameter)
      return fail("an operand of a product is in parts of several tiles");
    // Per warp: a copy must wait for all of them.
    memory.products.push_back(
        {box->range, unsigned(state.getGroup()), state.committedProducts});
  };

  if (operand.kMajor)
    for (int64_t row = 0; row < operand.extent; row += 8)
      read(address + row / 8 * stride, 0, row);
  else
    for (int64_t row = 0; row < operand.extent; row += 64)
      for (int64_t k = 0; k < operand.depth; k += 8)
        read(address + row / 64 * leading + k / 8 * stride, row, k);

  SmallVector<int64_t, 5> start(launch.domainRank, -1);
  if (first.empty())
    return start;
  for (auto [dim, element] :
       llvm::zip_equal(launch.maps.at(parameter).dims, first))
    start[dim] = element;
  return start;
}

void Machine::multiply(WarpState &state, const Instruction &instruction,
                       NVVM::WgmmaMmaAsyncOp op) {
  checkFullWarp(state);
  Operand left, right;
  left.descriptor = state.warp.getUniform(instruction.operands[1]);
  right.descriptor = state.warp.getUniform(instruction.operands[2]);
  left.kMajor = op.getLayoutA() == NVVM::MMALayout::row;
  right.kMajor = op.getLayoutB() == NVVM::MMALayout::col;
  left.extent = op.getShape().getM();
  right.extent = op.getShape().getN();
  left.depth = right.depth = op.getShape().getK();
  // The first product of a tile, and no other, forgets what was there.
  bool overwrites = op.getScaleD() == NVVM::WGMMAScaleOut::zero;
  Product product;
  product.leftStart = readOperand(state, left, product.left);
  product.rightStart = readOperand(state, right, product.right);
  int64_t k = launch.domainRank - 1;
  bool isFirst = state.products.empty() ||
                 state.products.front().leftStart[k] == product.leftStart[k];
  if (isFirst != overwrites)
    fail("accumulators start at zero at another step than the first");
  state.products.push_back(product);
}

/// Groups that all four warps have issued complete for all of them.
bool Machine::waitForProducts(WarpState &state, uint64_t pending) {
  checkFullWarp(state);
  uint64_t wanted =
      state.committedProducts > pending ? state.committedProducts - pending : 0;
  for (const WarpState &other : warps)
    if (other.cta == state.cta && other.getGroup() == state.getGroup() &&
        other.committedProducts < wanted)
      return false;
  llvm::erase_if(shared[state.cta].products, [&](const Reader &reader) {
    return reader.who == state.getGroup() && reader.group < wanted;
  });
  if (pending == 0 && !state.products.empty()) {
    tiles[{state.cta, state.number}].push_back(std::move(state.products));
    state.products.clear();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

bool Machine::execute(WarpState &state, const Instruction &instruction) {
  Warp &warp = state.warp;
  SharedMemory &memory = shared[state.cta];
  auto setAll = [&](auto value) {
    forEachLane(state, [&](unsigned lane) {
      warp.set(instruction.results[0], lane, value(lane));
    });
    return true;
  };
  auto atBarrier = [&](auto function) {
    forEachLane(state, [&](unsigned lane) {
      fail(function(memory.mbarriers[warp.get(instruction.operands[0])[lane]],
                    lane));
    });
    return true;
  };
  auto operand = [&](unsigned i) {
    return warp.getUniform(instruction.operands[i]);
  };

  return llvm::TypeSwitch<Operation *, bool>(instruction.op)
      .Case([&](NVVM::ThreadIdXOp) {
        return setAll([&](unsigned lane) { return getThread(state, lane); });
      })
      .Case([&](NVVM::BlockIdXOp) {
        return setAll([&](unsigned) { return state.cta; });
      })
      .Case([&](NVVM::GridDimXOp) {
        return setAll([&](unsigned) { return launch.ctas; });
      })
      .Case([&](NVVM::ClusterId) {
        return setAll([&](unsigned) { return state.cta % launch.clusterSize; });
      })
      .Case([&](NVVM::MBarrierInitOp) {
        return atBarrier([&](Mbarrier &barrier, unsigned lane) {
          return barrier.init(warp.get(instruction.operands[1])[lane]);
        });
      })
      .Case([&](NVVM::MBarrierArriveOp op) {
        if (op.getCount())
          fail("no model of an arrival with a count");
        return atBarrier(
            [](Mbarrier &barrier, unsigned) { return barrier.arrive(0); });
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp) {
        return atBarrier([&](Mbarrier &barrier, unsigned lane) {
          return barrier.arrive(warp.get(instruction.operands[1])[lane]);
        });
      })
      .Case([&](NVVM::BarrierOp op) {
        checkFullWarp(state);
        int64_t id = op.getBarrierId() ? operand(0) : 0;
        NamedBarrier &barrier = memory.namedBarriers[id];
        if (!state.waitsFor) {
          state.waitsFor = barrier.getGeneration();
          sums.meet(state.cta, getIndex(state));
          fail(barrier.arrive(op.getNumberOfThreads() ? operand(1)
                                                      : launch.threads));
        }
        return waitAtBarrier(state, barrier.getGeneration());
      })
      .Case([&](NVVM::BarrierArriveOp) {
        checkFullWarp(state);
        fail(memory.namedBarriers[operand(0)].arrive(operand(1)));
        return true;
      })
      .Case([&](NVVM::ClusterArriveOp) {
        checkFullWarp(state);
        Cluster &cluster = clusters[state.cta / launch.clusterSize];
        state.waitsFor = cluster.generation;
        if (++cluster.arrived == launch.clusterSize * getWarpsPerCta()) {
          cluster.arrived = 0;
          ++cluster.generation;
        }
        return true;
      })
      .Case([&](NVVM::ClusterWaitOp) {
        return waitAtBarrier(
            state, clusters[state.cta / launch.clusterSize].generation);
      })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
        load(state, instruction, op);
        return true;
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) {
        store(state, instruction, op);
        return true;
      })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp) {
        ++state.committedStores;
        return true;
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp op) {
        // Groups are numbered from 0 as they are committed.
        unsigned self = &state - warps.data();
        return llvm::none_of(memory.stores, [&](const Reader &reader) {
          return reader.who == self &&
                 reader.group + op.getGroup() < state.committedStores;
        });
      })
      .Case([&](NVVM::WgmmaMmaAsyncOp op) {
        multiply(state, instruction, op);
        return true;
      })
      .Case([&](NVVM::WgmmaGroupSyncAlignedOp) {
        ++state.committedProducts;
        return true;
      })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp op) {
        return waitForProducts(state, op.getGroup());
      })
      .Case([&](NVVM::StMatrixOp op) {
        write(state, instruction.operands[0], 8 * op.getSources().size(), 16);
        return true;
      })
      .Case([&](LLVM::StoreOp op) {
        constexpr unsigned kShared = 3;
        bool isVector = isWorkspaceVector(op.getValue().getType());
        bool isShared = cast<LLVM::LLVMPointerType>(op.getAddr().getType())
                            .getAddressSpace() == kShared;
        if (isShared && isVector)
          storeSums(state, instruction);
        else if (isShared && isTicket(state, instruction.operands[1]))
          storeTicket(state, instruction);
        else if (isShared)
          write(state, instruction.operands[1], kLanes, *op.getAlignment());
        else if (isVector)
          storeVector(state, instruction);
        return true;
      })
      .Case([&](LLVM::LoadOp op) {
        constexpr unsigned kSharedCluster = 7;
        if (cast<LLVM::LLVMPointerType>(op.getAddr().getType())
                .getAddressSpace() == kSharedCluster)
          loadSums(state, instruction);
        else if (op.getType().isInteger(32))
          loadTicket(state, instruction);
        else
          loadVector(state, instruction);
        return true;
      })
      .Case([&](LLVM::FenceOp) {
        workspace.fence(getIndex(state));
        return true;
      })
      .Case([&](LLVM::AtomicRMWOp op) {
        if (op.getBinOp() != LLVM::AtomicBinOp::add)
          fail("no model of an atomic operation that does not add");
        count(state, instruction);
        return true;
      })
      .Case([&](LLVM::CallIntrinsicOp op) {
        if (op.getIntrin() == "llvm.nvvm.barrier.cta.red.or.aligned.count")
          return vote(state, instruction);
        fail("no model of " + op.getIntrin().str());
        return true;
      })
      .Case([&](arith::NegFOp) {
        negated[{state.cta, state.number}].push_back(
            warp.get(instruction.operands[0]));
        return setAll([](unsigned) { return 0; });
      })
      .Case([&](LLVM::InlineAsmOp op) {
        return executeText(state, instruction, op.getAsmString());
      })
      .Case<NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp,
            NVVM::GriddepcontrolOp, NVVM::PrefetchOp, NVVM::SetMaxRegisterOp,
            NVVM::WgmmaFenceAlignedOp>([](auto) { return true; })
      .Default([&](Operation *op) {
        fail("no model of '" + op->getName().getStringRef().str() + "'");
        return true;
      });
}
