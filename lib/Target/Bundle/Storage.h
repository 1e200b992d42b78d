//===- Storage.h - Memory of the structs of a bundle ------------*- C++ -*-===//

#ifndef CUTL_LIB_TARGET_BUNDLE_STORAGE_H
#define CUTL_LIB_TARGET_BUNDLE_STORAGE_H

#include "ExpressionCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <memory>
#include <type_traits>

namespace mlir::cutl {

/// Keeps copies of what the structs point to.
class Storage {
public:
  template <typename T> T *copy(const T &value) {
    return copy(ArrayRef(value));
  }

  /// Null for no values.
  template <typename T> T *copy(ArrayRef<T> values) {
    static_assert(std::is_trivially_copyable_v<T>, "plain structs");
    if (values.empty())
      return nullptr;
    T *memory = allocator.Allocate<T>(values.size());
    std::uninitialized_copy(values.begin(), values.end(), memory);
    return memory;
  }

  const char *copyText(StringRef text) {
    char *memory = allocator.Allocate<char>(text.size() + 1);
    std::uninitialized_copy(text.begin(), text.end(), memory);
    memory[text.size()] = '\0';
    return memory;
  }

  CutlExpression copy(const ExpressionCode &code) {
    return {copy(code.getCode()), uint32_t(code.getCode().size())};
  }
  /// Nothing if the value is what a field without instructions stands for.
  CutlExpression copy(const ExpressionCode &code, int64_t standsFor) {
    return code.getConstant() == standsFor ? CutlExpression{} : copy(code);
  }

private:
  llvm::BumpPtrAllocator allocator;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_STORAGE_H
