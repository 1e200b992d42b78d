//===- EpilogueProgram.h - An epilogue region ready to evaluate ---*- C++
//-*-===//

#ifndef CUTL_LIB_REFERENCE_EPILOGUEPROGRAM_H
#define CUTL_LIB_REFERENCE_EPILOGUEPROGRAM_H

#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "cutl/Dialect/Cutl/IR/NarrowMath.h"
#include "mlir/Support/LLVM.h"
#include <vector>

namespace mlir::cutl {

/// The ops of a region in order, their operands as numbers of slots.
class EpilogueProgram {
public:
  /// Fails with an error on an op that has no reference value.
  static FailureOr<EpilogueProgram> get(Block &body);

  /// Runs the region; `arguments` has a value for each block argument. The
  /// results stay valid until the next run.
  void run(ArrayRef<RefValue> arguments, SmallVectorImpl<RefValue> &results);

private:
  struct Step {
    EpilogueOpInterface op;
    SmallVector<unsigned, 4> operands;
    unsigned result;
    /// What a GPU may be off by more where the result is rounded later.
    std::optional<NarrowError> narrow;
  };
  std::vector<Step> steps;
  std::vector<RefValue> slots;
  SmallVector<unsigned, 2> yielded;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_REFERENCE_EPILOGUEPROGRAM_H
