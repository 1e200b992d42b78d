//===- Barriers.cpp - mbarriers, named barriers and fences ----------------===//
//
// Collective operations are NVVM ops, which LLVM knows to be convergent; the
// wait on an mbarrier is each thread's own and may be inline PTX.
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

Value BarrierArray::at(Emit &e, Value stage) const {
  return e.advance(base, e.mul(stage, kBytes));
}

Value BarrierArray::at(Emit &e, int64_t stage) const {
  return e.advance(base, stage * kBytes);
}

void BarrierArray::emitInit(Emit &e, int64_t stages, int64_t arrivals) const {
  for (int64_t stage = 0; stage < stages; ++stage)
    NVVM::MBarrierInitOp::create(e.b, e.loc, at(e, stage), e.i32(arrivals),
                                 /*predicate=*/Value());
}

void BarrierArray::emitWait(Emit &e, Value stage, Value parity) const {
  // The label is local to the braces, so that copies of the text do not clash.
  e.inlineAsm("{\n\t"
              ".reg .pred done;\n\t"
              "spin:\n\t"
              "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t"
              "@!done bra spin;\n\t"
              "}",
              "r,r,~{memory}", {at(e, stage), parity});
}

void BarrierArray::emitArrive(Emit &e, Value stage) const {
  NVVM::MBarrierArriveOp::create(e.b, e.loc, e.b.getI64Type(), at(e, stage),
                                 /*count=*/Value());
}

void BarrierArray::emitArriveRemote(Emit &e, Value stage, Value cta) const {
  // The default semantics would put a fence of the whole device into the loop.
  e.inlineAsm("{\n\t"
              ".reg .b32 remote;\n\t"
              "mapa.shared::cluster.u32 remote, $0, $1;\n\t"
              "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t"
              "}",
              "r,r,~{memory}", {at(e, stage), cta});
}

void BarrierArray::emitPublishRemote(Emit &e, Value stage, Value cta) const {
  e.inlineAsm("{\n\t"
              ".reg .b32 remote;\n\t"
              "mapa.shared::cluster.u32 remote, $0, $1;\n\t"
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
              "[remote];\n\t"
              "}",
              "r,r,~{memory}", {at(e, stage), cta});
}

void BarrierArray::emitAcquire(Emit &e, Value stage, Value parity) const {
  e.inlineAsm("{\n\t"
              ".reg .pred done;\n\t"
              "spin:\n\t"
              "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, "
              "[$0], $1;\n\t"
              "@!done bra spin;\n\t"
              "}",
              "r,r,~{memory}", {at(e, stage), parity});
}

void BarrierArray::emitArriveExpect(Emit &e, Value stage, int64_t bytes) const {
  NVVM::MBarrierArriveExpectTxOp::create(
      e.b, e.loc, e.b.getI64Type(), at(e, stage), e.i32(bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
}

void mlir::cutl::nvvm::emitFenceBarrierInit(Emit &e) {
  NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
}

void mlir::cutl::nvvm::emitFenceSharedProxy(Emit &e) {
  NVVM::FenceProxyOp::create(
      e.b, e.loc,
      NVVM::ProxyKindAttr::get(e.b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(e.b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void mlir::cutl::nvvm::emitFenceProxy(Emit &e) {
  NVVM::FenceProxyOp::create(
      e.b, e.loc,
      NVVM::ProxyKindAttr::get(e.b.getContext(), NVVM::ProxyKind::async),
      NVVM::SharedSpaceAttr());
}

void mlir::cutl::nvvm::emitCtaBarrier(Emit &e) {
  NVVM::BarrierOp::create(e.b, e.loc);
}

void mlir::cutl::nvvm::emitClusterBarrier(Emit &e) {
  // The warps of a role need not have met again.
  NVVM::ClusterArriveOp::create(e.b, e.loc, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(e.b, e.loc, /*aligned=*/UnitAttr());
}

void mlir::cutl::nvvm::emitNamedBarrier(Emit &e, Value id, int64_t threads) {
  NVVM::BarrierOp::create(e.b, e.loc, /*res=*/Type(), id, e.i32(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

Value mlir::cutl::nvvm::emitNamedBarrierOr(Emit &e, Value id, int64_t threads,
                                           Value value) {
  // The NVVM op has no reduction at named barriers.
  return e.intrinsic(e.b.getI1Type(),
                     "llvm.nvvm.barrier.cta.red.or.aligned.count",
                     {id, e.i32(threads), value});
}

void mlir::cutl::nvvm::emitNamedArrive(Emit &e, Value id, int64_t threads) {
  NVVM::BarrierArriveOp::create(e.b, e.loc, id, e.i32(threads));
}

void mlir::cutl::nvvm::emitWaitForPrerequisites(Emit &e) {
  NVVM::GriddepcontrolOp::create(e.b, e.loc, NVVM::GridDepActionKind::wait);
}

void mlir::cutl::nvvm::emitSetMaxRegisters(Emit &e, int64_t registers,
                                     bool increase) {
  NVVM::SetMaxRegisterOp::create(e.b, e.loc, registers,
                                 increase ? NVVM::SetMaxRegisterAction::increase
                                          : NVVM::SetMaxRegisterAction::decrease);
}

Value mlir::cutl::nvvm::emitWarpUniform(Emit &e, Value value) {
  return NVVM::ShflOp::create(e.b, e.loc, e.b.getI32Type(), e.i32(-1), value,
                              e.i32(0), e.i32(31), NVVM::ShflKind::idx,
                              /*return_value_and_is_valid=*/UnitAttr());
}
