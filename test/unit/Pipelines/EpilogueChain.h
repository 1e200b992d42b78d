//===- EpilogueChain.h - Random ops around a gemm ---------------*- C++ -*-===//
//
// Writes functions of one gemm and a chain of elementwise ops on its result, as
// a front end without epilogues would.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TEST_UNIT_PIPELINES_EPILOGUECHAIN_H
#define CUTL_TEST_UNIT_PIPELINES_EPILOGUECHAIN_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace cutltest {

/// An argument of the function: an array, or a number if it is no tensor.
struct ChainArgument {
  std::string type;
  std::string elementType;
  std::vector<int64_t> sizes;
  bool isTensor = true;
};

/// What the function returns: one of its arguments, written to.
struct ChainResult {
  unsigned argument = 0;
  /// It may be computed in another order, with other roundings.
  bool isReassociated = false;
  /// The least or greatest of floats. Which zero it is, if they have zeros of
  /// both signs, depends on their order on the CPU.
  bool isExtremum = false;
};

/// A function `f`.
struct Chain {
  std::string text;
  std::vector<ChainArgument> arguments;
  std::vector<ChainResult> results;
};

/// Decides everything by its seed.
class ChainWriter {
public:
  explicit ChainWriter(uint32_t seed) : random(seed) {}
  Chain write();

private:
  /// A tensor over some dimensions of the gemm's domain, in their order.
  struct Value {
    std::string name;
    std::vector<unsigned> dims;
    std::string element;
  };

  unsigned pick(unsigned count) { return random() % count; }
  bool toss() { return pick(2) == 0; }
  template <typename T> const T &pickOf(const std::vector<T> &list) {
    return list[pick(list.size())];
  }
  bool isFloat() const { return computeType != "i32"; }

  std::string type(const std::vector<unsigned> &dims,
                   const std::string &element);
  std::string type(const Value &value) {
    return type(value.dims, value.element);
  }
  std::string fresh() { return "%v" + std::to_string(nextName++); }
  void line(const std::string &text) { body += "  " + text + "\n"; }
  Value addArgument(const std::vector<unsigned> &dims,
                    const std::string &element);
  std::string map(const std::vector<unsigned> &dims);
  std::string emptyLike(const std::vector<unsigned> &dims,
                        const std::string &element);
  std::vector<unsigned> someDims(bool shuffled);
  std::string convert(std::string &text, const std::string &name,
                      const std::string &from, const std::string &to);

  void writeGemm();
  void addGeneric(const std::string &destination);
  void addNamedUnary();
  void addNamedBinary();
  void addTensorOp();
  void addTranspose();
  void addDiamond();
  void addCast();
  /// Reduces the current value to a result of the function.
  void addReduction();
  void addResult(const Value &value, const ChainResult &result);

  std::mt19937 random;
  Chain chain;
  std::string body;
  unsigned nextName = 0;
  std::vector<int64_t> sizes;
  std::vector<bool> isDynamic;
  std::string computeType;
  Value current;
  /// Names and types of what is returned.
  std::string returned, returnedTypes;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_PIPELINES_EPILOGUECHAIN_H
