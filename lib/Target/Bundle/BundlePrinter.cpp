//===- BundlePrinter.cpp - What a bundle holds, as text -------------------===//

#include "cutl/Target/Bundle/BundlePrinter.h"
#include "cutl/Runtime/Runtime.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

using namespace mlir;

namespace {

class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os(os) {}

  void print(const CutlEntry &each);

private:
  std::string toText(const CutlExpression &expression) const;
  std::string toText(const CutlInstruction &leaf) const;
  std::string toText(const CutlAddress &address) const;
  std::string getName(int32_t operand) const {
    return entry->operands[operand].name;
  }
  void print(const CutlOperandSignature &operand);
  void print(const CutlGuard &guard, StringRef what);
  void print(const CutlVariant &variant);
  void print(const CutlStep &step, uint32_t index);
  void print(const CutlLaunch &launch);
  void print(const CutlTensorMap &map, uint32_t index);
  void print(const CutlParameter &parameter);
  void printExtents(StringRef what, const CutlExpression (&extents)[3]);
  llvm::raw_ostream &indent(unsigned depth) { return os.indent(2 * depth); }

  llvm::raw_ostream &os;
  const CutlEntry *entry = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string Printer::toText(const CutlInstruction &leaf) const {
  switch (leaf.opcode) {
  case CUTL_OP_CONSTANT:
    return std::to_string(leaf.value);
  case CUTL_OP_SIZE:
    return llvm::formatv("size({0}, {1})", getName(leaf.index), leaf.value);
  case CUTL_OP_STRIDE:
    return llvm::formatv("stride({0}, {1})", getName(leaf.index), leaf.value);
  case CUTL_OP_ALIGNMENT:
    return llvm::formatv("alignment({0})", getName(leaf.index));
  case CUTL_OP_SCALAR:
    return entry->scalars[leaf.index].name;
  case CUTL_OP_SM_COUNT:
    return "sm_count";
  default:
    return llvm::formatv("occupancy({0})", leaf.index);
  }
}

static StringRef getSymbol(int32_t opcode) {
  switch (opcode) {
  case CUTL_OP_ADD:
    return "+";
  case CUTL_OP_SUB:
    return "-";
  case CUTL_OP_MUL:
    return "*";
  case CUTL_OP_FLOORDIV:
    return "floordiv";
  case CUTL_OP_CEILDIV:
    return "ceildiv";
  case CUTL_OP_MOD:
    return "mod";
  case CUTL_OP_MIN:
    return "min";
  case CUTL_OP_MAX:
    return "max";
  case CUTL_OP_EQ:
    return "==";
  case CUTL_OP_NE:
    return "!=";
  case CUTL_OP_LT:
    return "<";
  case CUTL_OP_LE:
    return "<=";
  case CUTL_OP_GT:
    return ">";
  default:
    return ">=";
  }
}

/// "(a * b) + c"; "default" where there is nothing.
std::string Printer::toText(const CutlExpression &expression) const {
  if (expression.count == 0)
    return "default";
  // A text, and whether it needs brackets as an operand.
  SmallVector<std::pair<std::string, bool>> stack;
  for (uint32_t i = 0; i < expression.count; ++i) {
    const CutlInstruction &each = expression.instructions[i];
    if (each.opcode < CUTL_OP_ADD) {
      stack.push_back({toText(each), false});
      continue;
    }
    auto right = stack.pop_back_val(), left = stack.pop_back_val();
    auto operand = [](const std::pair<std::string, bool> &side) {
      return side.second ? "(" + side.first + ")" : side.first;
    };
    StringRef symbol = getSymbol(each.opcode);
    if (each.opcode == CUTL_OP_MIN || each.opcode == CUTL_OP_MAX)
      stack.push_back(
          {llvm::formatv("{0}({1}, {2})", symbol, left.first, right.first),
           false});
    else
      stack.push_back(
          {llvm::formatv("{0} {1} {2}", operand(left), symbol, operand(right)),
           true});
  }
  return stack.back().first;
}

std::string Printer::toText(const CutlAddress &address) const {
  std::string base = address.kind == CUTL_ADDRESS_WORKSPACE
                         ? "workspace"
                         : getName(address.operand);
  return address.offset.count ? base + "[" + toText(address.offset) + "]"
                              : base;
}

//===----------------------------------------------------------------------===//
// Signature and guards
//===----------------------------------------------------------------------===//

void Printer::print(const CutlOperandSignature &operand) {
  indent(1) << "operand " << operand.name << " : ";
  for (uint32_t i = 0; i < operand.rank; ++i) {
    if (operand.sizes && operand.sizes[i] != CUTL_ANY_SIZE)
      os << operand.sizes[i] << "x";
    else
      os << "?x";
  }
  os << cutlElementTypeName(operand.type)
     << (operand.access == CUTL_ACCESS_WRITE ? " written" : "") << "\n";
}

void Printer::print(const CutlGuard &guard, StringRef what) {
  os << what << " ";
  StringRef kind = guard.kind == CUTL_GUARD_STRIDE_RANGE ||
                           guard.kind == CUTL_GUARD_STRIDE_ALIGNMENT
                       ? "stride"
                       : "size";
  std::string dim;
  if (guard.kind != CUTL_GUARD_CONDITION)
    dim = llvm::formatv("{0}({1}, {2})", kind, getName(guard.operand),
                        guard.dimension);
  switch (guard.kind) {
  case CUTL_GUARD_SIZE_RANGE:
  case CUTL_GUARD_STRIDE_RANGE:
    os << dim << " in " << guard.low << " to " << guard.high;
    break;
  case CUTL_GUARD_SIZE_DIVISIBLE:
    os << dim << " divisible by " << guard.divisor;
    break;
  case CUTL_GUARD_STRIDE_ALIGNMENT:
    os << dim << " in bytes divisible by " << guard.divisor;
    break;
  case CUTL_GUARD_SIZE_EQUALS:
    os << dim << " == " << toText(guard.expression);
    break;
  case CUTL_GUARD_POINTER_ALIGNMENT:
    os << "address(" << getName(guard.operand) << ") divisible by "
       << guard.divisor;
    break;
  default:
    os << toText(guard.expression);
  }
  if (StringRef text = guard.text; !text.empty())
    os << " \"" << text << "\"";
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Printer::printExtents(StringRef what, const CutlExpression (&extents)[3]) {
  unsigned count = 3;
  while (count && extents[count - 1].count == 0)
    --count;
  if (count == 0)
    return;
  indent(4) << what << " [";
  llvm::interleaveComma(
      ArrayRef(extents, count), os,
      [&](const CutlExpression &each) { os << toText(each); });
  os << "]\n";
}

void Printer::print(const CutlTensorMap &map, uint32_t index) {
  static constexpr StringRef kTypes[] = {
      "uint8",   "uint16",  "uint32",  "int32",    "", "",
      "float16", "float32", "float64", "bfloat16", "", "tfloat32"};
  static constexpr StringRef kSpans[] = {"none", "32B", "64B", "128B"};
  static constexpr StringRef kPromotions[] = {"none", "64B", "128B", "256B"};
  auto printList = [&](const CutlExpression *list, uint32_t count) {
    llvm::interleaveComma(
        ArrayRef(list, count), os,
        [&](const CutlExpression &each) { os << toText(each); });
  };
  indent(4) << "tensor_map " << index << " " << toText(map.address) << " : "
            << kTypes[map.type] << " sizes [";
  printList(map.sizes, map.rank);
  os << "] strides [";
  printList(map.strides, map.rank - 1);
  os << "] box [";
  llvm::interleaveComma(ArrayRef(map.box, map.rank), os);
  os << "] swizzle " << kSpans[map.swizzle] << " promotion "
     << kPromotions[map.l2Promotion] << " outside "
     << (map.outOfBounds == CUTL_OUT_OF_BOUNDS_NAN ? "nan" : "zero") << "\n";
}

void Printer::print(const CutlParameter &parameter) {
  indent(4) << "parameter ";
  switch (parameter.kind) {
  case CUTL_PARAMETER_EXPRESSION:
    os << toText(parameter.expression) << " : i" << 8 * parameter.bytes;
    break;
  case CUTL_PARAMETER_ADDRESS:
    os << "address " << toText(parameter.address);
    break;
  case CUTL_PARAMETER_TENSOR_MAP:
    os << "tensor_map " << parameter.index;
    break;
  default:
    os << "scalar " << entry->scalars[parameter.index].name;
  }
  os << "\n";
}

void Printer::print(const CutlLaunch &launch) {
  os << "launch " << launch.kernel << " of " << launch.image->name << " ("
     << (launch.image->kind == CUTL_IMAGE_PTX ? "ptx" : "cubin") << ", "
     << launch.image->size << " bytes)\n";
  printExtents("grid", launch.grid);
  printExtents("cluster", launch.cluster);
  printExtents("block", launch.block);
  if (launch.sharedBytes.count)
    indent(4) << "shared_bytes " << toText(launch.sharedBytes) << "\n";
  if (launch.programmatic)
    indent(4) << "programmatic\n";
  for (uint32_t i = 0; i < launch.tensorMapCount; ++i)
    print(launch.tensorMaps[i], i);
  for (uint32_t i = 0; i < launch.parameterCount; ++i)
    print(launch.parameters[i]);
}

void Printer::print(const CutlStep &step, uint32_t index) {
  indent(3) << "step " << index << " ";
  switch (step.kind) {
  case CUTL_STEP_LAUNCH:
    return print(*step.launch);
  case CUTL_STEP_MEMSET:
    os << "memset " << toText(step.memset->destination) << " with "
       << step.memset->value << " of " << step.memset->elementBytes
       << " bytes, " << toText(step.memset->count) << " times\n";
    return;
  default:
    os << "copy " << toText(step.copy->bytes) << " bytes from "
       << toText(step.copy->source) << " to " << toText(step.copy->destination)
       << "\n";
  }
}

void Printer::print(const CutlVariant &variant) {
  indent(1) << "variant " << variant.name << " for " << variant.chip << "\n";
  for (const CutlGuard &guard : ArrayRef(variant.guards, variant.guardCount)) {
    indent(2);
    print(guard, "guard");
  }
  if (variant.workspaceBytes.count)
    indent(2) << "workspace " << toText(variant.workspaceBytes) << "\n";
  for (uint32_t i = 0; i < variant.stepCount; ++i)
    print(variant.steps[i], i);
}

void Printer::print(const CutlEntry &each) {
  entry = &each;
  os << "entry " << each.name << "\n";
  for (const CutlOperandSignature &operand :
       ArrayRef(each.operands, each.operandCount))
    print(operand);
  for (const CutlScalarSignature &scalar :
       ArrayRef(each.scalars, each.scalarCount))
    indent(1) << "scalar " << scalar.name << " : "
              << cutlElementTypeName(scalar.type) << "\n";
  for (const CutlGuard &guard :
       ArrayRef(each.requirements, each.requirementCount)) {
    indent(1);
    print(guard, "requires");
  }
  for (const CutlVariant &variant : ArrayRef(each.variants, each.variantCount))
    print(variant);
}

void mlir::cutl::printBundle(const CutlBundle &bundle, llvm::raw_ostream &os) {
  os << "bundle abi " << bundle.abiVersion << "\n";
  Printer printer(os);
  for (const CutlEntry &entry : ArrayRef(bundle.entries, bundle.entryCount))
    printer.print(entry);
}
