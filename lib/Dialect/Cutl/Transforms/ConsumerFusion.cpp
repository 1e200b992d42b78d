//===- ConsumerFusion.cpp - Which readers of a gemm it can take in --------===//

#include "ConsumerFusion.h"
#include "ReducedOutput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::cutl;

AffineMap mlir::cutl::composeWithDomain(AffineMap map, ArrayRef<unsigned> dims,
                                        GemmDomain domain) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    results.push_back(
        dim ? getAffineDimExpr(dims[dim.getPosition()], map.getContext())
            : expr);
  }
  return AffineMap::get(domain.getRank(), 0, results, map.getContext());
}

bool ExtentCheck::add(Type type, AffineMap map) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return true;
  for (auto [expr, size] :
       llvm::zip_equal(map.getResults(), shaped.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || ShapedType::isDynamic(size))
      continue;
    int64_t &known = extents[dim.getPosition()];
    if (!ShapedType::isDynamic(known) && known != size)
      return false;
    known = size;
    if (!op.canHaveExtent(dim.getPosition(), size))
      return false;
  }
  return true;
}

AffineMap mlir::cutl::getOutMap(GemmOp op, unsigned out) {
  return op.getMap(op->getNumOperands() - op.getOuts().size() + out);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

bool ConsumerFusion::addCandidate(Operation *reader, std::string &reason) {
  if (reader->getBlock() != op->getBlock()) {
    reason = "it stands in another block";
    return false;
  }
  // Said before what such an op computes is looked at.
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(reader))
    for (OpOperand &operand : reader->getOpOperands())
      if (available.contains(operand.get()) &&
          !linalgOp.getMatchingIndexingMap(&operand).isPermutation()) {
        reason = "it does not read each element of the result once";
        return false;
      }
  std::optional<ElementwiseOp> elementwise = ElementwiseOp::get(reader, reason);
  if (!elementwise)
    return false;
  SmallVector<unsigned> dims;
  for (const GemmInput &input : elementwise->getInputs()) {
    auto found = available.find(input.value);
    if (found == available.end())
      continue;
    SmallVector<unsigned> own(elementwise->getNumDims());
    for (unsigned i = 0; i < own.size(); ++i)
      own[input.map.getDimPosition(i)] = found->second.getDimPosition(i);
    if (!dims.empty() && dims != own) {
      reason = "it reads the result in two orders of its dimensions";
      return false;
    }
    dims = own;
  }
  // Results of the gemm may be where it writes and nothing that it reads.
  if (dims.empty()) {
    reason = "it does not read the result";
    return false;
  }
  for (const GemmInput &input : elementwise->getInputs()) {
    if (auto type = dyn_cast<RankedTensorType>(input.value.getType());
        type && type.getEncoding()) {
      reason = "it reads a tensor with an encoding";
      return false;
    }
    if (!available.contains(input.value) && dependsOnGemm(input.value)) {
      reason = "it reads something else that is computed from the result";
      return false;
    }
  }
  if (elementwise->isReduction()) {
    if (reason = whyStartStays(*elementwise); !reason.empty())
      return false;
  }
  if (!elementwise->isReduction())
    for (auto [i, result] : llvm::enumerate(elementwise->getResults()))
      available[reader->getResult(i)] =
          composeWithDomain(result.map, dims, op.getDomain());
  candidates.push_back(std::make_unique<Candidate>(
      Candidate{std::move(*elementwise), std::move(dims)}));
  return true;
}

/// Ops of which a user would expect that they are fused.
static bool isWorthARemark(Operation *reader) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(reader))
    return !linalg::isaContractionOpInterface(linalgOp);
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         tensor::TensorDialect>(reader->getDialect());
}

