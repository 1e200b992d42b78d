//===- EpilogueChain.cpp - Random ops around a gemm -----------------------===//

#include "EpilogueChain.h"
#include <algorithm>
#include <numeric>

using namespace cutltest;

//===----------------------------------------------------------------------===//
// Pieces of text
//===----------------------------------------------------------------------===//

std::string ChainWriter::type(const std::vector<unsigned> &dims,
                              const std::string &element) {
  std::string text = "tensor<";
  for (unsigned dim : dims)
    text += (isDynamic[dim] ? "?" : std::to_string(sizes[dim])) + "x";
  return text + element + ">";
}

/// From the dimensions of the current value, in its order, to `dims`.
std::string ChainWriter::map(const std::vector<unsigned> &dims) {
  std::string from, to;
  for (unsigned i = 0; i < current.dims.size(); ++i)
    from += (i ? ", d" : "d") + std::to_string(i);
  for (unsigned dim : dims) {
    auto position = std::find(current.dims.begin(), current.dims.end(), dim) -
                    current.dims.begin();
    to += (to.empty() ? "d" : ", d") + std::to_string(position);
  }
  return "affine_map<(" + from + ") -> (" + to + ")>";
}

ChainWriter::Value ChainWriter::addArgument(const std::vector<unsigned> &dims,
                                            const std::string &element) {
  ChainArgument argument;
  argument.type = type(dims, element);
  argument.elementType = element;
  for (unsigned dim : dims)
    argument.sizes.push_back(sizes[dim]);
  chain.arguments.push_back(argument);
  return {"%a" + std::to_string(chain.arguments.size() - 1), dims, element};
}

/// A new tensor; its sizes are those of the current value.
std::string ChainWriter::emptyLike(const std::vector<unsigned> &dims,
                                   const std::string &element) {
  std::string operands;
  for (unsigned dim : dims) {
    if (!isDynamic[dim])
      continue;
    auto position = std::find(current.dims.begin(), current.dims.end(), dim) -
                    current.dims.begin();
    std::string index = fresh(), size = fresh();
    line(index + " = arith.constant " + std::to_string(position) + " : index");
    line(size + " = tensor.dim " + current.name + ", " + index + " : " +
         type(current));
    operands += (operands.empty() ? "" : ", ") + size;
  }
  std::string name = fresh();
  line(name + " = tensor.empty(" + operands + ") : " + type(dims, element));
  return name;
}

/// Some of the current value's dimensions, all of them every other time.
std::vector<unsigned> ChainWriter::someDims(bool shuffled) {
  std::vector<unsigned> dims;
  bool all = toss();
  for (unsigned dim : current.dims)
    if (all || toss())
      dims.push_back(dim);
  if (shuffled)
    std::shuffle(dims.begin(), dims.end(), random);
  return dims;
}

/// Adds to `text` what converts a number, and gives the converted one's name.
std::string ChainWriter::convert(std::string &text, const std::string &name,
                                 const std::string &from,
                                 const std::string &to) {
  if (from == to)
    return name;
  auto bits = [](const std::string &element) {
    return element == "bf16" ? 16 : std::stoi(element.substr(1));
  };
  bool widens = bits(to) > bits(from);
  std::string op = isFloat() ? (widens ? "arith.extf " : "arith.truncf ")
                             : (widens ? "arith.extsi " : "arith.trunci ");
  std::string result = fresh();
  text +=
      "    " + result + " = " + op + name + " : " + from + " to " + to + "\n";
  return result;
}

//===----------------------------------------------------------------------===//
// Links of the chain
//===----------------------------------------------------------------------===//

