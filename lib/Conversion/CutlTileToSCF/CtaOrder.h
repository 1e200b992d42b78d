//===- CtaOrder.h - In what order the CTAs of a kernel run ---------------===//

#ifndef CUTL_CONVERSION_CUTLTILETOSCF_CTAORDER_H
#define CUTL_CONVERSION_CUTLTILETOSCF_CTAORDER_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::cutl::tilescf {

/// An order as the pass option spells it.
struct CtaOrder {
  enum class Kind { Forward, Reverse, Seeded };
  Kind kind = Kind::Forward;
  uint64_t seed = 0;

  /// `forward`, `reverse` or `seed:N`; nothing for any other text.
  static std::optional<CtaOrder> parse(StringRef text);

  /// The numbers from 0 to `count - 1` in this order. The same everywhere.
  std::vector<int64_t> permute(int64_t count) const;
};

} // namespace mlir::cutl::tilescf

#endif // CUTL_CONVERSION_CUTLTILETOSCF_CTAORDER_H
