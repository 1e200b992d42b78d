//===- ScheduleForms.h - Schedules that differ in one respect ------------===//

#ifndef CUTL_DIALECT_CUTL_IR_SCHEDULEFORMS_H
#define CUTL_DIALECT_CUTL_IR_SCHEDULEFORMS_H

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"

namespace mlir::cutl {

/// The schedule that divides work as `schedule` does, and adds partial sums in
/// an order that does not depend on when units arrive.
ScheduleAttrInterface getFixedOrderForm(ScheduleAttrInterface schedule);

/// The schedule that divides k into the parts that `schedule` leaves to a
/// kernel that follows, and whose units meet instead.
ScheduleAttrInterface getMeetingForm(ScheduleAttrInterface schedule);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_SCHEDULEFORMS_H