bool ConsumerFusion::find() {
  if (!op.hasTensorForm())
    return false;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (op.getCombiner(i) == Combiner::None) {
      available[result] = getOutMap(op, i);
      continue;
    }
    for (Operation *reader : result.getUsers())
      if (isWorthARemark(reader))
        missed.push_back({reader, "it reads a reduced output"});
  }

  // Readers in the order of the block, so that what leads to one comes first.
  llvm::SetVector<Operation *> pending;
  llvm::SmallPtrSet<Operation *, 8> visited;
  auto addReaders = [&](Value value) {
    for (Operation *reader : value.getUsers()) {
      if (isa<tensor::DimOp>(reader) || !visited.insert(reader).second)
        continue;
      if (op->getBlock()->findAncestorOpInBlock(*reader))
        pending.insert(reader);
      else if (isWorthARemark(reader))
        missed.push_back({reader, "it stands in another block"});
    }
  };
  for (Value result : op.getResults())
    if (available.contains(result))
      addReaders(result);
  while (!pending.empty()) {
    auto first = llvm::min_element(pending, [&](Operation *a, Operation *b) {
      Operation *inA = op->getBlock()->findAncestorOpInBlock(*a);
      Operation *inB = op->getBlock()->findAncestorOpInBlock(*b);
      return inA != inB && inA->isBeforeInBlock(inB);
    });
    Operation *reader = *first;
    pending.remove(reader);
    std::string reason;
    if (addCandidate(reader, reason)) {
      if (findGroup(*candidates.back(), reason))
        return true;
      for (Value result : reader->getResults())
        if (available.contains(result))
          addReaders(result);
    }
    if (isWorthARemark(reader) && !reason.empty())
      missed.push_back({reader, reason});
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool ConsumerFusion::findGroup(const Candidate &last, std::string &reason) {
  // What leads to the last one was added before it, in the block's order.
  llvm::SmallPtrSet<Operation *, 8> needed;
  Group group;
  needed.insert(last.op.getOperation());
  for (auto &candidate : llvm::reverse(candidates)) {
    if (!needed.contains(candidate->op.getOperation()))
      continue;
    group.members.insert(group.members.begin(), candidate.get());
    for (const GemmInput &input : candidate->op.getInputs())
      if (available.contains(input.value) && input.value.getDefiningOp() != op)
        needed.insert(input.value.getDefiningOp());
  }
  // On the way to it there may be no reduction, whose result is no candidate's
  // input, so only the last can be one.
  if (!findOuts(group, reason) || !checkOperands(group, reason) ||
      !findPlace(group, reason))
    return false;
  found = std::move(group);
  return true;
}

/// The dimension whose size is asked for, if it is known and there is one.
static std::optional<unsigned> getDimension(tensor::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return std::nullopt;
  return *index;
}

/// Whether an op only asks for the size of a dimension, which others can tell.
static bool isSizeQuestion(Operation *user) {
  auto dim = dyn_cast<tensor::DimOp>(user);
  return dim && getDimension(dim);
}

/// Whether anything but members of a group, and questions for sizes, uses a
/// value.
static bool isUsedOutside(Value value,
                          const llvm::SmallPtrSetImpl<Operation *> &members) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !members.contains(user) && !isSizeQuestion(user);
  });
}

bool ConsumerFusion::findOuts(Group &group, std::string &reason) {
  llvm::SmallPtrSet<Operation *, 8> members;
  llvm::SmallDenseSet<Value> read;
  for (const Candidate *member : group.members) {
    members.insert(member->op.getOperation());
    for (const GemmInput &input : member->op.getInputs())
      read.insert(input.value);
  }
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!read.contains(result) || isUsedOutside(result, members))
      group.keptOuts.push_back(i);
  for (const Candidate *member : group.members)
    for (auto [i, result] :
         llvm::enumerate(member->op.getOperation()->getResults()))
      if (isUsedOutside(result, members))
        group.newOuts.push_back(makeNewOut(group, *member, i));
  if (group.newOuts.empty()) {
    reason = "nothing uses it";
    return false;
  }
  size_t numOuts = group.keptOuts.size() + group.newOuts.size();
  size_t limit = std::max<size_t>(op.getOuts().size(), maxOutputs);
  if (numOuts > limit) {
    reason = "something else uses the result too, and with that the gemm would "
             "have " +
             std::to_string(numOuts) +
             " outputs (max-outputs would have to "
             "allow them)";
    return false;
  }
  return true;
}

bool ConsumerFusion::isDropped(const Group &group, unsigned out) const {
  return !llvm::is_contained(group.keptOuts, out);
}

/// The tensor whose memory the result can take: where an unread destination
/// comes from. Null if a new one is needed.
Value ConsumerFusion::getDestination(Value destination, Type type) {
  while (destination) {
    if (auto fill = destination.getDefiningOp<linalg::FillOp>()) {
      destination = fill.getOutputs().front();
      continue;
    }
    if (!available.contains(destination))
      break;
    Operation *def = destination.getDefiningOp();
    unsigned i = cast<OpResult>(destination).getResultNumber();
    if (def == op) {
      destination = op.getOuts()[i];
      continue;
    }
    auto style = dyn_cast<DestinationStyleOpInterface>(def);
    destination = style ? style.getDpsInitOperand(i)->get() : Value();
  }
  if (!destination || destination.getType() != type ||
      destination.getDefiningOp<tensor::EmptyOp>() ||
      destination.getDefiningOp<arith::ConstantOp>() ||
      dependsOnGemm(destination))
    return Value();
  return destination;
}

