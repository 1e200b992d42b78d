//===- EpilogueRegion.cpp - Random epilogues ------------------------------===//

#include "EpilogueRegion.h"

using namespace cutltest;

namespace {

constexpr int64_t kM = 7, kN = 13, kK = 5;

class RegionWriter {
public:
  RegionWriter(uint32_t seed, bool reassociate)
      : random(seed), reassociate(reassociate) {}
  Chain write();

private:
  unsigned pick(unsigned count) { return random() % count; }
  template <typename T> const T &pickOf(const std::vector<T> &list) {
    return list[pick(list.size())];
  }
  std::string fresh() { return "%v" + std::to_string(nextName++); }
  std::string addArgument(const std::string &type, std::vector<int64_t> sizes);
  void addAux(const std::string &value, const std::string &map,
              const std::string &type);
  void addAux();
  void emit(const std::string &text) {
    std::string name = fresh();
    region += "    " + name + " = " + text + " : f32\n";
    values.push_back(name);
  }
  void addConstant();
  void addOp();
  void addNarrowOp();

  std::mt19937 random;
  bool reassociate;
  Chain chain;
  unsigned nextName = 0;
  std::string before, aux, auxTypes, arguments = "%acc: f32", region;
  std::vector<std::string> values = {"%acc"};
  std::vector<std::string> constants = {"0.0", "-0.0", "1.0",        "2.0",
                                        "0.1", "-3.0", "0x7F800000", "1.0e-30"};
};

} // namespace

std::string RegionWriter::addArgument(const std::string &type,
                                      std::vector<int64_t> sizes) {
  bool isTensor = type.rfind("tensor", 0) == 0;
  chain.arguments.push_back({type, "f32", std::move(sizes), isTensor});
  return "%a" + std::to_string(chain.arguments.size() - 1);
}

void RegionWriter::addAux(const std::string &value, const std::string &map,
                          const std::string &type) {
  std::string argument = fresh();
  aux += (aux.empty() ? "" : ", ") + value + " : " + map;
  auxTypes += ", " + type;
  arguments += ", " + argument + ": f32";
  values.push_back(argument);
}

void RegionWriter::addAux() {
  switch (pick(6)) {
  case 0: {
    std::string value = addArgument("tensor<7x13xf32>", {kM, kN});
    addAux(value, "(m, n)", "tensor<7x13xf32>");
    if (pick(2) == 0)
      addAux(value, "(m, n)", "tensor<7x13xf32>");
    break;
  }
  case 1: {
    std::string value = addArgument("tensor<13xf32>", {kN});
    for (unsigned i = 0, e = 1 + pick(3); i < e; ++i)
      addAux(value, "(n)", "tensor<13xf32>");
    break;
  }
  case 2: {
    std::string value = addArgument("f32", {});
    for (unsigned i = 0, e = 1 + pick(2); i < e; ++i)
      addAux(value, "()", "f32");
    break;
  }
  default: {
    std::string type =
        pickOf<std::string>({"f32", "tensor<f32>", "tensor<7xf32>"});
    std::string name = fresh(), number = pickOf(constants);
    before += "  " + name + " = arith.constant " +
              (type == "f32" ? number : "dense<" + number + ">") + " : " +
              type + "\n";
    addAux(name, type == "tensor<7xf32>" ? "(m)" : "()", type);
    break;
  }
  }
}

void RegionWriter::addConstant() {
  emit("arith.constant " + pickOf(constants));
}

/// Products and sums by way of bf16 or f16.
void RegionWriter::addNarrowOp() {
  std::string type = pick(2) ? "bf16" : "f16";
  std::vector<std::string> narrow;
  for (unsigned i = 0; i < 2; ++i) {
    narrow.push_back(fresh());
    region += "    " + narrow.back() + " = arith.truncf " + pickOf(values) +
              " : f32 to " + type + "\n";
  }
  for (unsigned i = 0; i < 2; ++i) {
    std::string name = fresh();
    region += "    " + name + " = arith.constant " +
              pickOf<std::string>({"0.0", "1.0", "0.5"}) + " : " + type + "\n";
    narrow.push_back(name);
  }
  std::string result = fresh(), wide = fresh();
  region += "    " + result + " = cutl.linear_combination " + narrow[2] + ", " +
            narrow[0] + ", " + narrow[3] + ", " + narrow[1] + " : " + type +
            "\n    " + wide + " = arith.extf " + result + " : " + type +
            " to f32\n";
  values.push_back(wide);
}

