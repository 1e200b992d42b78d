//===- GemmStorage.h - Descriptions of problems from Python -------*- C++ -*-=//
//
// Each class keeps alive what the C structs that it gives out point to.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_PYTHON_GEMMSTORAGE_H
#define CUTL_PYTHON_GEMMSTORAGE_H

#include "cutl-c/Compiler.h"
#include <deque>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <tuple>
#include <vector>

/// An operand from Python: element type, dimensions, and whether its last
/// stride is one. None is an absent operand.
struct OperandStorage {
  explicit OperandStorage(nanobind::handle object) {
    if (object.is_none())
      return;
    auto [type, dims, unit, pitch] =
        nanobind::cast<std::tuple<int, std::string, bool, int32_t>>(object);
    text = dims;
    value.type = CutlDataType(type);
    value.unitStride = unit;
    value.pitch = pitch;
  }
  /// Valid while this operand lives where it is.
  CutlGemmOperand get() const {
    CutlGemmOperand operand = value;
    operand.dims = text.c_str();
    return operand;
  }

  std::string text;
  CutlGemmOperand value = {};
};

/// Operands of one kind.
class OperandListStorage {
public:
  explicit OperandListStorage(nanobind::list list) {
    for (nanobind::handle object : list)
      operands.push_back(storage.emplace_back(object).get());
  }
  const CutlGemmOperand *data() const { return operands.data(); }
  size_t size() const { return operands.size(); }

private:
  std::deque<OperandStorage> storage;
  std::vector<CutlGemmOperand> operands;
};

/// A graph from Python: `(inputs, nodes, outputs, compute type)`, with inputs
/// `(name, operand, is number)`, nodes `(op, operands, numbers, type, name)`
/// and outputs `(name, operand, value, combiner)`. None is an absent one.
class EpilogueStorage {
public:
  explicit EpilogueStorage(nanobind::handle object) {
    if (object.is_none())
      return;
    present = true;
    auto [inputList, nodeList, outputList, type] = nanobind::cast<
        std::tuple<nanobind::list, nanobind::list, nanobind::list, int>>(
        object);
    for (nanobind::handle entry : inputList) {
      auto [name, operand, isNumber] =
          nanobind::cast<std::tuple<std::string, nanobind::object, bool>>(
              entry);
      inputs.push_back({keep(name), keep(operand), isNumber});
    }
    for (nanobind::handle entry : nodeList)
      addNode(entry);
    for (nanobind::handle entry : outputList) {
      auto [name, operand, value, combiner] = nanobind::cast<
          std::tuple<std::string, nanobind::object, int32_t, int>>(entry);
      outputs.push_back(
          {keep(name), keep(operand), value, CutlCombiner(combiner)});
    }
    epilogue = {sizeof epilogue, inputs.data(),     inputs.size(),
                nodes.data(),    nodes.size(),      outputs.data(),
                outputs.size(),  CutlDataType(type)};
  }
  EpilogueStorage(const EpilogueStorage &) = delete;

  /// Null if absent.
  const CutlEpilogue *get() const { return present ? &epilogue : nullptr; }

private:
  void addNode(nanobind::handle entry) {
    auto [op, values, constants, type, name] =
        nanobind::cast<std::tuple<std::string, std::vector<int32_t>,
                                  std::vector<double>, int, std::string>>(
            entry);
    const std::vector<int32_t> &operands = lists.emplace_back(values);
    const std::vector<double> &numbers = numberLists.emplace_back(constants);
    nodes.push_back({keep(op), operands.data(), operands.size(), numbers.data(),
                     numbers.size(), CutlDataType(type), keep(name)});
  }
  // Entries of a deque stay where they are.
  const char *keep(const std::string &text) {
    return texts.emplace_back(text).c_str();
  }
  CutlGemmOperand keep(nanobind::handle operand) {
    return operands.emplace_back(operand).get();
  }

  bool present = false;
  CutlEpilogue epilogue = {};
  std::deque<std::string> texts;
  std::deque<OperandStorage> operands;
  std::deque<std::vector<int32_t>> lists;
  std::deque<std::vector<double>> numberLists;
  std::vector<CutlEpilogueInput> inputs;
  std::vector<CutlEpilogueNode> nodes;
  std::vector<CutlEpilogueOutput> outputs;
};

#endif // CUTL_PYTHON_GEMMSTORAGE_H
