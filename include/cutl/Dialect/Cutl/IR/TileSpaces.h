//===- TileSpaces.h - Problems in tiles, for schedules -----------*- C++
//-*-===//

#ifndef CUTL_DIALECT_CUTL_IR_TILESPACES_H
#define CUTL_DIALECT_CUTL_IR_TILESPACES_H

#include "cutl/Heuristics/TileConfig.h"
#include "cutl/Schedule/TileScheduler.h"

namespace mlir::cutl {

/// The problem in tiles of a configuration, with a guess for dynamic extents.
::cutl::schedule::TileSpace
guessTileSpace(const ::cutl::heuristics::Problem &problem,
               const ::cutl::heuristics::TileConfig &config);

::cutl::schedule::Raster
getRaster(const ::cutl::heuristics::TileConfig &config);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_TILESPACES_H
