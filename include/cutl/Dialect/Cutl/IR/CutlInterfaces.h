//===- CutlInterfaces.h - Op interfaces of the cutl dialect --------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_H
#define CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_H

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
#include "cutl/Dialect/Cutl/IR/EpilogueTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "cutl/Dialect/Cutl/IR/CutlOpInterfaces.h.inc"

#endif // CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_H
