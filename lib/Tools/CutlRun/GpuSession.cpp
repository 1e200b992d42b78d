//===- GpuSession.cpp - Entries on a GPU ----------------------------------===//

#include "GpuSession.h"
#include "cutl/Runtime/Loader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::cutl;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The status of a call of the runtime with its text.
static llvm::Error check(CutlRuntimeStatus status,
                         const CutlRuntimeError &error) {
  if (status == CUTL_RUNTIME_OK)
    return llvm::Error::success();
  return fail(error.text);
}

//===----------------------------------------------------------------------===//
// GpuSession
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<GpuSession>> GpuSession::open(StringRef driver) {
  std::unique_ptr<GpuSession> session(new GpuSession());
  std::string path = driver.str();
  CutlRuntimeOptions options = {path.empty() ? nullptr : path.c_str(),
                                /*checkPointers=*/0};
  CutlRuntimeError error;
  CutlRuntimeStatus status =
      cutlRuntimeCreate(&options, &session->runtime, &error);
  if (status == CUTL_RUNTIME_OK)
    status = cutlRuntimeDeviceInfo(session->runtime, 0, &session->info, &error);
  if (status == CUTL_RUNTIME_OK)
    status = cutlDeviceOpen(session->runtime, 0, &session->device, &error);
  if (llvm::Error failure = check(status, error))
    return std::move(failure);
  return session;
}

GpuSession::~GpuSession() {
  cutlRuntimeReleaseBundle(runtime, bundle);
  cutlBundleFree(bundle);
  cutlDeviceClose(device);
  cutlRuntimeDestroy(runtime);
}

std::string GpuSession::describe() const {
  return ("cuda:0 (" + Twine(info.name) + ", " + info.chip + ")").str();
}

llvm::Error GpuSession::load(StringRef bytes) {
  CutlRuntimeError error;
  return check(cutlBundleLoad(bytes.data(), bytes.size(), &bundle, &error),
               error);
}

llvm::Expected<const CutlEntry *> GpuSession::find(StringRef entry) const {
  const CutlEntry *found = nullptr;
  CutlRuntimeError error;
  if (llvm::Error failure = check(
          cutlBundleFindEntry(bundle, entry.str().c_str(), &found, &error),
          error))
    return std::move(failure);
  return found;
}

//===----------------------------------------------------------------------===//
// GpuCall
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<GpuCall>>
GpuCall::create(GpuSession &session, const CutlEntry &entry,
                ArrayRef<HostArgument> arguments) {
  std::unique_ptr<GpuCall> call(new GpuCall(session, entry));
  size_t expected = size_t(entry.operandCount) + entry.scalarCount;
  if (arguments.size() != expected)
    return fail("expected " + Twine(expected) + " arguments for entry '" +
                entry.name + "', got " + Twine(arguments.size()));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    bool isArray = i < entry.operandCount;
    if (std::holds_alternative<HostArray>(argument) != isArray)
      return fail("expected argument " + Twine(i) + " of entry '" + entry.name +
                  "' to be " + (isArray ? "an array" : "a number"));
    if (isArray) {
      if (llvm::Error failure =
              call->addArray(std::get<HostArray>(argument), entry.operands[i]))
        return std::move(failure);
      continue;
    }
    call->scalars.push_back({std::get<HostScalar>(argument).bits,
                             entry.scalars[i - entry.operandCount].type});
  }
  if (llvm::Error failure = call->allocate())
    return std::move(failure);
  return call;
}

GpuCall::~GpuCall() {
  CutlDevice *device = session.getDevice();
  for (const CutlOperand &operand : operands)
    cutlDeviceFree(device, operand.data, nullptr);
  cutlDeviceFree(device, workspace, nullptr);
  for (void *event : events)
    cutlDeviceDestroyEvent(device, event);
  cutlDeviceDestroyStream(device, stream);
}

/// Bytes from the first element to the last; strides are not negative.
static uint64_t getSpan(const HostArray &array) {
  uint64_t last = 0;
  for (int64_t i = 0; i < array.rank; ++i) {
    if (array.sizes[i] == 0)
      return 0;
    last += uint64_t(array.sizes[i] - 1) * uint64_t(array.strides[i]);
  }
  return (last + 1) * (array.elementBits / 8);
}

