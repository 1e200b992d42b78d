//===- AuxPrefetch.h - Auxiliary matrices ahead of their use ----*- C++ -*-===//
//
// Threads read by themselves the matrices that no tensor copy brings. Their
// lines are fetched into the L2 cache while the product is being computed.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_AUXPREFETCH_H
#define CUTL_CONVERSION_CUTLTILETONVVM_AUXPREFETCH_H

#include "Epilogue.h"
#include "Parameters.h"
#include "StagedKernel.h"
#include "Work.h"

namespace mlir::cutl::nvvm {

/// Fetches what the warpgroup will read of the unit's matrices, lines being
/// taken to run along the arrays' last dimensions; all threads.
void emitAuxPrefetch(Emit &e, StagedKernel &kernel,
                     const KernelParameters &parameters,
                     const ConsumerThread &thread, const Unit &unit);

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_AUXPREFETCH_H
