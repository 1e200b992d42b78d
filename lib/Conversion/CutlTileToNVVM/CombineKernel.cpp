//===- CombineKernel.cpp - A kernel that combines partial results ---------===//
//
// The threads of a CTA are lanes, which have neighbouring elements of the
// partial results, times slices, which have every so many of what is combined. Slices
// meet in shared memory. The order depends on the extents alone.
//
//===----------------------------------------------------------------------===//

#include "CombineKernel.h"

#include "Barriers.h"
#include "EpilogueElements.h"
#include "SharedArray.h"
#include "Signature.h"

#include "cutl/Dialect/Cutl/IR/Combiners.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::cutl;
using namespace mlir::cutl::nvvm;

/// Loads that a thread has in flight.
static constexpr int64_t kUnroll = 8;
/// Slices that one thread combines at a time.
static constexpr int64_t kFanIn = 32;

namespace {

/// How the threads of a CTA share the work: powers of two.
struct Division {
  int64_t lanes, slices;

  int64_t getThreads() const { return lanes * slices; }
};

/// Few elements to combine, whose number is known, need few slices; else many
/// take part in case there are many.
Division getDivision(tile::CombineOp op, int64_t numDropped) {
  if (op.getOutput().getType().getRank() == 0)
    return {1, 1024};
  int64_t numCombined = 1;
  for (int64_t size :
       op.getInput().getType().getShape().take_front(numDropped)) {
    if (ShapedType::isDynamic(size))
      return {32, 32};
    numCombined *= size;
  }
  int64_t slices =
      llvm::PowerOf2Ceil(llvm::divideCeil(std::max<int64_t>(numCombined, 1),
                                          kUnroll));
  if (slices > 8)
    return {32, 32};
  return {256 / slices, slices};
}

class CombineEmitter {
public:
  CombineEmitter(gpu::GPUFuncOp function, tile::CombineOp op,
                 bool isProgrammatic)
      : builder(function), e(builder, op.getLoc()), function(function), op(op),
        isProgrammatic(isProgrammatic),
        type(op.getInput().getType().getElementType()),
        numDropped(op.getInput().getType().getRank() -
                   op.getOutput().getType().getRank()),
        division(getDivision(op, numDropped)), lanes(division.lanes),
        slices(division.slices) {}

  LLVM::LLVMFuncOp emit();

private:
  LLVM::LLVMFuncOp createFunction();
  void bind(LLVM::LLVMFuncOp kernel);
  Value getSlot(Value slice);
  Value combine(Value current, Value value) {
    return createCombine(e.b, e.loc, op.getCombiner(), current, value);
  }
  Value emitSlice(Value kept, Value inside);
  void emitMeeting();
  void emitStore(Value kept);

  OpBuilder builder;
  Emit e;
  gpu::GPUFuncOp function;
  tile::CombineOp op;
  bool isProgrammatic;
  /// That values are combined in.
  Type type;
  int64_t numDropped;
  Division division;
  int64_t lanes, slices;
  Value shared, input, output;
  /// i64: the extents and strides of the output, what is combined for each
  /// element, and the number of elements.
  SmallVector<Value> extents, strides;
  Value numCombined, numKept;
  Value lane, slice;
};

} // namespace

LLVM::LLVMFuncOp CombineEmitter::createFunction() {
  KernelSignature signature(builder);
  signature.addPointer(0);
  signature.addPointer(1);
  for (int64_t dim = 0; dim < numDropped; ++dim)
    signature.addSize(0, dim);
  MemRefType type = op.getOutput().getType();
  SmallVector<int64_t> staticStrides;
  int64_t offset;
  (void)type.getStridesAndOffset(staticStrides, offset);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    signature.addSize(1, dim);
    signature.addGridDim(1, dim, dim + 1 == type.getRank() ? lanes : 1);
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (ShapedType::isDynamic(staticStrides[dim]))
      signature.addStride(1, dim);
  signature.threads = division.getThreads();
  signature.isProgrammatic = isProgrammatic;
  return signature.createFunction(e, function.getName());
}

void CombineEmitter::bind(LLVM::LLVMFuncOp kernel) {
  unsigned next = 0;
  auto take = [&] { return Value(kernel.getArgument(next++)); };
  input = take();
  output = take();
  numCombined = numKept = e.i64(1);
  for (int64_t dim = 0; dim < numDropped; ++dim)
    numCombined = e.mul(numCombined, e.sext64(take()));
  MemRefType type = op.getOutput().getType();
  SmallVector<int64_t> staticStrides;
  int64_t offset;
  (void)type.getStridesAndOffset(staticStrides, offset);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    extents.push_back(e.sext64(take()));
    numKept = e.mul(numKept, extents.back());
  }
  for (int64_t stride : staticStrides)
    strides.push_back(ShapedType::isDynamic(stride) ? take() : e.i64(stride));
}

/// Where a slice of this thread's lane is in shared memory.
Value CombineEmitter::getSlot(Value slice) {
  return e.advance(shared, e.mul(e.add(e.mul(slice, lanes), lane),
                                 getElementBytes(type)));
}

