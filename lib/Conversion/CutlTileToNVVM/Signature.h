//===- Signature.h - What a kernel is called with -------------------------===//
//
// Each parameter is stated once: as an argument of the kernel's function and as
// what the host has to pass for it.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_CONVERSION_CUTLTILETONVVM_SIGNATURE_H
#define CUTL_CONVERSION_CUTLTILETONVVM_SIGNATURE_H

#include "Emit.h"

namespace mlir::cutl::nvvm {

/// What a kernel does through a tensor map.
enum class MapUse {
  Load,
  /// Rounds the f32 elements that it loads to tf32.
  LoadTF32,
  Store,
};

/// The parameters and launch of a kernel. Arguments are numbers of those of its
/// `gpu.func`.
class KernelSignature {
public:
  explicit KernelSignature(Builder b) : b(b) {}

  /// Dimensions of the array, innermost first, with what a box has of each.
  void addTensorMap(int64_t argument, ArrayRef<int64_t> dims,
                    ArrayRef<int64_t> box, int64_t swizzleBytes, MapUse use);
  /// i32.
  void addSize(int64_t argument, int64_t dim);
  /// In elements, i64.
  void addStride(int64_t argument, int64_t dim);
  void addPointer(int64_t argument);
  void addScalar(Type type, int64_t argument);
  /// There is work for a cluster in each `tile` of the dimension.
  void addGridDim(int64_t argument, int64_t dim, int64_t tile);

  /// The function without a body, with the attribute that the host reads.
  LLVM::LLVMFuncOp createFunction(Emit &e, StringRef name);

  int64_t threads = 0;
  /// Along rows, columns and k.
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Null for none.
  IntegerAttr sharedBytes;
  /// Whether the kernel itself waits for what runs before it.
  bool isProgrammatic = false;
  Attribute alternative;

private:
  struct Parameter {
    Type type;
    DictionaryAttr info;
    bool isTensorMap = false;
  };

  void add(Type type, ArrayRef<NamedAttribute> info);
  DictionaryAttr getLaunchInfo();

  Builder b;
  SmallVector<Parameter> parameters;
  SmallVector<Attribute> grid;
};

} // namespace mlir::cutl::nvvm

#endif // CUTL_CONVERSION_CUTLTILETONVVM_SIGNATURE_H
