//===- SimtProgram.cpp - Kernels in a form to step through ----------------===//

#include "SimtProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace cutltest;
using namespace mlir;

static unsigned getBits(Type type) {
  return isa<IntegerType>(type) ? type.getIntOrFloatBitWidth() : 64;
}

/// As registers hold a number of that many bits; a boolean is 0 or 1.
static int64_t signExtend(int64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  return bits >= 64 ? value
                    : int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
}

static uint64_t zeroExtend(int64_t value, unsigned bits) {
  return bits >= 64 ? uint64_t(value)
                    : uint64_t(value) & ((uint64_t(1) << bits) - 1);
}

bool cutltest::isWorkspaceVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() &&
         vector.getNumElements() == kVectorLength;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename Function>
static void forEachLane(Mask mask, Function function) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1)
      function(lane);
}

/// `Function(x, y, bits of x)` in every lane.
template <typename Function>
static void evaluateBinary(const Instruction &i, Lanes *registers, Mask mask) {
  const Lanes &x = registers[i.operands[0]], &y = registers[i.operands[1]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] =
        signExtend(Function()(x[lane], y[lane], i.operandBits), i.resultBits);
  });
}

namespace {

struct Add {
  int64_t operator()(int64_t x, int64_t y, unsigned) {
    return int64_t(uint64_t(x) + uint64_t(y));
  }
};
struct Sub {
  int64_t operator()(int64_t x, int64_t y, unsigned) {
    return int64_t(uint64_t(x) - uint64_t(y));
  }
};
struct Mul {
  int64_t operator()(int64_t x, int64_t y, unsigned) {
    return int64_t(uint64_t(x) * uint64_t(y));
  }
};
/// A lane that divides by zero gets zero; it may be one whose result is not
/// used.
struct DivU {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    uint64_t divisor = zeroExtend(y, bits);
    return divisor == 0 ? 0 : int64_t(zeroExtend(x, bits) / divisor);
  }
};
struct RemU {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    uint64_t divisor = zeroExtend(y, bits);
    return divisor == 0 ? 0 : int64_t(zeroExtend(x, bits) % divisor);
  }
};
struct And {
  int64_t operator()(int64_t x, int64_t y, unsigned) { return x & y; }
};
struct Or {
  int64_t operator()(int64_t x, int64_t y, unsigned) { return x | y; }
};
struct XOr {
  int64_t operator()(int64_t x, int64_t y, unsigned) { return x ^ y; }
};
struct ShL {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    uint64_t by = zeroExtend(y, bits);
    return by >= bits ? 0 : int64_t(uint64_t(x) << by);
  }
};
struct ShRU {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    uint64_t by = zeroExtend(y, bits);
    return by >= bits ? 0 : int64_t(zeroExtend(x, bits) >> by);
  }
};
struct MinS {
  int64_t operator()(int64_t x, int64_t y, unsigned) { return std::min(x, y); }
};
struct MaxS {
  int64_t operator()(int64_t x, int64_t y, unsigned) { return std::max(x, y); }
};
struct MinU {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    return int64_t(std::min(zeroExtend(x, bits), zeroExtend(y, bits)));
  }
};
struct MaxU {
  int64_t operator()(int64_t x, int64_t y, unsigned bits) {
    return int64_t(std::max(zeroExtend(x, bits), zeroExtend(y, bits)));
  }
};

} // namespace