ConsumerFusion::NewOut ConsumerFusion::makeNewOut(const Group &group,
                                                  const Candidate &member,
                                                  unsigned i) {
  const ElementwiseResult &result = member.op.getResults()[i];
  NewOut out;
  out.replaced = member.op.getOperation()->getResult(i);
  out.map = composeWithDomain(result.map, member.dims, op.getDomain());
  Type type = out.replaced.getType();
  if (member.op.isReduction()) {
    ReducedOutput reduced = getReducedOutput(member.op);
    out.combiner = reduced.combiner;
    out.start = reduced.start;
    if (!out.start)
      out.destination = getDestination(result.destination, type);
  } else if (result.destination) {
    out.destination = getDestination(result.destination, type);
  } else {
    // An op that is not in destination style can take the memory of what the
    // gemm does not write any more.
    for (unsigned k = 0; k < op.getOuts().size() && !out.destination; ++k)
      if (isDropped(group, k) && op.getOuts()[k].getType() == type &&
          available.lookup(op.getResult(k)) == out.map)
        out.destination = getDestination(op.getOuts()[k], type);
  }
  // Two outputs cannot share memory.
  auto isTaken = [&](Value destination) {
    return llvm::any_of(
               group.keptOuts,
               [&](unsigned k) { return op.getOuts()[k] == destination; }) ||
           llvm::any_of(group.newOuts, [&](const NewOut &other) {
             return other.destination == destination;
           });
  };
  if (out.destination && isTaken(out.destination))
    out.destination = Value();
  return out;
}

bool ConsumerFusion::dependsOnGemm(Value value) {
  Operation *def = value.getDefiningOp();
  if (def == op)
    return true;
  if (!def || def->getBlock() != op->getBlock() || def->isBeforeInBlock(op))
    return false;
  if (auto known = dependent.find(def); known != dependent.end())
    return known->second;
  bool result = false;
  def->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!result &&
          (nested == def || operand.getParentBlock() == op->getBlock()))
        result = dependsOnGemm(operand);
  });
  dependent[def] = result;
  return result;
}

bool ConsumerFusion::checkOperands(const Group &group, std::string &reason) {
  ExtentCheck extents(op);
  EpilogueEdit edit(op);
  bool agree = true;
  for (unsigned i = 0; i < op.getAux().size(); ++i)
    edit.keepAux(i);
  for (const Candidate *member : group.members) {
    for (const GemmInput &input : member->op.getInputs()) {
      AffineMap map =
          composeWithDomain(input.map, member->dims, op.getDomain());
      agree &= extents.add(input.value.getType(), map);
      if (!available.contains(input.value))
        edit.addAux({input.value, map});
    }
    for (auto [i, result] : llvm::enumerate(member->op.getResults()))
      agree &= extents.add(
          member->op.getOperation()->getResult(i).getType(),
          composeWithDomain(result.map, member->dims, op.getDomain()));
  }
  if (!agree) {
    reason = "its static sizes disagree with those of the gemm or with what is "
             "promised about them";
    return false;
  }
  for (unsigned i : group.keptOuts)
    edit.keepOut(i);
  for (const NewOut &out : group.newOuts)
    edit.addOut({{out.destination, out.map}, out.combiner});
  if (edit.overwritesInputs()) {
    reason = "it writes into a tensor that the gemm reads in another way";
    return false;
  }
  if (!edit.keepsDomain()) {
    reason = "only the result says how large a batch dimension is";
    return false;
  }
  return true;
}

bool ConsumerFusion::findPlace(Group &group, std::string &reason) {
  Operation *last = group.members.back()->op.getOperation();
  Block *block = op->getBlock();
  llvm::SmallPtrSet<Operation *, 8> members;
  for (const Candidate *member : group.members)
    members.insert(member->op.getOperation());
  // Where the last member stands, unless something uses an output before that.
  auto isUsedBefore = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      return !members.contains(user) && !isSizeQuestion(user) && inBlock &&
             inBlock != last && inBlock->isBeforeInBlock(last);
    });
  };
  bool isEarly = false;
  for (unsigned i : group.keptOuts)
    isEarly |= isUsedBefore(op.getResult(i));
  for (const NewOut &out : group.newOuts)
    isEarly |= isUsedBefore(out.replaced);
  if (!isEarly)
    return true;

  // Otherwise where the gemm stands, if what the members read can be computed
  // before it.
  group.atGemm = true;
  llvm::SetVector<Operation *> moved;
  SmallVector<Value> worklist;
  for (const Candidate *member : group.members)
    for (const GemmInput &input : member->op.getInputs())
      if (!available.contains(input.value))
        worklist.push_back(input.value);
  for (const NewOut &out : group.newOuts)
    if (out.destination)
      worklist.push_back(out.destination);
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (!def || def->getBlock() != block || def->isBeforeInBlock(op) ||
        !moved.insert(def))
      continue;
    if (!isPure(def)) {
      reason = "something uses an output of the gemm before '" +
               def->getName().getStringRef().str() +
               "' computes what this op reads";
      return false;
    }
    def->walk([&](Operation *nested) {
      llvm::append_range(worklist, nested->getOperands());
    });
  }
  group.hoisted = moved.takeVector();
  llvm::sort(group.hoisted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return true;
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

bool mlir::cutl::replaceDims(PatternRewriter &rewriter, GemmOp op, Value value,
                             AffineMap map) {
  SmallVector<tensor::DimOp> dims;
  for (Operation *user : value.getUsers())
    if (isSizeQuestion(user))
      dims.push_back(cast<tensor::DimOp>(user));
  UnusedDefs indices;
  for (tensor::DimOp dim : dims) {
    indices.add(dim.getIndex());
    rewriter.setInsertionPoint(dim);
    OpFoldResult extent = op.getExtent(rewriter, dim.getLoc(),
                                       map.getDimPosition(*getDimension(dim)));
    rewriter.replaceOp(
        dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(), extent));
  }
  indices.erase(rewriter);
  return !dims.empty();
}