void ChainWriter::writeGemm() {
  computeType = pick(4) == 0 ? "i32" : "f32";
  unsigned numBatch = pick(4) == 0 ? 1 : 0;
  for (unsigned dim = 0; dim < numBatch + 3; ++dim) {
    // Now and then empty.
    sizes.push_back(pick(16) == 0 ? 0 : 1 + pick(dim < numBatch ? 3 : 20));
    isDynamic.push_back(toss());
  }
  unsigned m = numBatch, n = m + 1, k = m + 2;
  std::vector<std::string> names = {"b", "m", "n", "k"};
  auto mapOf = [&](const std::vector<unsigned> &dims) {
    std::string text = "(";
    for (unsigned dim : dims)
      text += (text == "(" ? "" : ", ") + names[dim + 1 - numBatch];
    return text + ")";
  };
  std::vector<unsigned> a = {m, k}, b = {n, k}, d = {m, n};
  if (numBatch) {
    a.insert(a.begin(), 0);
    d.insert(d.begin(), 0);
  }
  for (auto *dims : {&a, &b, &d})
    if (pick(3) == 0)
      std::shuffle(dims->begin(), dims->end(), random);
  std::string input =
      isFloat() ? pickOf<std::string>({"f32", "f16", "bf16"}) : "i8";
  std::string output =
      isFloat() ? pickOf<std::string>({"f32", "f32", "bf16"}) : "i32";
  Value valueA = addArgument(a, input), valueB = addArgument(b, input),
        destination = addArgument(d, output);
  current = {fresh(), d, output};
  std::string text;
  std::string result = convert(text, "%acc", computeType, output);
  line(current.name + " = cutl.gemm ins(" + valueA.name + " : " + mapOf(a) +
       ", " + valueB.name + " : " + mapOf(b) + ") outs(" + destination.name +
       " : " + mapOf(d) + ") {\n  ^bb0(%acc: " + computeType + "):\n" + text +
       "    cutl.yield " + result + " : " + output + "\n  } : (" +
       type(valueA) + ", " + type(valueB) + ", " + type(destination) + ") -> " +
       type(destination));
}

/// A linalg.generic on the current value and another array, number or constant.
void ChainWriter::addGeneric(const std::string &destination) {
  std::string element = current.element, ins = current.name,
              types = type(current), maps = map(current.dims);
  std::string arguments = "%x: " + element, text;
  std::string x = convert(text, "%x", element, computeType), y;
  switch (pick(4)) {
  case 0: {
    // A number of the function.
    ChainArgument number{computeType, computeType, {}, false};
    chain.arguments.push_back(number);
    y = "%a" + std::to_string(chain.arguments.size() - 1);
    break;
  }
  case 1: {
    y = fresh();
    line(y + " = arith.constant " + (isFloat() ? "0.75" : "3") + " : " +
         computeType);
    break;
  }
  default: {
    std::string narrow = isFloat() ? pickOf<std::string>({"f32", "f16", "bf16"})
                                   : pickOf<std::string>({"i32", "i8"});
    Value other = addArgument(someDims(/*shuffled=*/true), narrow);
    ins += ", " + other.name;
    types += ", " + type(other);
    maps += ", " + map(other.dims);
    arguments += ", %y: " + narrow;
    y = convert(text, "%y", narrow, computeType);
    break;
  }
  }
  std::string op =
      isFloat() ? pickOf<std::string>({"arith.addf", "arith.mulf", "arith.subf",
                                       "arith.maximumf", "arith.minnumf"})
                : pickOf<std::string>({"arith.addi", "arith.muli",
                                       "arith.maxsi", "arith.xori"});
  std::string z = fresh();
  text +=
      "    " + z + " = " + op + " " + x + ", " + y + " : " + computeType + "\n";
  std::string out = convert(text, z, computeType, element);
  std::string init =
      destination.empty() ? emptyLike(current.dims, element) : destination;
  std::string iterators;
  for (unsigned i = 0; i < current.dims.size(); ++i)
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
  std::string result = fresh();
  line(result + " = linalg.generic {indexing_maps = [" + maps + ", " +
       map(current.dims) + "], iterator_types = [" + iterators + "]} ins(" +
       ins + " : " + types + ") outs(" + init + " : " + type(current) +
       ") {\n  ^bb0(" + arguments + ", %o: " + element + "):\n" + text +
       "    linalg.yield " + out + " : " + element + "\n  } -> " +
       type(current));
  current.name = result;
}

