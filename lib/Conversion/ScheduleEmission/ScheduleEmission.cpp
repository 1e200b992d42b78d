//===- ScheduleEmission.cpp - Schedules as loops in IR -------------------===//

#include "cutl/Conversion/ScheduleEmission.h"
#include "RasterEmission.h"
#include "cutl/Dialect/Cutl/IR/CutlDialect.h"

using namespace mlir;
using namespace mlir::cutl;

void mlir::cutl::registerScheduleEmissionExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CutlDialect *) {
    attachDataParallelEmission(context);
    attachSplitKEmission(context);
    attachStreamKEmission(context);
  });
}
