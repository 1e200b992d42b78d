//===- CutlAttrs.h - Attributes of the cutl dialect ----------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLATTRS_H
#define CUTL_DIALECT_CUTL_IR_CUTLATTRS_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/Heuristics/Problem.h"
#include "cutl/Heuristics/TileConfig.h"
#include "cutl/Heuristics/Variants.h"
#include "cutl/Schedule/TileScheduler.h"
#include "cutl/TargetInfo/Targets.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace cutl::heuristics {
inline llvm::hash_code hash_value(const Bound &bound) {
  return llvm::hash_combine(bound.term, bound.most);
}
} // namespace cutl::heuristics

#include "cutl/Dialect/Cutl/IR/CutlAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "cutl/Dialect/Cutl/IR/CutlAttrs.h.inc"

#endif // CUTL_DIALECT_CUTL_IR_CUTLATTRS_H
