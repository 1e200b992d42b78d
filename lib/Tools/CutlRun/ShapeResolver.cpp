//===- ShapeResolver.cpp - Sizes of dynamic dimensions by name -----------===//

#include "ShapeResolver.h"
#include "cutl/Dialect/Cutl/IR/CutlOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::cutl;

namespace {

/// A size of one thing that follows from that of another, as rows of a split B
/// do: `size = ceil(factor · of / divisor)`.
struct DerivedSize {
  unsigned size, of;
  int64_t factor, divisor;
};

class ShapeResolver {
public:
  explicit ShapeResolver(func::FuncOp function) : function(function) {}

  FailureOr<FunctionSizes> run(ArrayRef<std::string> settings);

private:
  /// A class of tied dimensions, or a member of one.
  struct Node {
    unsigned parent;
    int64_t size = ShapedType::kDynamic;
    /// What gave the size: a setting, or the text of a type.
    std::string origin;
  };

  unsigned makeNode(int64_t size = ShapedType::kDynamic,
                    std::string origin = "");
  unsigned find(unsigned node);
  LogicalResult setSize(unsigned node, int64_t size, const std::string &origin);
  LogicalResult tie(unsigned a, unsigned b);
  unsigned getNode(Value value, unsigned dim);

  LogicalResult tieGemm(GemmOp op, std::string prefix);
  LogicalResult tieAllocation(Operation *op);
  LogicalResult apply(StringRef setting);
  LogicalResult applyTo(StringRef name, int64_t size, StringRef setting);
  LogicalResult propagateDerived();
  FailureOr<SmallVector<int64_t, 4>> getSizes(Value value);
  std::string listNames();
  std::string getNameOf(unsigned node);

  func::FuncOp function;
  std::vector<Node> nodes;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> valueNodes;
  /// Nodes by name; a plain name such as `m` may have one in each gemm.
  llvm::MapVector<StringRef, SmallVector<unsigned, 2>> names;
  llvm::BumpPtrAllocator nameStorage;
  std::vector<DerivedSize> derived;
  /// The nodes of each gemm's domain, and its number of accumulators.
  SmallVector<std::pair<SmallVector<unsigned, 6>, unsigned>, 2> domains;

