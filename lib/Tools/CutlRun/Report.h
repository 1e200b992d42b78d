//===- Report.h - What the tool prints of a run -------------------*- C++
//-*-===//

#ifndef CUTL_LIB_TOOLS_CUTLRUN_REPORT_H
#define CUTL_LIB_TOOLS_CUTLRUN_REPORT_H

#include "mlir/Support/LLVM.h"
#include <vector>

namespace mlir::cutl {

/// Median and least of times in seconds, and what they mean for a number of
/// operations if that is not zero.
void printTimes(std::vector<double> times, double flops, raw_ostream &os);

} // namespace mlir::cutl

#endif // CUTL_LIB_TOOLS_CUTLRUN_REPORT_H
