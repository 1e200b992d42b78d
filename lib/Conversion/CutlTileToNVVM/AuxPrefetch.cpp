//===- AuxPrefetch.cpp - Auxiliary matrices ahead of their use ------------===//

#include "AuxPrefetch.h"

#include "AuxLoads.h"
#include "EpilogueElements.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Bytes that one prefetch brings.
static constexpr int64_t kLine = 128;

static void emitMatrixPrefetch(Emit &e, StagedKernel &kernel,
                               const KernelParameters &parameters,
                               unsigned number, bool alongColumns,
                               const ConsumerThread &thread, const Unit &unit) {
  const EpilogueOperand &operand = parameters.aux[number];
  int64_t rows = kernel.getConsumerRows(), columns = kernel.getShareColumns();
  int64_t inner = alongColumns ? columns : rows;
  int64_t outer = alongColumns ? rows : columns;
  int64_t elements = kLine / getElementBytes(operand.elementType);
  int64_t lines = llvm::divideCeil(inner, elements);
  Value pointer = emitBatchPointer(e, operand, unit);
  Value gate = emitGate(e, kernel, parameters, number);
  Value self = e.add(e.mul(thread.warp, 32), thread.lane);
  for (int64_t first = 0; first < lines * outer; first += kWarpgroup) {
    Value line = e.add(self, first);
    Value across = e.div(line, lines);
    Value along = e.mul(e.rem(line, lines), elements);
    Value row = e.add(e.add(unit.starts[kernel.getRowDim()], thread.firstRow),
                      alongColumns ? across : along);
    Value column = e.add(unit.starts[kernel.getColumnDim()],
                         alongColumns ? along : across);
    Value isInside =
        e.both(e.less(row, parameters.extents[kernel.getRowDim()]),
               e.less(column, parameters.extents[kernel.getColumnDim()]));
    if (first + kWarpgroup > lines * outer)
      isInside = e.both(isInside, e.less(line, e.i32(lines * outer)));
    if (gate)
      isInside = e.both(isInside, gate);
    e.ifThen(isInside, [&] {
      Value address = e.advance(
          e.advance(pointer, getOffset(e, operand, *operand.rowDim, row)),
          getOffset(e, operand, *operand.columnDim, column));
      NVVM::PrefetchOp::create(
          e.b, e.loc,
          NVVM::PrefetchCacheLevelAttr::get(e.b.getContext(),
                                            NVVM::PrefetchCacheLevel::L2),
          /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), address,
          /*predicate=*/Value(), /*tensormap=*/UnitAttr(),
          /*uniform=*/UnitAttr(), /*inParamSpace=*/UnitAttr());
    });
  }
}

void mlir::cutl::nvvm::emitAuxPrefetch(Emit &e, StagedKernel &kernel,
                                       const KernelParameters &parameters,
                                       const ConsumerThread &thread,
                                       const Unit &unit) {
  for (auto [i, operand] : llvm::enumerate(parameters.aux)) {
    if (operand.isScalar || kernel.epilogue.getLoad(i) || !operand.rowDim ||
        !operand.columnDim)
      continue;
    unsigned last = operand.strides.size() - 1;
    if (*operand.columnDim == last || *operand.rowDim == last)
      emitMatrixPrefetch(e, kernel, parameters, i, *operand.columnDim == last,
                         thread, unit);
  }
}
