//===- Combiners.h - How reduced outputs combine values ---------*- C++ -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_COMBINERS_H
#define CUTL_DIALECT_CUTL_IR_COMBINERS_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::cutl {

/// What a reduction over nothing gives.
TypedAttr getCombinerIdentity(Builder &builder, Combiner combiner, Type type);

/// The type that values of an output of elements `type` are combined in: sums
/// of f16 and bf16 are f32, rounded once when they are complete.
Type getCombinedType(Combiner combiner, Type type);

/// `current` combined with `value`, which is widened first if `current` is
/// wider; `value` itself for Combiner::None.
Value createCombine(OpBuilder &builder, Location loc, Combiner combiner,
                    Value current, Value value);

/// Parses the name of a combiner, if there is one; None otherwise.
ParseResult parseOptionalCombiner(AsmParser &parser, Combiner &combiner);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_COMBINERS_H