llvm::Error GpuCall::addArray(const HostArray &array,
                              const CutlOperandSignature &to) {
  if (int32_t(array.elementBits) != cutlElementTypeBits(to.type))
    return fail("expected elements of " + Twine(cutlElementTypeBits(to.type)) +
                " bits for '" + to.name + "', got " + Twine(array.elementBits));
  arrays.push_back(array);
  bytes.push_back(getSpan(array));
  operands.push_back(
      {nullptr, array.sizes, array.strides, uint32_t(array.rank), to.type});
  CutlRuntimeError error;
  return check(cutlDeviceAllocate(session.getDevice(), bytes.back(),
                                  &operands.back().data, &error),
               error);
}

CutlArguments GpuCall::getArguments() const {
  return {operands.data(), uint32_t(operands.size()), scalars.data(),
          uint32_t(scalars.size())};
}

llvm::Error GpuCall::allocate() {
  CutlDevice *device = session.getDevice();
  CutlRuntimeError error;
  if (llvm::Error failure =
          check(cutlDeviceCreateStream(device, &stream, &error), error))
    return failure;
  for (void *&event : events)
    if (llvm::Error failure =
            check(cutlDeviceCreateEvent(device, &event, &error), error))
      return failure;
  CutlArguments arguments = getArguments();
  CutlRuntimeStatus status = cutlDeviceEnter(device, &error);
  if (status == CUTL_RUNTIME_OK) {
    status = cutlRuntimeWorkspaceBytes(session.getRuntime(), &entry, &arguments,
                                       &workspaceBytes, &error);
    cutlDeviceLeave(device, nullptr);
  }
  if (status == CUTL_RUNTIME_OK)
    status = cutlDeviceAllocate(device, workspaceBytes, &workspace, &error);
  return check(status, error);
}

llvm::Error GpuCall::launch() {
  CutlDevice *device = session.getDevice();
  CutlRuntimeError error;
  CutlArguments arguments = getArguments();
  CutlRuntimeStatus status = cutlDeviceEnter(device, &error);
  if (status == CUTL_RUNTIME_OK) {
    status = cutlRuntimeLaunch(session.getRuntime(), &entry, &arguments,
                               workspace, workspaceBytes, stream, &error);
    cutlDeviceLeave(device, nullptr);
  }
  return check(status, error);
}

llvm::Error GpuCall::run() {
  CutlDevice *device = session.getDevice();
  CutlRuntimeError error;
  for (auto [array, operand, count] : llvm::zip_equal(arrays, operands, bytes))
    if (llvm::Error failure =
            check(cutlDeviceCopyInAsync(device, operand.data, array.data, count,
                                        stream, &error),
                  error))
      return failure;
  if (llvm::Error failure = launch())
    return failure;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (entry.operands[i].access == CUTL_ACCESS_WRITE)
      if (llvm::Error failure =
              check(cutlDeviceCopyOut(device, arrays[i].data, operand.data,
                                      bytes[i], stream, &error),
                    error))
        return failure;
  return check(cutlDeviceSynchronize(device, stream, &error), error);
}

llvm::Expected<std::vector<double>> GpuCall::time(unsigned launches) {
  CutlDevice *device = session.getDevice();
  CutlRuntimeError error;
  std::vector<double> times;
  for (unsigned i = 0; i < launches; ++i) {
    float milliseconds = 0;
    CutlRuntimeStatus status =
        cutlDeviceRecordEvent(device, events[0], stream, &error);
    if (llvm::Error failure = check(status, error))
      return std::move(failure);
    if (llvm::Error failure = launch())
      return std::move(failure);
    status = cutlDeviceRecordEvent(device, events[1], stream, &error);
    if (status == CUTL_RUNTIME_OK)
      status = cutlDeviceElapsed(device, events[0], events[1], &milliseconds,
                                 &error);
    if (llvm::Error failure = check(status, error))
      return std::move(failure);
    times.push_back(milliseconds * 1e-3);
  }
  return times;
}