/// What this thread's slice has for element `kept` (i64) of the output.
Value CombineEmitter::emitSlice(Value kept, Value inside) {
  Value identity = arith::ConstantOp::create(
      e.b, e.loc, getCombinerIdentity(e.b, op.getCombiner(), type));
  Value first = e.zext64(slice);
  return e.loop(first, numCombined, e.i64(slices * kUnroll), identity,
                [&](Value start, ValueRange carried) -> SmallVector<Value> {
                  SmallVector<Value> values;
                  for (int64_t i = 0; i < kUnroll; ++i) {
                    Value at = e.add(start, i * slices);
                    Value exists = e.both(inside, e.less(at, numCombined));
                    Value offset = e.mul(e.add(e.mul(at, numKept), kept),
                                         getElementBytes(type));
                    Value loaded = emitLoadIf(e, exists, type,
                                              e.advance(input, offset));
                    values.push_back(e.select(exists, loaded, identity));
                  }
                  Value sum = carried.front();
                  for (Value value : values)
                    sum = combine(sum, value);
                  return {sum};
                })
      .front();
}

/// Combines the slices of each lane into slice 0.
void CombineEmitter::emitMeeting() {
  auto load = [&](Value at) -> Value {
    return LLVM::LoadOp::create(e.b, e.loc, type, getSlot(at),
                                getElementBytes(type));
  };
  for (int64_t left = slices; left > 1;) {
    int64_t fanIn = std::min(left, kFanIn);
    left /= fanIn;
    emitCtaBarrier(e);
    e.ifThen(e.less(slice, e.i32(left)), [&] {
      Value sum = load(slice);
      for (int64_t i = 1; i < fanIn; ++i)
        sum = combine(sum, load(e.add(slice, i * left)));
      LLVM::StoreOp::create(e.b, e.loc, sum, getSlot(slice),
                            getElementBytes(type));
    });
  }
}

/// Writes what slice 0 has for element `kept` of the output.
void CombineEmitter::emitStore(Value kept) {
  Value result = LLVM::LoadOp::create(e.b, e.loc, type, getSlot(e.i32(0)),
                                      getElementBytes(type));
  Type element = op.getOutput().getType().getElementType();
  if (element != type)
    result = arith::TruncFOp::create(e.b, e.loc, element, result);
  Value address = output;
  for (unsigned dim = extents.size(); dim-- > 0;) {
    Value index = dim == 0 ? kept : e.rem(kept, extents[dim]);
    kept = e.div(kept, extents[dim]);
    address = e.advance(address, e.mul(e.mul(index, strides[dim]),
                                       getElementBytes(element)));
  }
  LLVM::StoreOp::create(e.b, e.loc, result, address,
                        getElementBytes(element));
}

LLVM::LLVMFuncOp CombineEmitter::emit() {
  Type i32 = builder.getI32Type();
  LLVM::GlobalOp slots =
      createSharedArray(e, (function.getName() + "_slots").str(), type,
                        division.getThreads());
  LLVM::LLVMFuncOp kernel = createFunction();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel.addEntryBlock(builder));
  if (isProgrammatic)
    emitWaitForPrerequisites(e);
  bind(kernel);
  shared = LLVM::AddressOfOp::create(builder, e.loc, slots);
  Value thread = NVVM::ThreadIdXOp::create(builder, e.loc, i32);
  lane = e.rem(thread, lanes);
  slice = e.div(thread, lanes);

  Value groups = e.ceilDiv(numKept, lanes);
  e.loop(e.zext64(NVVM::BlockIdXOp::create(builder, e.loc, i32)), groups,
         e.zext64(NVVM::GridDimXOp::create(builder, e.loc, i32)), {},
         [&](Value group, ValueRange) -> SmallVector<Value> {
           Value kept = e.add(e.mul(group, lanes), e.zext64(lane));
           Value inside = e.less(kept, numKept);
           Value sum = emitSlice(kept, inside);
           LLVM::StoreOp::create(builder, e.loc, sum, getSlot(slice),
                                 getElementBytes(type));
           emitMeeting();
           e.ifThen(e.both(inside, e.equal(slice, 0)),
                    [&] { emitStore(kept); });
           // The slots are filled anew.
           emitCtaBarrier(e);
           return {};
         });
  LLVM::ReturnOp::create(builder, e.loc, ValueRange{});
  return kernel;
}

FailureOr<LLVM::LLVMFuncOp> mlir::cutl::nvvm::emitCombineKernel(
    gpu::GPUFuncOp function, tile::CombineOp combine, bool isProgrammatic) {
  Block &body = function.getBody().front();
  if (body.getOperations().size() != 2 || body.getNumArguments() != 2 ||
      combine.getInput() != body.getArgument(0) ||
      combine.getOutput() != body.getArgument(1))
    return combine.emitOpError("expected to be the whole of a kernel of its "
                               "operands in convert-cutl-tile-to-nvvm");
  Type element = combine.getInput().getType().getElementType();
  if (!llvm::is_contained({16, 32, 64}, element.getIntOrFloatBitWidth()))
    return combine.emitOpError("has no lowering yet for ")
           << element << "; types of 16, 32 and 64 bits have one";
  return CombineEmitter(function, combine, isProgrammatic).emit();
}
