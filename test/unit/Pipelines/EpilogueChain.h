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

/// A function `f`, which returns one of its arguments, written to.
struct Chain {
  std::string text;
  std::vector<ChainArgument> arguments;
  unsigned result = 0;
  /// Whether it holds a sum of floats, whose order nobody promises.
  bool hasFloatSum = false;
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
  void addReduction();

  std::mt19937 random;
  Chain chain;
  std::string body;
  unsigned nextName = 0;
  std::vector<int64_t> sizes;
  std::vector<bool> isDynamic;
  std::string computeType;
  Value current;
};

} // namespace cutltest

#endif // CUTL_TEST_UNIT_PIPELINES_EPILOGUECHAIN_H
