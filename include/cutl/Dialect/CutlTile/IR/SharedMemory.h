//===- SharedMemory.h - What takes shared memory in a kernel -----*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTLTILE_IR_SHAREDMEMORY_H
#define CUTL_DIALECT_CUTLTILE_IR_SHAREDMEMORY_H

#include "cutl/Heuristics/TileConfig.h"

#include <cstdint>

namespace mlir::cutl::tile {

/// What a swizzled box, and so each stage and buffer, is aligned to.
constexpr int64_t kBoxAlignment = 1024;
constexpr int64_t kBarrierBytes = 8;
/// Of the number that a CTA draws, where units take turns.
using ::cutl::heuristics::kTicketBytes;

} // namespace mlir::cutl::tile

#endif // CUTL_DIALECT_CUTLTILE_IR_SHAREDMEMORY_H
