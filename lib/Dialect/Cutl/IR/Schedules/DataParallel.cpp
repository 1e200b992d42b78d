//===- DataParallel.cpp - #cutl.data_parallel ----------------------------===//

#include "cutl/Dialect/Cutl/IR/CutlAttrs.h"
