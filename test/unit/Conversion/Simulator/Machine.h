//===- Machine.h - The instructions that warps share --------------*- C++
//-*-===//

#ifndef CUTL_TEST_UNIT_CONVERSION_SIMULATOR_MACHINE_H
#define CUTL_TEST_UNIT_CONVERSION_SIMULATOR_MACHINE_H

#include "KernelSimulator.h"
#include "SharedMemory.h"
#include "SharedSums.h"
#include "Warp.h"
#include "Workspace.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <optional>
#include <random>

namespace cutltest {

class Machine {
public:
  Machine(const LaunchInfo &launch, const SimtProgram &program);

  size_t getNumWarps() const { return warps.size(); }
  bool hasFinished(size_t warp) const { return warps[warp].hasFinished; }
  int64_t getCta(size_t warp) const { return warps[warp].cta; }
  bool hasEnded(int64_t cta) const;
  /// Runs a warp up to and through its next instruction of the machine; false
  /// if that has to wait.
  bool step(size_t warp);

  bool hasPendingCopies() const { return !copies.empty(); }
  bool hasPendingLoads() const { return llvm::any_of(copies, isLoad); }
  /// Completes one of the pending copies, a load if `loads`.
  void finishCopy(uint64_t choice, bool loads);

  /// Nothing can move any more: that is right only at the end.
  void finish();

  std::string error;
  std::map<std::pair<int64_t, int64_t>, std::vector<TileProducts>> tiles;
  std::map<std::pair<int64_t, int64_t>, std::vector<Lanes>> negated;
  std::map<int64_t, int64_t> tickets;

private:
  /// Warps of a warpgroup.
  static constexpr int64_t kGroupWarps = 4;

  struct WarpState {
    Warp warp;
    int64_t cta, number;
    bool hasFinished = false;
    /// The generation of a barrier that it has arrived at and waits for.
    std::optional<uint64_t> waitsFor;
    uint64_t committedProducts = 0, committedStores = 0;
    TileProducts products;
    int64_t getGroup() const { return number / kGroupWarps; }
  };
  /// One transfer to or from one CTA.
  struct Copy {
    int64_t cta;
    Box box;
    /// Of a load, where its bytes are counted.
    int64_t barrier = -1;
    /// Of a store, whose it is.
    unsigned warp = 0;
    uint64_t group = 0;
  };
  static bool isLoad(const Copy &copy) { return copy.barrier >= 0; }
  struct Cluster {
    int64_t arrived = 0;
    uint64_t generation = 0;
  };
  struct Operand {
    int64_t descriptor;
    bool kMajor;
    /// Rows or columns, and elements along k.
    int64_t extent, depth;
  };

  void fail(const std::string &what) {
    if (error.empty())
      error = what;
  }
  bool execute(WarpState &state, const Instruction &instruction);
  bool executeText(WarpState &state, const Instruction &instruction,
                   llvm::StringRef text);
  bool waitAtBarrier(WarpState &state, uint64_t generation);
  /// A barrier that says whether anybody voted for it.
  bool vote(WarpState &state, const Instruction &instruction);
  void storeVector(WarpState &state, const Instruction &instruction);
  void addVector(WarpState &state, const Instruction &instruction);
  void loadVector(WarpState &state, const Instruction &instruction);
  /// The same in shared memory, of this CTA and of any of the cluster.
  void storeSums(WarpState &state, const Instruction &instruction);
  void loadSums(WarpState &state, const Instruction &instruction);
  bool waitForTurn(WarpState &state, const Instruction &instruction);
  /// The number of a CTA, in shared memory.
  bool isTicket(WarpState &state, unsigned reg);
  void storeTicket(WarpState &state, const Instruction &instruction);
  void loadTicket(WarpState &state, const Instruction &instruction);
  void count(WarpState &state, const Instruction &instruction);
  /// After a wait for all products, what they come to.
  void setAccumulators(WarpState &state, const Instruction &instruction);
  void arriveRemote(WarpState &state, const Instruction &instruction);
  void load(WarpState &state, const Instruction &instruction,
            mlir::NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op);
  void store(WarpState &state, const Instruction &instruction,
             mlir::NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op);
  void multiply(WarpState &state, const Instruction &instruction,
                mlir::NVVM::WgmmaMmaAsyncOp op);
  bool waitForProducts(WarpState &state, uint64_t pending);
  /// Where an operand of wgmma starts in the domain, after checking that all of
  /// it is there.
  llvm::SmallVector<int64_t, 5>
  readOperand(WarpState &state, const Operand &operand, unsigned &parameter);
  void write(WarpState &state, unsigned reg, unsigned lanes, int64_t bytes);
  void checkFullWarp(WarpState &state);
  template <typename Function>
  void forEachLane(WarpState &state, Function function) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (state.warp.getMask() >> lane & 1)
        function(lane);
  }

  size_t getIndex(const WarpState &state) const { return &state - warps.data(); }
  int64_t getThread(const WarpState &state, unsigned lane) const {
    return state.number * kLanes + lane;
  }
  int64_t getWarpsPerCta() const { return launch.threads / kLanes; }

  const LaunchInfo &launch;
  std::vector<WarpState> warps;
  std::vector<SharedMemory> shared;
  SharedSums sums;
  std::vector<Cluster> clusters;
  std::vector<Copy> copies;
  /// By CTA, what lies in shared memory.
  std::map<int64_t, int64_t> ticketWords;
  Workspace workspace;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_CONVERSION_SIMULATOR_MACHINE_H
