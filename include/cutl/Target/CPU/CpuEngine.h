//===- CpuEngine.h - Running lowered modules on the host --------*- C++ -*-===//
//
// Compiles a module in the LLVM dialect in process and calls its entry points.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_CPUENGINE_H
#define CUTL_TARGET_CPU_CPUENGINE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::cutl {

/// An array of the caller, read and written in place.
struct HostArray {
  /// Address of the element at index zero; may be null if there is no element.
  void *data = nullptr;
  unsigned elementBits = 0;
  int64_t rank = 0;
  /// `rank` sizes and strides, the strides in elements and of either sign.
  const int64_t *sizes = nullptr;
  const int64_t *strides = nullptr;
  /// Element type as MLIR spells it ("bf16"); empty: only the bits are checked.
  StringRef elementType = {};
};

/// A number passed by value, as the bits of its type.
struct HostScalar {
  uint64_t bits = 0;
  unsigned width = 0;
  /// As in HostArray.
  StringRef type;

  /// For bool, integers, float and double; other types set the bits.
  template <typename T> static HostScalar get(T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
    HostScalar result;
    std::memcpy(&result.bits, &value, sizeof(T));
    result.width = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);
    return result;
  }
};

using HostArgument = std::variant<HostArray, HostScalar>;

struct CpuEngineOptions {
  /// A processor as LLVM names it, or "host". A named one uses that
  /// processor's features and no others, whatever this machine has.
  std::string cpu = "host";
  /// 0: no optimisation; 1: scalar clean-up, enough for contractions; 2: plain
  /// loops are vectorised too; 3: the whole pipeline of LLVM. Compiling takes
  /// about twice as long from each to the next.
  unsigned optLevel = 1;
};

/// Owns the machine code of one module.
class CpuEngine {
public:
  /// Compiles `module`, which must be in the LLVM dialect as
  /// `buildLinalgToLLVMPipeline` leaves it. The module can be erased
  /// afterwards.
  static llvm::Expected<std::unique_ptr<CpuEngine>>
  create(ModuleOp module, const CpuEngineOptions &options = {});
  ~CpuEngine();

  /// Calls an entry point. Arguments are checked against its signature; no
  /// call is made if one does not fit. Safe to call from several threads.
  llvm::Error invoke(StringRef name, ArrayRef<HostArgument> arguments) const;

  /// Whether an entry point may write to an argument; false for a number and
  /// for what it does not have.
  bool isWritten(StringRef name, size_t argument) const;

  /// The widest vectors, in bits, that are fast on a processor: what the
  /// pipeline wants to know as `vectorBits`.
  static llvm::Expected<unsigned> getVectorBits(StringRef cpu);

private:
  CpuEngine();

  /// What is known of one argument.
  struct Argument {
    bool isArray = false;
    bool isWritten = false;
    unsigned bits = 0;
    /// Type of the elements or the number.
    std::string type;
    /// Sizes and strides of an array; dynamic where the type leaves them open.
    SmallVector<int64_t> sizes, strides;
    bool isRowMajor = false;
  };
  /// The size of one argument that follows from another's; see
  /// `cutl-record-host-rules`.
  struct Tie {
    int64_t from, fromDim, factor, divisor, to, toDim;
  };
  struct EntryPoint {
    SmallVector<Argument> arguments;
    SmallVector<Tie> ties;
    void (*code)(void **) = nullptr;
  };

  static Argument describe(Type type);
  static llvm::Error checkTies(const EntryPoint &entry, StringRef name,
                               ArrayRef<HostArgument> arguments);
  static llvm::Error checkArray(const Argument &expected,
                                const HostArray &array, const Twine &where);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<EntryPoint> entryPoints;
};

} // namespace mlir::cutl

#endif // CUTL_TARGET_CPU_CPUENGINE_H
