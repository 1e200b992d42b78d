//===- BufferizableOpInterfaceImpl.cpp - Bufferization of cutl ops -------===//

#include "cutl/Dialect/Cutl/Transforms/BufferizableOpInterfaceImpl.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::bufferization;

namespace {

struct GemmBufferization final
    : DstBufferizableOpInterfaceExternalModel<GemmBufferization, GemmOp> {
  /// What a destination holds is never read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return cast<GemmOp>(op).isDpsInput(&operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<GemmOp>(op).isDpsInit(&operand);
  }

  /// Each element of a whole output is written after the same element of an
  /// auxiliary operand with an equal map has been read. A, B, scales and zeros
  /// are read by many tiles, and a reduced output collects many elements.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto gemm = cast<GemmOp>(op);
    unsigned numOuts = gemm.getOuts().size();
    unsigned firstOut = gemm.getNumOperands() - numOuts;
    unsigned firstAux = firstOut - gemm.getAux().size();
    AffineMap common;
    for (OpOperand *operand : operands) {
      unsigned index = operand->getOperandNumber();
      if (index < firstAux)
        return false;
      if (index >= firstOut &&
          gemm.getCombiner(index - firstOut) != Combiner::None)
        return false;
      AffineMap map = gemm.getMap(index);
      if (common && map != common)
        return false;
      common = map;
    }
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto gemm = cast<GemmOp>(op);
    if (!gemm.hasTensorForm())
      return success();
    // Nobody sees what it computes, and two outputs may have been given one
    // destination.
    if (op->use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> buffers;
    for (Value operand : gemm.getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        buffers.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    // The memref form has no results, so the op is created anew and takes the
    // region over.
    rewriter.setInsertionPoint(op);
    OperationState created(op->getLoc(), op->getName());
    created.addOperands(buffers);
    created.attributes = op->getDiscardableAttrDictionary();
    created.propertiesAttr = op->getPropertiesAsAttribute();
    created.addRegion()->takeBody(gemm.getEpilogue());
    rewriter.create(created);
    replaceOpWithBufferizedValues(
        rewriter, op,
        ValueRange(buffers).take_back(gemm.getOuts().size()));
    return success();
  }
};

} // namespace

void mlir::cutl::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CutlDialect *) {
    GemmOp::attachInterface<GemmBufferization>(*context);
  });
}