Value ConsumerFusion::createEmpty(PatternRewriter &rewriter,
                                  const NewOut &out) {
  auto type = cast<RankedTensorType>(out.replaced.getType());
  SmallVector<Value> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(getValueOrCreateConstantIndexOp(
          rewriter, op.getLoc(),
          op.getExtent(rewriter, op.getLoc(), out.map.getDimPosition(i))));
  return tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
}

void ConsumerFusion::apply(PatternRewriter &rewriter) {
  Group &group = found;
  Operation *last = group.members.back()->op.getOperation();
  for (const Candidate *member : group.members)
    for (Value result : member->op.getOperation()->getResults())
      if (AffineMap map = available.lookup(result))
        replaceDims(rewriter, op, result, map);
  for (Operation *moved : group.hoisted)
    rewriter.moveOpBefore(moved, op);
  rewriter.setInsertionPoint(group.atGemm ? op.getOperation() : last);

  EpilogueEdit edit(op);
  SmallVector<EpilogueSource> ownAux;
  for (unsigned i = 0; i < op.getAux().size(); ++i)
    ownAux.push_back(edit.keepAux(i));
  // One list per member; what is available has no source.
  SmallVector<SmallVector<std::optional<EpilogueSource>>> sources;
  UnusedDefs given;
  for (const Candidate *member : group.members) {
    auto &list = sources.emplace_back();
    for (const GemmInput &input : member->op.getInputs()) {
      given.add(input.value);
      std::optional<EpilogueSource> source;
      if (!available.contains(input.value))
        source =
            edit.addAux({input.value, composeWithDomain(input.map, member->dims,
                                                        op.getDomain())});
      list.push_back(source);
    }
    given.add(member->op.getOperation()->getOperands());
  }
  given.add(op.getOuts());
  for (unsigned i : group.keptOuts)
    edit.keepOut(i);
  for (const NewOut &out : group.newOuts)
    edit.addOut(
        {{out.destination ? out.destination : createEmpty(rewriter, out),
          out.map},
         out.combiner});

  GemmOp fused = edit.create(rewriter, [&](OpBuilder &builder,
                                           ValueRange accumulators) {
    SmallVector<Value> arguments(accumulators);
    for (const EpilogueSource &source : ownAux)
      arguments.push_back(edit.emit(builder, source));
    IRMapping values;
    values.map(op.getResults(), edit.cloneRegion(builder, arguments));
    for (auto [member, list] : llvm::zip_equal(group.members, sources)) {
      SmallVector<Value> elements;
      for (auto [input, source] : llvm::zip_equal(member->op.getInputs(), list))
        elements.push_back(source ? edit.emit(builder, *source)
                                  : values.lookup(input.value));
      SmallVector<Value> results = member->op.emit(builder, elements);
      values.map(member->op.getOperation()->getResults(), results);
    }
    SmallVector<Value> yielded;
    for (unsigned i : group.keptOuts)
      yielded.push_back(values.lookup(op.getResult(i)));
    for (const NewOut &out : group.newOuts)
      yielded.push_back(values.lookup(out.replaced));
    return yielded;
  });

  SmallVector<Value> replacements;
  for (auto [k, out] : llvm::enumerate(group.newOuts)) {
    Value value = fused.getResult(group.keptOuts.size() + k);
    if (out.start) {
      rewriter.setInsertionPoint(last);
      value = combineWithStart(rewriter, group.members.back()->op, value);
    }
    replacements.push_back(value);
  }
  for (auto [k, i] : llvm::enumerate(group.keptOuts))
    rewriter.replaceAllUsesWith(op.getResult(i), fused.getResult(k));
  for (auto [out, value] : llvm::zip_equal(group.newOuts, replacements))
    rewriter.replaceAllUsesWith(out.replaced, value);
  for (const Candidate *member : llvm::reverse(group.members))
    rewriter.eraseOp(member->op.getOperation());
  rewriter.eraseOp(op);
  given.erase(rewriter);
}
