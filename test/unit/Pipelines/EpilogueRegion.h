//===- EpilogueRegion.h - Random epilogues ----------------------*- C++ -*-===//
//
// Writes functions of one gemm whose region has what simplification looks for:
// constants of every kind, operands and ops that are there twice or for
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_PIPELINES_EPILOGUEREGION_H
#define CUTL_TEST_UNIT_PIPELINES_EPILOGUEREGION_H

#include "EpilogueChain.h"

namespace cutltest {

/// Decides everything by its seed. With `reassociate` some products may be
/// reassociated.
Chain writeRegion(uint32_t seed, bool reassociate);

} // namespace cutltest

#endif // CUTL_TEST_UNIT_PIPELINES_EPILOGUEREGION_H
