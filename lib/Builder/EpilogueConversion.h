//===- EpilogueConversion.h - Element types of epilogues ---------*- C++ -*-==//

#ifndef CUTL_LIB_BUILDER_EPILOGUECONVERSION_H
#define CUTL_LIB_BUILDER_EPILOGUECONVERSION_H

#include "cutl/Dialect/Cutl/IR/CutlEnums.h"
#include "cutl/TargetInfo/DataTypes.h"
#include "mlir/IR/Builders.h"

namespace mlir::cutl {

/// A number, whose integers are read as unsigned or not, as one of a type of
/// the table that can be stored. To integers it always saturates.
Value emitConversion(OpBuilder &builder, Location loc, Value x, bool isUnsigned,
                     const ::cutl::targetinfo::DataType &record, bool saturate,
                     Rounding rounding);

} // namespace mlir::cutl

#endif // CUTL_LIB_BUILDER_EPILOGUECONVERSION_H
