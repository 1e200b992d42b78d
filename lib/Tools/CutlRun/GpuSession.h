//===- GpuSession.h - Entries on a GPU ----------------------------*- C++
//-*-===//
//
// The runtime as the tool uses it: one device, one bundle, arguments copied
// there and back.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_LIB_TOOLS_CUTLRUN_GPUSESSION_H
#define CUTL_LIB_TOOLS_CUTLRUN_GPUSESSION_H

#include "cutl/Runtime/Device.h"
#include "cutl/Target/CPU/CpuEngine.h"
#include <string>
#include <vector>

namespace mlir::cutl {

/// The first GPU that the driver shows, with what has been loaded for it.
class GpuSession {
public:
  /// `driver` is the driver's library; empty for libcuda.so.1.
  static llvm::Expected<std::unique_ptr<GpuSession>> open(StringRef driver);
  ~GpuSession();
  GpuSession(const GpuSession &) = delete;

  /// "sm_90a".
  StringRef getChip() const { return info.chip; }
  /// "cuda:0 (NVIDIA H200, sm_90a)".
  std::string describe() const;

  /// Reads a bundle, which is kept.
  llvm::Error load(StringRef bytes);
  const CutlBundle &getBundle() const { return *bundle; }
  llvm::Expected<const CutlEntry *> find(StringRef entry) const;

  CutlRuntime *getRuntime() const { return runtime; }
  CutlDevice *getDevice() const { return device; }

private:
  GpuSession() = default;

  CutlRuntime *runtime = nullptr;
  CutlDevice *device = nullptr;
  CutlDeviceInfo info = {};
  const CutlBundle *bundle = nullptr;
};

/// An entry with one set of arguments, in its order: arrays, then numbers.
class GpuCall {
public:
  /// Allocates what the call needs on the device.
  static llvm::Expected<std::unique_ptr<GpuCall>>
  create(GpuSession &session, const CutlEntry &entry,
         ArrayRef<HostArgument> arguments);
  ~GpuCall();
  GpuCall(const GpuCall &) = delete;

  /// Copies the arrays to the device, runs, and copies back what is written.
  llvm::Error run();
  /// Seconds of one launch after another, on what is on the device.
  llvm::Expected<std::vector<double>> time(unsigned launches);

private:
  GpuCall(GpuSession &session, const CutlEntry &entry)
      : session(session), entry(entry) {}
  llvm::Error addArray(const HostArray &array, const CutlOperandSignature &to);
  llvm::Error allocate();
  llvm::Error launch();
  CutlArguments getArguments() const;

  GpuSession &session;
  const CutlEntry &entry;
  void *stream = nullptr;
  void *events[2] = {};
  void *workspace = nullptr;
  uint64_t workspaceBytes = 0;
  std::vector<HostArray> arrays;
  std::vector<CutlOperand> operands;
  std::vector<uint64_t> bytes;
  std::vector<CutlScalar> scalars;
};

} // namespace mlir::cutl

#endif // CUTL_LIB_TOOLS_CUTLRUN_GPUSESSION_H
