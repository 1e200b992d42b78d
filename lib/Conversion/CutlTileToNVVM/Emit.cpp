//===- Emit.cpp - Short forms for the operations of kernels ---------------===//

#include "Emit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

static Value constant(OpBuilder &b, Location loc, TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

Value Emit::i32(int64_t value) {
  return constant(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value Emit::i64(int64_t value) {
  return constant(b, loc, b.getI64IntegerAttr(value));
}

Value Emit::boolean(bool value) {
  return constant(b, loc, b.getBoolAttr(value));
}

/// A constant of the type of `like`.
static Value constantLike(Emit &e, Value like, int64_t value) {
  return like.getType().isInteger(64) ? e.i64(value) : e.i32(value);
}

Value Emit::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}
Value Emit::add(Value x, int64_t y) {
  return y == 0 ? x : add(x, constantLike(*this, x, y));
}
Value Emit::addSums(Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}
Value Emit::sub(Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}
Value Emit::mul(Value x, Value y) {
  return arith::MulIOp::create(b, loc, x, y);
}
Value Emit::mul(Value x, int64_t y) {
  return y == 1 ? x : mul(x, constantLike(*this, x, y));
}
Value Emit::div(Value x, Value y) {
  return arith::DivUIOp::create(b, loc, x, y);
}
Value Emit::div(Value x, int64_t y) {
  return y == 1 ? x : div(x, constantLike(*this, x, y));
}
Value Emit::rem(Value x, Value y) {
  return arith::RemUIOp::create(b, loc, x, y);
}
Value Emit::rem(Value x, int64_t y) {
  return rem(x, constantLike(*this, x, y));
}
Value Emit::bitAnd(Value x, int64_t y) {
  return arith::AndIOp::create(b, loc, x, constantLike(*this, x, y));
}
Value Emit::bitXor(Value x, Value y) {
  return arith::XOrIOp::create(b, loc, x, y);
}
Value Emit::shl(Value x, int64_t y) {
  return arith::ShLIOp::create(b, loc, x, constantLike(*this, x, y));
}
Value Emit::shr(Value x, int64_t y) {
  return arith::ShRUIOp::create(b, loc, x, constantLike(*this, x, y));
}
Value Emit::ceilDiv(Value x, int64_t y) { return div(add(x, y - 1), y); }
Value Emit::maxSigned(Value x, Value y) {
  return arith::MaxSIOp::create(b, loc, x, y);
}
Value Emit::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}
Value Emit::equal(Value x, int64_t y) {
  return compare(arith::CmpIPredicate::eq, x, constantLike(*this, x, y));
}
Value Emit::less(Value x, Value y) {
  return compare(arith::CmpIPredicate::slt, x, y);
}
Value Emit::both(Value x, Value y) {
  return arith::AndIOp::create(b, loc, x, y);
}
Value Emit::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}
Value Emit::sext64(Value x) {
  return arith::ExtSIOp::create(b, loc, b.getI64Type(), x);
}
Value Emit::zext64(Value x) {
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
}
Value Emit::index(Value x) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
}
Value Emit::fromIndex(Value x) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), x);
}

LLVM::LLVMPointerType Emit::pointerType(unsigned space) {
  return LLVM::LLVMPointerType::get(b.getContext(), space);
}

Value Emit::advance(Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value Emit::advance(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(
      b, loc, base.getType(), b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value Emit::vector(ArrayRef<Value> elements) {
  auto type = VectorType::get(int64_t(elements.size()),
                              elements.front().getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector =
        LLVM::InsertElementOp::create(b, loc, vector, element, i32(int64_t(i)));
  return vector;
}

void Emit::ifThen(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

void Emit::ifThenElse(Value condition, function_ref<void()> thenBody,
                      function_ref<void()> elseBody) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  thenBody();
  b.setInsertionPoint(branch.elseYield());
  elseBody();
}

SmallVector<Value>
Emit::choose(Value condition, function_ref<SmallVector<Value>()> thenBody,
             function_ref<SmallVector<Value>()> elseBody) {
  auto branch = scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, thenBody());
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, elseBody());
      });
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value>
Emit::loop(Value lower, Value upper, Value step, ValueRange init,
           function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, init);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the body already has its terminator.
  Block *block = loop.getBody();
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToStart(block);
  SmallVector<Value> next =
      body(loop.getInductionVar(), ValueRange(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

void Emit::inlineAsm(StringRef text, StringRef constraints,
                     ValueRange operands) {
  LLVM::InlineAsmOp::create(b, loc, /*resultTypes=*/TypeRange{}, operands, text,
                            constraints, /*has_side_effects=*/true,
                            /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None,
                            /*asm_dialect=*/LLVM::AsmDialectAttr(),
                            /*operand_attrs=*/ArrayAttr());
}

Value Emit::inlineAsm(Type result, StringRef text, StringRef constraints,
                      ValueRange operands, bool sideEffects) {
  return LLVM::InlineAsmOp::create(b, loc, TypeRange{result}, operands, text,
                                   constraints, sideEffects,
                                   /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

Value Emit::intrinsic(Type result, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, result,
                                       b.getStringAttr(name), operands)
      .getResult(0);
}
