//===- HostOps.h - The steps of an entry that are no launches ------------===//

#ifndef CUTL_CONVERSION_CUTLTILETOSCF_HOSTOPS_H
#define CUTL_CONVERSION_CUTLTILETOSCF_HOSTOPS_H

#include "cutl/Dialect/Cutl/IR/CutlOps.h"

namespace mlir::cutl::tilescf {

/// Replaces `op` by loops that fill each element.
void emitMemset(MemsetOp op);

/// Replaces `op` by how many CTAs run: all of them.
void emitResidentCtas(ResidentCtasOp op, int64_t ctas);

} // namespace mlir::cutl::tilescf

#endif // CUTL_CONVERSION_CUTLTILETOSCF_HOSTOPS_H
