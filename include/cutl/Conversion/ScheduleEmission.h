//===- ScheduleEmission.h - Schedules as loops in IR ---------------------===//

#ifndef CUTL_CONVERSION_SCHEDULEEMISSION_H
#define CUTL_CONVERSION_SCHEDULEEMISSION_H

namespace mlir {
class DialectRegistry;
namespace cutl {

/// Gives every schedule attribute the interface that emits its work loop.
void registerScheduleEmissionExternalModels(DialectRegistry &registry);

} // namespace cutl
} // namespace mlir

#endif // CUTL_CONVERSION_SCHEDULEEMISSION_H
