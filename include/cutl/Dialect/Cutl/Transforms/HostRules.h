//===- HostRules.h - What a caller of a function has to keep -------------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_HOSTRULES_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_HOSTRULES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::cutl {

/// Records on a function or an entry, which holds its gemms on memrefs, which
/// sizes of arguments must agree (`cutl.host_ties`) and which arguments may be
/// written (`cutl.host_writes`). The forms are those of cutl-record-host-rules.
void recordHostRules(FunctionOpInterface function);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_HOSTRULES_H
