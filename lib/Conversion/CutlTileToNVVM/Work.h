//===- Work.h - The units of work of a CTA --------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_WORK_H
#define CUTL_CONVERSION_CUTLTILETONVVM_WORK_H

#include "Emit.h"
#include "StagedKernel.h"
#include "cutl/Dialect/CutlTile/IR/CutlTileInterfaces.h"

namespace mlir::cutl::nvvm {

/// Where a CTA stands in its cluster, i32.
struct ClusterThread {
  Value row, column;
  /// Which part of k it has; null where k is not divided.
  Value part;
};

ClusterThread emitClusterThread(Emit &e, StagedKernel &kernel);

/// What one CTA does of a unit, i32.
struct Unit {
  /// Where its tile starts: for each dimension of the domain but k, the first
  /// element.
  SmallVector<Value> starts;
  /// The first element of k, and how many stages follow from it: at least one,
  /// which lies outside of both operands where there is no k.
  Value firstK, kTiles;
  /// Where the schedule divides k: the unit's place in the workspace, the first
  /// place of the units of its tile, and how many they are.
  Value slot, firstSlot, contributors;
};

/// The units that the schedule gives to this CTA.
class Work {
public:
  Work(Emit &e, StagedKernel &kernel, ArrayRef<Value> extents,
       const ClusterThread &cluster);

  /// The number of this CTA is what lies there in shared memory, rather than
  /// that of its block.
  void setTicket(Value pointer) { ticket = pointer; }

  /// Runs `body` for each of them, with values carried from unit to unit.
  void emitLoop(ValueRange init,
                function_ref<SmallVector<Value>(const Unit &, ValueRange)> body);

private:
  Unit emitUnit(const tile::WorkUnit &unit);

  Emit &e;
  StagedKernel &kernel;
  SmallVector<Value> extents;
  ClusterThread cluster;
  tile::WorkSpace space;
  Value ticket;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_WORK_H
