//===- EntryPoint.h - What the CPU pipeline tells the engine ----*- C++ -*-===//
//
// Name of the attribute that keeps the argument types of an entry point.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_ENTRYPOINT_H
#define CUTL_TARGET_CPU_ENTRYPOINT_H

namespace mlir::cutl {

/// An array of the types (memrefs and numbers) that a function took before it
/// was lowered to the LLVM dialect.
inline constexpr const char kHostSignatureAttr[] = "cutl.host_signature";

} // namespace mlir::cutl

#endif // CUTL_TARGET_CPU_ENTRYPOINT_H
