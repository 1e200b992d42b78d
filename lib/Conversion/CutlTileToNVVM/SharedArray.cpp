//===- SharedArray.cpp - Static shared memory of a kernel ----------------===//

#include "SharedArray.h"

using namespace mlir;
using namespace mlir::cutl::nvvm;

LLVM::GlobalOp mlir::cutl::nvvm::createSharedArray(Emit &e, StringRef name,
                                                   Type type, int64_t count) {
  auto array = LLVM::LLVMArrayType::get(type, count);
  auto global = LLVM::GlobalOp::create(
      e.b, e.loc, array, /*isConstant=*/false, LLVM::Linkage::Internal, name,
      Attribute(), /*alignment=*/16, kShared);
  // Shared memory has no initial value.
  OpBuilder::InsertionGuard guard(e.b);
  global.getInitializer().push_back(new Block);
  e.b.setInsertionPointToStart(&global.getInitializer().front());
  Value poison = LLVM::PoisonOp::create(e.b, e.loc, array);
  LLVM::ReturnOp::create(e.b, e.loc, poison);
  return global;
}
