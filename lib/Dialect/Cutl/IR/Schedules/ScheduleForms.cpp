//===- ScheduleForms.cpp - Schedules that differ in one respect ----------===//

#include "cutl/Dialect/Cutl/IR/ScheduleForms.h"

using namespace mlir;
using namespace mlir::cutl;

ScheduleAttrInterface
mlir::cutl::getFixedOrderForm(ScheduleAttrInterface schedule) {
  MLIRContext *context = schedule.getContext();
  if (!schedule.addsAsUnitsArrive())
    return schedule;
  if (auto split = dyn_cast<SplitKAttr>(schedule))
    return SplitKAttr::get(context, split.getParts(),
                           PartReduction::LastArriver);
  if (auto stream = dyn_cast<StreamKAttr>(schedule))
    return StreamKAttr::get(context, stream.getTiles(),
                            PartReduction::LastArriver);
  return DataParallelAttr::get(context);
}

ScheduleAttrInterface
mlir::cutl::getMeetingForm(ScheduleAttrInterface schedule) {
  return SplitKAttr::get(schedule.getContext(), schedule.getNumParts(),
                         PartReduction::LastArriver);
}