  void addName(const Twine &name, unsigned node) {
    StringRef text = StringRef(name.str()).copy(nameStorage);
    names[text].push_back(node);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Classes of dimensions
//===----------------------------------------------------------------------===//

unsigned ShapeResolver::makeNode(int64_t size, std::string origin) {
  unsigned number = nodes.size();
  nodes.push_back({number, size, std::move(origin)});
  return number;
}

unsigned ShapeResolver::find(unsigned node) {
  while (nodes[node].parent != node)
    node = nodes[node].parent = nodes[nodes[node].parent].parent;
  return node;
}

LogicalResult ShapeResolver::setSize(unsigned node, int64_t size,
                                     const std::string &origin) {
  Node &root = nodes[find(node)];
  if (!ShapedType::isDynamic(root.size) && root.size != size)
    return function.emitError("expected tied dimensions to have one size, but ")
           << origin << " gives " << size << " and " << root.origin << " gives "
           << root.size;
  if (ShapedType::isDynamic(root.size)) {
    root.size = size;
    root.origin = origin;
  }
  return success();
}

LogicalResult ShapeResolver::tie(unsigned a, unsigned b) {
  unsigned rootA = find(a), rootB = find(b);
  if (rootA == rootB)
    return success();
  Node merged = nodes[rootB];
  nodes[rootB].parent = rootA;
  if (ShapedType::isDynamic(merged.size))
    return success();
  return setSize(rootA, merged.size, merged.origin);
}

/// Describes a value for an error: the name of the argument, or of the op it is
/// from.
static std::string describe(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgumentName(argument);
  return "a result of " + value.getDefiningOp()->getName().getStringRef().str();
}

unsigned ShapeResolver::getNode(Value value, unsigned dim) {
  auto [entry, isNew] = valueNodes.try_emplace({value, dim}, 0);
  if (isNew) {
    int64_t size = cast<ShapedType>(value.getType()).getDimSize(dim);
    entry->second = makeNode(size, "dimension " + std::to_string(dim) + " of " +
                                       describe(value));
  }
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Ties
//===----------------------------------------------------------------------===//

LogicalResult ShapeResolver::tieGemm(GemmOp op, std::string prefix) {
  GemmDomain domain = op.getDomain();
  SmallVector<unsigned, 6> dims;
  for (unsigned dim = 0; dim < domain.getRank(); ++dim) {
    dims.push_back(makeNode());
    addName(domain.getName(dim), dims.back());
    if (!prefix.empty())
      addName(prefix + domain.getName(dim), dims.back());
  }
  domains.push_back({dims, op.getNumAccumulators()});
  unsigned firstAux =
      1 + op.getBs().size() + op.getScales().size() + op.getZeros().size();
  unsigned firstOut = op->getNumOperands() - op.getOuts().size();
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value operand = op->getOperand(i);
    for (auto [position, expr] : llvm::enumerate(op.getMap(i).getResults())) {
      GemmMapResult result = *decomposeMapResult(expr);
      unsigned node = getNode(operand, position);
      bool isSplitRows = op.getSplit() != Split::None &&
                         result.dim == domain.n() && i >= 1 && i < firstAux;
      if (isSplitRows || result.divisor != 1)
        derived.push_back(
            {node, dims[result.dim], isSplitRows ? 2 : 1, result.divisor});
      else if (failed(tie(dims[result.dim], node)))
        return failure();
      if (i >= firstOut && op.hasTensorForm() &&
          failed(tie(node, getNode(op.getResult(i - firstOut), position))))
        return failure();
    }
  }
  return success();
}

/// Ties dimensions of an allocation that are those of another value.
LogicalResult ShapeResolver::tieAllocation(Operation *op) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  unsigned next = 0;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Operation *size = op->getOperand(next++).getDefiningOp();
    if (!isa_and_nonnull<tensor::DimOp, memref::DimOp>(size))
      continue;
    llvm::APInt index;
    auto source = dyn_cast<ShapedType>(size->getOperand(0).getType());
    if (!source || !source.hasRank() ||
        !matchPattern(size->getOperand(1), m_ConstantInt(&index)) ||
        index.uge(source.getRank()))
      continue;
    if (failed(tie(getNode(op->getResult(0), dim),
                   getNode(size->getOperand(0), index.getZExtValue()))))
      return failure();
  }
  return success();
}

/// Applies derived sizes forward, and back where that is exact, until no more
/// sizes become known.
LogicalResult ShapeResolver::propagateDerived() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const DerivedSize &rule : derived) {
      Node &of = nodes[find(rule.of)], &size = nodes[find(rule.size)];
      if (!ShapedType::isDynamic(of.size)) {
        changed |= ShapedType::isDynamic(size.size);
        int64_t value = llvm::divideCeil(rule.factor * of.size, rule.divisor);
        if (failed(setSize(rule.size, value, of.origin)))
          return failure();
      } else if (!ShapedType::isDynamic(size.size) && rule.divisor == 1) {
        if (size.size % rule.factor != 0)
          return function.emitError("expected a split b to have an even number "
                                    "of rows, but ")
                 << size.origin << " gives " << size.size;
        changed = true;
        if (failed(setSize(rule.of, size.size / rule.factor, size.origin)))
          return failure();
      }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

std::string ShapeResolver::listNames() {
  SmallVector<std::string> dynamic;
  SmallVector<unsigned> seen;
  for (auto &[name, members] : names)
    for (unsigned member : members) {
      unsigned root = find(member);
      if (!ShapedType::isDynamic(nodes[root].size) ||
          llvm::is_contained(seen, root))
        continue;
      seen.push_back(root);
      dynamic.push_back(getNameOf(root));
    }
  return dynamic.empty() ? "none" : llvm::join(dynamic, ", ");
}

/// The name to call a class by: the first that no other open class has.
std::string ShapeResolver::getNameOf(unsigned node) {
  for (auto &[name, members] : names) {
    bool isMember = false, isOnly = true;
    for (unsigned member : members) {
      unsigned root = find(member);
      isMember |= root == find(node);
      isOnly &= root == find(node) || !ShapedType::isDynamic(nodes[root].size);
    }
    if (isMember && isOnly)
      return name.str();
  }
  return "?";
}

LogicalResult ShapeResolver::applyTo(StringRef name, int64_t size,
                                     StringRef setting) {
  auto found = names.find(name);
  if (found == names.end())
    return function.emitError("expected the name of a dimension before '=', "
                              "got '")
           << setting << "'; dynamic dimensions are " << listNames();
  SmallVector<unsigned, 2> open;
  bool agrees = false;
  for (unsigned member : found->second) {
    unsigned root = find(member);
    if (ShapedType::isDynamic(nodes[root].size)) {
      if (!llvm::is_contained(open, root))
        open.push_back(root);
    } else {
      agrees |= nodes[root].size == size;
    }
  }
  if (open.size() > 1) {
    SmallVector<std::string, 2> choices;
    for (unsigned root : open)
      choices.push_back(getNameOf(root));
    return function.emitError("'") << name << "' names " << open.size()
                                   << " different dimensions; name one of "
                                   << llvm::join(choices, ", ");
  }
  if (open.size() == 1)
    return setSize(open.front(), size, setting.str());
  if (agrees)
    return success();
  return setSize(found->second.front(), size, setting.str());
}

LogicalResult ShapeResolver::apply(StringRef setting) {
  auto [name, text] = setting.split('=');
  int64_t size;
  if (name.empty() || text.getAsInteger(10, size) || size < 0)
    return function.emitError("expected name=size with a size of at least 0, "
                              "got '")
           << setting << "'";
  return applyTo(name, size, setting);
}

FailureOr<SmallVector<int64_t, 4>> ShapeResolver::getSizes(Value value) {
  SmallVector<int64_t, 4> sizes;
  auto type = dyn_cast<ShapedType>(value.getType());
  for (unsigned dim = 0; type && dim < type.getRank(); ++dim) {
    unsigned node = getNode(value, dim);
    int64_t size = nodes[find(node)].size;
    if (ShapedType::isDynamic(size))
      return function.emitError("expected a size for dynamic dimension '")
             << getNameOf(node) << "' (dimension " << dim << " of "
             << describe(value) << "); dynamic dimensions are " << listNames();
    sizes.push_back(size);
  }
  return sizes;
}

FailureOr<FunctionSizes> ShapeResolver::run(ArrayRef<std::string> settings) {
  SmallVector<GemmOp> gemms;
  function.walk([&](GemmOp op) { gemms.push_back(op); });
  for (auto [i, op] : llvm::enumerate(gemms)) {
    std::string prefix =
        gemms.size() > 1 ? "gemm" + std::to_string(i) + "." : "";
    if (failed(tieGemm(op, prefix)))
      return failure();
  }
  WalkResult walk = function.walk([&](Operation *op) {
    bool isAllocation = isa<tensor::EmptyOp, memref::AllocOp>(op);
    return isAllocation && failed(tieAllocation(op)) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        addName(getArgumentName(argument) + "." + Twine(dim),
                getNode(argument, dim));
  for (const std::string &setting : settings)
    if (failed(apply(setting)))
      return failure();
  if (failed(propagateDerived()))
    return failure();

  FunctionSizes result;
  auto append = [&](Value value, auto &list) -> LogicalResult {
    FailureOr<SmallVector<int64_t, 4>> sizes = getSizes(value);
    if (failed(sizes))
      return failure();
    list.push_back(std::move(*sizes));
    return success();
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(append(argument, result.arguments)))
      return failure();
  for (Value value : function.getBody().back().getTerminator()->getOperands())
    if (failed(append(value, result.results)))
      return failure();
  for (auto &[dims, numAccumulators] : domains) {
    double flops = 2.0 * numAccumulators;
    for (unsigned dim : dims)
      flops *= static_cast<double>(nodes[find(dim)].size);
    result.flops += flops;
  }
  return result;
}

FailureOr<FunctionSizes>
mlir::cutl::resolveSizes(func::FuncOp function,
                         ArrayRef<std::string> settings) {
  return ShapeResolver(function).run(settings);
}