void ChainWriter::addNamedUnary() {
  if (!isFloat())
    return addNamedBinary();
  std::string op =
      pickOf<std::string>({"exp", "tanh", "abs", "negf", "square", "floor"});
  // Every other time in place.
  std::string init =
      toss() ? current.name : emptyLike(current.dims, current.element);
  std::string result = fresh();
  line(result + " = linalg." + op + " ins(" + current.name + " : " +
       type(current) + ") outs(" + init + " : " + type(current) + ") -> " +
       type(current));
  current.name = result;
}

/// A named op on the current value and a broadcast or filled array.
void ChainWriter::addNamedBinary() {
  Value other{"", current.dims, current.element};
  std::string init = emptyLike(other.dims, other.element);
  other.name = fresh();
  if (pick(3) == 0) {
    std::string number = fresh();
    line(number + " = arith.constant " + (isFloat() ? "-1.5" : "7") + " : " +
         other.element);
    line(other.name + " = linalg.fill ins(" + number + " : " + other.element +
         ") outs(" + init + " : " + type(other) + ") -> " + type(other));
  } else {
    std::vector<unsigned> kept = someDims(/*shuffled=*/false);
    Value source = addArgument(kept, other.element);
    std::string dropped;
    for (unsigned i = 0; i < current.dims.size(); ++i)
      if (std::find(kept.begin(), kept.end(), current.dims[i]) == kept.end())
        dropped += (dropped.empty() ? "" : ", ") + std::to_string(i);
    line(other.name + " = linalg.broadcast ins(" + source.name + " : " +
         type(source) + ") outs(" + init + " : " + type(other) +
         ") dimensions = [" + dropped + "]");
  }
  std::string op = pickOf<std::string>({"add", "mul", "sub", "max"});
  std::string destination = emptyLike(current.dims, current.element);
  std::string result = fresh();
  std::string both = type(current) + ", " + type(current);
  line(result + " = linalg." + op + " ins(" +
       (toss() ? current.name + ", " + other.name
               : other.name + ", " + current.name) +
       " : " + both + ") outs(" + destination + " : " + type(current) +
       ") -> " + type(current));
  current.name = result;
}

void ChainWriter::addTensorOp() {
  Value other = addArgument(current.dims, current.element);
  std::string op =
      isFloat()
          ? pickOf<std::string>({"arith.addf", "arith.mulf", "arith.maximumf"})
          : pickOf<std::string>({"arith.addi", "arith.muli"});
  std::string result = fresh();
  line(result + " = " + op + " " + current.name + ", " + other.name + " : " +
       type(current));
  current.name = result;
}

