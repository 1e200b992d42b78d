//===- PlainEpilogue.h - Scales, c, bias and activation as a graph -*- C++ -*-//

#ifndef CUTL_LIB_BUILDER_PLAINEPILOGUE_H
#define CUTL_LIB_BUILDER_PLAINEPILOGUE_H

#include "cutl/Builder/GemmBuilder.h"

namespace mlir::cutl {

/// The graph of a description without an epilogue of its own. Its scales are
/// numbers of `scaleType`.
GemmEpilogueDescription
describePlainEpilogue(const GemmDescription &description,
                      const ::cutl::targetinfo::DataType &scaleType);

} // namespace mlir::cutl

#endif // CUTL_LIB_BUILDER_PLAINEPILOGUE_H