static void evaluateCompare(const Instruction &i, Lanes *registers, Mask mask) {
  using P = arith::CmpIPredicate;
  const Lanes &x = registers[i.operands[0]], &y = registers[i.operands[1]];
  Lanes &result = registers[i.results[0]];
  auto predicate = P(i.immediate);
  forEachLane(mask, [&](unsigned lane) {
    int64_t a = x[lane], b = y[lane];
    uint64_t ua = zeroExtend(a, i.operandBits);
    uint64_t ub = zeroExtend(b, i.operandBits);
    bool holds = predicate == P::eq    ? a == b
                 : predicate == P::ne  ? a != b
                 : predicate == P::slt ? a < b
                 : predicate == P::sle ? a <= b
                 : predicate == P::sgt ? a > b
                 : predicate == P::sge ? a >= b
                 : predicate == P::ult ? ua < ub
                 : predicate == P::ule ? ua <= ub
                 : predicate == P::ugt ? ua > ub
                                       : ua >= ub;
    result[lane] = holds;
  });
}

static void evaluateSelect(const Instruction &i, Lanes *registers, Mask mask) {
  const Lanes &condition = registers[i.operands[0]];
  const Lanes &x = registers[i.operands[1]], &y = registers[i.operands[2]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] = condition[lane] & 1 ? x[lane] : y[lane];
  });
}

static void evaluateConstant(const Instruction &i, Lanes *registers,
                             Mask mask) {
  forEachLane(mask, [&](unsigned lane) {
    registers[i.results[0]][lane] = i.immediate;
  });
}

static void evaluateZero(const Instruction &i, Lanes *registers, Mask mask) {
  for (unsigned result : i.results)
    forEachLane(mask, [&](unsigned lane) { registers[result][lane] = 0; });
}

/// A copy plus the immediate.
static void evaluateOffset(const Instruction &i, Lanes *registers, Mask mask) {
  const Lanes &x = registers[i.operands[0]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] = signExtend(x[lane] + i.immediate, i.resultBits);
  });
}

static void evaluateZeroExtension(const Instruction &i, Lanes *registers,
                                  Mask mask) {
  const Lanes &x = registers[i.operands[0]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] = int64_t(zeroExtend(x[lane], i.operandBits));
  });
}

/// `mapa`: the same address in the CTA of the rank that the second operand is.
static void evaluateRemote(const Instruction &i, Lanes *registers, Mask mask) {
  const Lanes &address = registers[i.operands[0]];
  const Lanes &rank = registers[i.operands[1]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] = address[lane] + ((rank[lane] + 1) << kRankShift);
  });
}

/// `shfl.idx`: the lane that the third operand names.
static void evaluateShuffle(const Instruction &i, Lanes *registers, Mask mask) {
  const Lanes value = registers[i.operands[1]];
  const Lanes &from = registers[i.operands[2]];
  Lanes &result = registers[i.results[0]];
  forEachLane(mask, [&](unsigned lane) {
    result[lane] = value[from[lane] & (kLanes - 1)];
  });
}

/// Of f32, or of vectors of it.
static void evaluateAddF(const Instruction &i, Lanes *registers, Mask mask) {
  unsigned parts =
      isWorkspaceVector(i.op->getResult(0).getType()) ? kVectorLength : 1;
  for (unsigned part = 0; part < parts; ++part) {
    auto number = [&](unsigned operand, unsigned lane) {
      return llvm::bit_cast<float>(
          uint32_t(registers[i.operands[operand] + part][lane]));
    };
    Lanes &result = registers[i.results[0] + part];
    forEachLane(mask, [&](unsigned lane) {
      result[lane] =
          llvm::bit_cast<uint32_t>(number(0, lane) + number(1, lane));
    });
  }
}

/// A vector with another element at place `immediate`.
static void evaluateInsert(const Instruction &i, Lanes *registers, Mask mask) {
  for (unsigned place = 0; place < kVectorLength; ++place) {
    unsigned from = place == i.immediate ? i.operands[1] : i.operands[0] + place;
    forEachLane(mask, [&](unsigned lane) {
      registers[i.results[0] + place][lane] = registers[from][lane];
    });
  }
}