void ChainWriter::addTranspose() {
  std::vector<unsigned> positions(current.dims.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::shuffle(positions.begin(), positions.end(), random);
  std::vector<unsigned> dims;
  std::string permutation;
  for (unsigned position : positions) {
    dims.push_back(current.dims[position]);
    permutation += (permutation.empty() ? "" : ", ") + std::to_string(position);
  }
  std::string init = emptyLike(dims, current.element);
  std::string result = fresh();
  Value transposed{result, dims, current.element};
  line(result + " = linalg.transpose ins(" + current.name + " : " +
       type(current) + ") outs(" + init + " : " + type(transposed) +
       ") permutation = [" + permutation + "]");
  current = transposed;
}

/// x · f(x): two readers of one result.
void ChainWriter::addDiamond() {
  std::string inner = fresh(), result = fresh();
  std::string all = " : " + type(current);
  if (isFloat()) {
    line(inner + " = math.tanh " + current.name + all);
    line(result + " = arith.mulf " + current.name + ", " + inner + all);
  } else {
    line(inner + " = arith.muli " + current.name + ", " + current.name + all);
    line(result + " = arith.subi " + inner + ", " + current.name + all);
  }
  current.name = result;
}

void ChainWriter::addCast() {
  std::string to = !isFloat() ? "i32"
                   : current.element == "f32"
                       ? pickOf<std::string>({"f16", "bf16"})
                       : "f32";
  if (to == current.element)
    return;
  std::string result = fresh();
  line(result + " = " +
       (current.element == "f32" ? "arith.truncf " : "arith.extf ") +
       current.name + " : " + type(current) + " to " + type(current.dims, to));
  current.name = result;
  current.element = to;
}

void ChainWriter::addResult(const Value &value, const ChainResult &result) {
  const char *separator = returned.empty() ? "" : ", ";
  returned += separator + value.name;
  returnedTypes += separator + type(value);
  chain.results.push_back(result);
}

void ChainWriter::addReduction() {
  std::vector<unsigned> kept;
  std::string dropped;
  for (unsigned i = 0; i < current.dims.size(); ++i) {
    if (toss() && !(i + 1 == current.dims.size() && dropped.empty()))
      kept.push_back(current.dims[i]);
    else
      dropped += (dropped.empty() ? "" : ", ") + std::to_string(i);
  }
  Value destination = addArgument(kept, current.element);
  unsigned argument = chain.arguments.size() - 1;
  // A sum of narrow floats is not what a sum in f32 is.
  unsigned which =
      isFloat() && current.element != "f32" ? 1 + pick(2) : pick(3);
  bool isFloatSum = isFloat() && which == 0;
  std::vector<std::string> ops =
      isFloat() ? std::vector<std::string>{"addf", "maximumf", "minimumf"}
                : std::vector<std::string>{"addi", "maxsi", "minsi"};
  bool isHalf = current.element != "f32";
  std::vector<std::string> starts =
      isFloat()
          ? std::vector<std::string>{"0.0", isHalf ? "0xFF80" : "0xFF800000",
                                     isHalf ? "0x7F80" : "0x7F800000"}
          : std::vector<std::string>{"0", "-2147483648", "2147483647"};
  if (current.element == "f16")
    starts = {"0.0", "0xFC00", "0x7C00"};
  std::string number = fresh(), filled = fresh(), result = fresh();
  std::string t = type(destination);
  line(number + " = arith.constant " + starts[which] + " : " + current.element);
  line(filled + " = linalg.fill ins(" + number + " : " + current.element +
       ") outs(" + destination.name + " : " + t + ") -> " + t);
  line(result + " = linalg.reduce ins(" + current.name + " : " + type(current) +
       ") outs(" + filled + " : " + t + ") dimensions = [" + dropped +
       "] (%x: " + current.element + ", %o: " + current.element +
       ") {\n    %r = arith." + ops[which] + " %x, %o" +
       (isFloatSum ? " fastmath<reassoc>" : "") + " : " + current.element +
       "\n    linalg.yield %r : " + current.element + "\n  }");
  addResult({result, kept, current.element},
            {argument, isFloatSum, isFloat() && !isFloatSum});
}

Chain ChainWriter::write() {
  writeGemm();
  for (unsigned links = 1 + pick(5); links != 0; --links) {
    switch (pick(7)) {
    case 0:
    case 1:
      addGeneric("");
      break;
    case 2:
      addNamedUnary();
      break;
    case 3:
      addNamedBinary();
      break;
    case 4:
      addTensorOp();
      break;
    case 5:
      addTranspose();
      break;
    case 6:
      addDiamond();
      break;
    }
    if (pick(4) == 0)
      addCast();
    if (pick(12) == 0)
      addReduction();
  }
  if (pick(3) == 0) {
    addReduction();
  } else {
    Value destination = addArgument(current.dims, current.element);
    unsigned argument = chain.arguments.size() - 1;
    addGeneric(destination.name);
    addResult(current, {argument});
  }
  std::string arguments;
  for (size_t i = 0; i < chain.arguments.size(); ++i)
    arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " +
                 chain.arguments[i].type;
  chain.text = "func.func @f(" + arguments + ") -> (" + returnedTypes +
               ") {\n" + body + "  return " + returned + " : " + returnedTypes +
               "\n}\n";
  return chain;
}
