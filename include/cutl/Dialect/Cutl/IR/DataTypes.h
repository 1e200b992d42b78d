//===- DataTypes.h - The data-type table in terms of MLIR types ----------===//

#ifndef CUTL_DIALECT_CUTL_IR_DATATYPES_H
#define CUTL_DIALECT_CUTL_IR_DATATYPES_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/Types.h"

namespace mlir::cutl {

/// The table's record of an element type; null if the table has none.
const ::cutl::targetinfo::DataType *
lookupDataType(Type type, Signedness signedness = Signedness::Signed);

/// The record of the type in which elements are multiplied: their own, or what
/// the math mode rounds f32 to; null if the table has none.
const ::cutl::targetinfo::DataType *
getMultipliedType(Type element, Signedness signedness, MathMode math);

/// The MLIR type of a record (signless for integers); null for one that MLIR
/// has no type for.
Type getMLIRType(MLIRContext *context,
                 const ::cutl::targetinfo::DataType &record);

/// The table's default accumulator of a pair; null if the pair has none.
Type getDefaultAccumulatorType(Type a, Signedness aSignedness, Type b,
                               Signedness bSignedness);

} // namespace mlir::cutl

#endif // CUTL_DIALECT_CUTL_IR_DATATYPES_H
