//===- Guards.h - Conditions of an entry or a variant -----------*- C++ -*-===//

#ifndef CUTL_LIB_TARGET_BUNDLE_GUARDS_H
#define CUTL_LIB_TARGET_BUNDLE_GUARDS_H

#include "EntryValues.h"
#include "LaunchInfo.h"
#include "Storage.h"
#include <string>

namespace mlir::cutl {

/// A guard under construction. What its kind does not use stays zero.
struct GuardSpec {
  CutlGuardKind kind = CUTL_GUARD_CONDITION;
  int32_t operand = 0;
  int32_t dimension = 0;
  int64_t low = 0, high = 0, divisor = 0;
  ExpressionCode expression;
  std::string text;

  bool operator==(const GuardSpec &other) const;
};

/// Conditions that must all hold. Those that always hold are left out, and the
/// first that never does is kept as a message.
class Guards {
public:
  /// The entry's values outlive the guards.
  explicit Guards(const EntryValues &values) : values(values) {}

  /// A guard as it is, unless it is there already.
  void add(GuardSpec guard);

  /// `condition` holds. It is no demand of the kernels, so that a call is not
  /// told of it.
  void choose(const ExpressionCode &condition);
  /// The size of `dim` fits 32 bits with a sign.
  void requireSmallSize(const ArrayValue &array, unsigned dim);
  /// What a tensor map over `dims` of the array, innermost first, needs.
  void requireTensorMap(const ArrayValue &array, ArrayRef<unsigned> dims);

  /// What writing through a tensor map whose innermost dimension is `dim` needs
  /// beyond that.
  void requireStoredSize(const ArrayValue &array, unsigned dim);

  bool empty() const { return guards.empty(); }
  bool operator==(const Guards &other) const { return guards == other.guards; }
  /// Why the conditions cannot all hold; empty if they can.
  StringRef getViolation() const { return violation; }

  CutlGuard *copyTo(Storage &storage) const;
  uint32_t size() const { return guards.size(); }

private:
  std::string getName(const ArrayValue &array) const;
  /// `condition` as an expression that is not zero.
  void addCondition(const ExpressionCode &condition, std::string text,
                    const ExpressionCode *value = nullptr);
  void requireAddress(const ArrayValue &array);
  void requireUnitStride(const ArrayValue &array, unsigned dim);
  void requirePitch(const ArrayValue &array, unsigned dim);
  /// The dimension of an operand whose size and stride are those of `dim`.
  std::optional<int32_t> getOperandDim(const ArrayValue &array,
                                       unsigned dim) const;

  const EntryValues &values;
  SmallVector<GuardSpec> guards;
  std::string violation;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_TARGET_BUNDLE_GUARDS_H