void RegionWriter::addOp() {
  std::string x = pickOf(values), y = pickOf(values);
  // Scalings, one after the other.
  if (reassociate && pick(2) == 0) {
    addConstant();
    std::string factor = values.back();
    return emit("arith.mulf " + values[values.size() - 2] + ", " + factor +
                " fastmath<reassoc>");
  }
  switch (pick(10)) {
  case 0:
    return addConstant();
  case 1:
    return addNarrowOp();
  case 2: {
    std::string op = pickOf<std::string>(
        {"cutl.relu ", "cutl.silu ", "arith.negf ", "math.absf "});
    emit(op + x);
    // Once more, for nothing.
    if (pick(2) == 0)
      emit(op + x);
    return;
  }
  case 3:
  case 4: {
    std::string alpha = pickOf(values);
    return emit("cutl.linear_combination " + alpha + ", " + x + ", " +
                pickOf(values) + ", " + y);
  }
  default:
    return emit(
        pickOf<std::string>({"arith.addf ", "arith.addf ", "arith.mulf ",
                             "arith.mulf ", "arith.subf ", "arith.divf ",
                             "arith.maximumf ", "arith.minnumf "}) +
        x + ", " + y);
  }
}

Chain RegionWriter::write() {
  std::string a = addArgument("tensor<7x5xf32>", {kM, kK});
  std::string b = addArgument("tensor<13x5xf32>", {kN, kK});
  for (unsigned i = 0, e = pick(5); i < e; ++i)
    addAux();
  addConstant();
  for (unsigned i = 0, e = 2 + pick(10); i < e; ++i)
    addOp();
  unsigned numOuts = 1 + pick(3), used = pick(numOuts);
  std::string outs, types, yielded, yieldedTypes;
  for (unsigned i = 0; i < numOuts; ++i) {
    const char *separator = i ? ", " : "";
    outs += separator + addArgument("tensor<7x13xf32>", {kM, kN}) + " : (m, n)";
    if (i == used)
      chain.results.push_back(
          {unsigned(chain.arguments.size() - 1), reassociate});
    types += std::string(separator) + "tensor<7x13xf32>";
    // The result that counts is one of the last.
    yielded += separator + (i == used ? values.back() : pickOf(values));
    yieldedTypes += std::string(separator) + "f32";
  }
  std::string parameters;
  for (size_t i = 0; i < chain.arguments.size(); ++i)
    parameters += (i ? ", %a" : "%a") + std::to_string(i) + ": " +
                  chain.arguments[i].type;
  chain.text = "func.func @f(" + parameters + ") -> tensor<7x13xf32> {\n" +
               before + "  %y:" + std::to_string(numOuts) +
               " = cutl.gemm ins(" + a + " : (m, k), " + b + " : (n, k))" +
               (aux.empty() ? "" : " aux(" + aux + ")") + " outs(" + outs +
               ") {\n  ^bb0(" + arguments + "):\n" + region +
               "    cutl.yield " + yielded + " : " + yieldedTypes +
               "\n  } : (tensor<7x5xf32>, tensor<13x5xf32>" + auxTypes + ", " +
               types + ") -> " + (numOuts > 1 ? "(" + types + ")" : types) +
               "\n  return %y#" + std::to_string(used) +
               " : tensor<7x13xf32>\n}\n";
  return chain;
}

Chain cutltest::writeRegion(uint32_t seed, bool reassociate) {
  return RegionWriter(seed, reassociate).write();
}
