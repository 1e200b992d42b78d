//===- KernelPlan.h - What a Hopper kernel is made of, as plain data ------===//
//
// The decisions behind one kernel: the ring of the mainloop, the layout of
// shared memory and the roles of the warpgroups. Emission only reads them.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_KERNELPLAN_H
#define CUTL_CONVERSION_CUTLTILETONVVM_KERNELPLAN_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::cutl::nvvm {

/// Threads of a warpgroup.
constexpr int64_t kWarpgroup = 128;
/// Rows of one wgmma.
constexpr int64_t kSlab = 64;
/// Bytes of a row of a swizzled box, and of its eight rows.
constexpr int64_t kSwizzleSpan = 128;

enum class Kernel { Cooperative, Pingpong, Single };
enum class StoreKind {
  /// Staged in swizzled shared memory, written by the copy engine.
  Tma,
  /// From registers, each element on its own and only inside the extents.
  Guarded
};

/// What a plan is made from.
struct TileShape {
  int64_t m = 128, n = 128, k = 64;
  int64_t stages = 4;
  Kernel kernel = Kernel::Cooperative;
  bool rasterAlongM = true;
  int64_t rasterGroup = 8;
  int64_t epilogueBuffers = 1;
  bool aKMajor = true, bKMajor = true;
  StoreKind store = StoreKind::Tma;
  /// Size of an element of A and B, and of the output.
  int64_t elementBytes = 2, outputBytes = 2;
};

/// One operand's part of a stage: boxes of 128 bytes along its contiguous
/// dimension, one behind the other.
struct OperandStage {
  int64_t boxes = 0;
  int64_t boxRows = 0;
  int64_t boxBytes = 0;
  bool kMajor = true;
  int64_t bytes() const { return boxes * boxBytes; }
};

struct RingPlan {
  int64_t stages = 0;
  OperandStage a, b;
  /// Warpgroups that release each stage.
  int64_t readers = 0;
  int64_t stageBytes() const { return a.bytes() + b.bytes(); }
};

struct RolePlan {
  /// Consumer warpgroups; warpgroup 0 is the producer.
  int64_t consumers = 0;
  /// Rows of the tile that one consumer computes.
  int64_t consumerRows = 0;
  int64_t producerRegisters = 0, consumerRegisters = 0;
  int64_t threads() const { return kWarpgroup * (1 + consumers); }
  int64_t slabs() const { return consumerRows / kSlab; }
};

/// Offsets in dynamic shared memory, in bytes from its 1024-byte aligned start.
struct SharedMemoryPlan {
  int64_t a = 0, b = 0;
  /// `buffers` buffers of 64 columns per consumer.
  int64_t staging = 0, stagingBufferBytes = 0, buffers = 0;
  int64_t fullBarriers = 0, emptyBarriers = 0;
  int64_t total = 0;
};

struct KernelPlan {
  TileShape tile;
  RingPlan ring;
  RolePlan roles;
  SharedMemoryPlan shared;
};

/// Fills in `plan` for `tile`, or says why there is no kernel for it.
std::optional<std::string> makePlan(const TileShape &tile, KernelPlan &plan);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_KERNELPLAN_H