static Instruction::Evaluate getBinary(Operation &op) {
  return llvm::TypeSwitch<Operation *, Instruction::Evaluate>(&op)
      .Case([](arith::AddIOp) { return evaluateBinary<Add>; })
      .Case([](arith::SubIOp) { return evaluateBinary<Sub>; })
      .Case([](arith::MulIOp) { return evaluateBinary<Mul>; })
      .Case([](arith::DivUIOp) { return evaluateBinary<DivU>; })
      .Case([](arith::RemUIOp) { return evaluateBinary<RemU>; })
      .Case([](arith::AndIOp) { return evaluateBinary<And>; })
      .Case([](arith::OrIOp) { return evaluateBinary<Or>; })
      .Case([](arith::XOrIOp) { return evaluateBinary<XOr>; })
      .Case([](arith::ShLIOp) { return evaluateBinary<ShL>; })
      .Case([](arith::ShRUIOp) { return evaluateBinary<ShRU>; })
      .Case([](arith::MinSIOp) { return evaluateBinary<MinS>; })
      .Case([](arith::MaxSIOp) { return evaluateBinary<MaxS>; })
      .Case([](arith::MinUIOp) { return evaluateBinary<MinU>; })
      .Case([](arith::MaxUIOp) { return evaluateBinary<MaxU>; })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

SimtProgram::SimtProgram(LLVM::LLVMFuncOp function) {
  Region &region = function.getBody();
  if (!region.hasOneBlock()) {
    error = "expected a function of one block";
    return;
  }
  body = compile(region.front());
}

/// Registers of a value: one for each of its parts.
static unsigned countParts(Type type) {
  if (isWorkspaceVector(type))
    return kVectorLength;
  if (auto parts = dyn_cast<LLVM::LLVMStructType>(type))
    return std::max<size_t>(parts.getBody().size(), 1);
  return 1;
}

unsigned SimtProgram::getRegister(Value value) {
  auto [entry, isNew] = registers.try_emplace(value, numRegisters);
  if (isNew)
    numRegisters += countParts(value.getType());
  return entry->second;
}

const CodeBlock *SimtProgram::compile(Block &block) {
  blocks.push_back(std::make_unique<CodeBlock>());
  CodeBlock *code = blocks.back().get();
  for (Value argument : block.getArguments())
    code->arguments.push_back(getRegister(argument));
  for (Operation &op : block) {
    Instruction &instruction = code->code.emplace_back();
    instruction.op = &op;
    for (Value operand : op.getOperands())
      instruction.operands.push_back(getRegister(operand));
    for (Value result : op.getResults())
      instruction.results.push_back(getRegister(result));
    if (op.getNumOperands() != 0)
      instruction.operandBits = getBits(op.getOperand(0).getType());
    if (op.getNumResults() != 0)
      instruction.resultBits = getBits(op.getResult(0).getType());
    compile(op, instruction);
  }
  return code;
}

/// The constant place of a vector's element.
static int64_t getPlace(Value position) {
  IntegerAttr place;
  return matchPattern(position, m_Constant(&place)) ? place.getInt() : 0;
}

/// Whether an op does something that the warp cannot do by itself, or that the
/// machine looks at: negations are what epilogues under test begin with.
static bool isMachineOp(Operation &op) {
  if (isa<LLVM::StoreOp, LLVM::FenceOp, LLVM::AtomicRMWOp, arith::NegFOp>(op))
    return true;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isWorkspaceVector(load.getType()) ||
           (load.getType().isInteger(32) &&
            cast<LLVM::LLVMPointerType>(load.getAddr().getType())
                    .getAddressSpace() == 3);
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().starts_with("llvm.nvvm.barrier");
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return text.getHasSideEffects();
  return isa<NVVM::NVVMDialect>(op.getDialect()) &&
         !isa<NVVM::ShflOp, NVVM::MapaOp>(op);
}

void SimtProgram::compile(Operation &op, Instruction &instruction) {
  using Kind = Instruction::Kind;
  if (isa<scf::YieldOp>(op)) {
    instruction.kind = Kind::Yield;
  } else if (isa<LLVM::ReturnOp>(op)) {
    instruction.kind = Kind::Return;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    instruction.kind = Kind::If;
    instruction.regions[0] = compile(branch.getThenRegion().front());
    if (!branch.getElseRegion().empty())
      instruction.regions[1] = compile(branch.getElseRegion().front());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    instruction.kind = Kind::For;
    instruction.regions[0] = compile(*loop.getBody());
  } else if (isMachineOp(op)) {
    instruction.kind = Kind::Machine;
  } else if (auto evaluate = getBinary(op)) {
    instruction.evaluate = evaluate;
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    auto real = dyn_cast<FloatAttr>(constant.getValue());
    bool isWord = real && real.getType().isF32();
    instruction.evaluate = number || isWord ? evaluateConstant : evaluateZero;
    if (isWord)
      instruction.immediate =
          real.getValue().bitcastToAPInt().getZExtValue();
    if (number)
      instruction.immediate =
          signExtend(number.getValue().getSExtValue(), instruction.resultBits);
  } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    instruction.evaluate = evaluateCompare;
    instruction.immediate = int64_t(compare.getPredicate());
  } else if (isa<arith::SelectOp>(op)) {
    instruction.evaluate = evaluateSelect;
  } else if (isa<arith::ExtUIOp>(op) ||
             (isa<arith::IndexCastUIOp>(op) &&
              instruction.operandBits < instruction.resultBits)) {
    instruction.evaluate = evaluateZeroExtension;
  } else if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp,
                 arith::IndexCastUIOp, LLVM::PtrToIntOp, LLVM::AddrSpaceCastOp>(op)) {
    instruction.evaluate = evaluateOffset;
  } else if (isa<LLVM::AddressOfOp>(op)) {
    instruction.evaluate = evaluateConstant;
    instruction.immediate = kSharedBase;
  } else if (auto address = dyn_cast<LLVM::GEPOp>(op)) {
    ArrayRef<int32_t> indices = address.getRawConstantIndices();
    if (!address.getElemType().isInteger(8) || indices.size() != 1) {
      error = "expected addresses to be advanced by bytes";
    } else if (indices[0] == LLVM::GEPOp::kDynamicIndex) {
      instruction.evaluate = evaluateBinary<Add>;
    } else {
      instruction.evaluate = evaluateOffset;
      instruction.immediate = indices[0];
    }
  } else if (isa<arith::AddFOp>(op) &&
             (op.getResult(0).getType().isF32() ||
              isWorkspaceVector(op.getResult(0).getType()))) {
    instruction.evaluate = evaluateAddF;
  } else if (auto part = dyn_cast<LLVM::ExtractValueOp>(op)) {
    instruction.operands[0] += part.getPosition()[0];
    instruction.evaluate = evaluateOffset;
  } else if (auto insert = dyn_cast<LLVM::InsertElementOp>(op);
             insert && isWorkspaceVector(insert.getType())) {
    instruction.evaluate = evaluateInsert;
    instruction.immediate = getPlace(insert.getPosition());
  } else if (auto element = dyn_cast<LLVM::ExtractElementOp>(op);
             element && isWorkspaceVector(element.getVector().getType())) {
    instruction.operands[0] += getPlace(element.getPosition());
    instruction.evaluate = evaluateOffset;
  } else if (isa<NVVM::MapaOp>(op)) {
    instruction.evaluate = evaluateRemote;
  } else if (isa<NVVM::ShflOp>(op)) {
    instruction.evaluate = evaluateShuffle;
  } else if (op.getNumRegions() == 0 &&
             (isMemoryEffectFree(&op) ||
              isa<LLVM::LoadOp, LLVM::CallIntrinsicOp, LLVM::InlineAsmOp>(
                  op))) {
    instruction.evaluate = evaluateZero;
  } else {
    error = "no model of '" + op.getName().getStringRef().str() + "'";
  }
}
