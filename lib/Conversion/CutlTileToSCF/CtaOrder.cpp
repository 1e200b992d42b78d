//===- CtaOrder.cpp - In what order the CTAs of a kernel run -------------===//

#include "CtaOrder.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace mlir::cutl::tilescf;

std::optional<CtaOrder> CtaOrder::parse(StringRef text) {
  if (text == "forward")
    return CtaOrder{Kind::Forward, 0};
  if (text == "reverse")
    return CtaOrder{Kind::Reverse, 0};
  CtaOrder order{Kind::Seeded, 0};
  if (!text.consume_front("seed:") || text.getAsInteger(10, order.seed))
    return std::nullopt;
  return order;
}

std::vector<int64_t> CtaOrder::permute(int64_t count) const {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  if (kind == Kind::Reverse)
    std::reverse(numbers.begin(), numbers.end());
  if (kind != Kind::Seeded)
    return numbers;
  // std::shuffle is free to differ between libraries, the engine is not.
  std::mt19937_64 random(seed);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(numbers[i], numbers[random() % uint64_t(i + 1)]);
  return numbers;
}
