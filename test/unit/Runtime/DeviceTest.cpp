//===- DeviceTest.cpp - tests of memory, streams and events ---------------===//

#include "RuntimeTest.h"

#include "cutl/Runtime/Device.h"

namespace {

class DeviceTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(), CUTL_RUNTIME_OK) << error.text;
    ASSERT_EQ(cutlDeviceOpen(runtime, 0, &device, &error), CUTL_RUNTIME_OK);
  }
  /// Whatever a test did, all that was created is gone at its end, and the
  /// context of the thread is what it was.
  void TearDown() override {
    cutlDeviceClose(device);
    RuntimeTest::TearDown();
    EXPECT_EQ(fake->retains, fake->releases);
    EXPECT_EQ(fake->allocations, fake->frees);
    EXPECT_EQ(fake->streams, fake->streamsGone);
    EXPECT_EQ(fake->events, fake->eventsGone);
    EXPECT_EQ(get("current"), 7);
  }
  void expectText(const std::string &text) {
    EXPECT_NE(std::string(error.text).find(text), std::string::npos)
        << error.text;
  }
  void failing(const char *name, int result = 719) {
    fake->failing = name;
    fake->failingResult = result;
  }

  CutlDevice *device = nullptr;
};

TEST_F(DeviceTest, OpensByNumber) {
  CutlDevice *other = nullptr;
  EXPECT_EQ(cutlDeviceOpen(runtime, 2, &other, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_STREQ(error.text, "expected a device from 0 to 1, got 2");
  EXPECT_EQ(cutlDeviceOpen(runtime, -1, &other, nullptr),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_EQ(cutlDeviceOpen(nullptr, 0, &other, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  failing("cuDevicePrimaryCtxRetain", CU_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cutlDeviceOpen(runtime, 1, &other, &error),
            CUTL_RUNTIME_OUT_OF_MEMORY);
  expectText("cannot open the context of device 1: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(other, nullptr);
  cutlDeviceClose(nullptr);
}

TEST_F(DeviceTest, CopiesThereAndBack) {
  void *address = nullptr;
  char in[] = "there and back", out[sizeof(in)] = "";
  ASSERT_EQ(cutlDeviceAllocate(device, sizeof(in), &address, &error),
            CUTL_RUNTIME_OK);
  EXPECT_EQ(uintptr_t(address) & FAKE_DEVICE_0, FAKE_DEVICE_0);
  ASSERT_EQ(cutlDeviceCopyIn(device, address, in, sizeof(in), nullptr, &error),
            CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->synchronisations, 1);
  ASSERT_EQ(
      cutlDeviceCopyOutAsync(device, out, address, sizeof(in), nullptr, &error),
      CUTL_RUNTIME_OK);
  EXPECT_EQ(fake->synchronisations, 1);
  EXPECT_STREQ(out, in);
  EXPECT_EQ(cutlDeviceCopyOut(device, out, in, 4, nullptr, &error),
            CUTL_RUNTIME_DRIVER_ERROR)
      << "of host memory";
  expectText("cannot copy from memory on device 0");
  EXPECT_EQ(cutlDeviceCopyIn(device, nullptr, nullptr, 0, nullptr, &error),
            CUTL_RUNTIME_OK);
  EXPECT_EQ(cutlDeviceCopyIn(device, nullptr, in, 1, nullptr, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_EQ(cutlDeviceFree(device, address, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(cutlDeviceFree(device, nullptr, &error), CUTL_RUNTIME_OK);
}

TEST_F(DeviceTest, NothingToAllocate) {
  void *address = &address;
  EXPECT_EQ(cutlDeviceAllocate(device, 0, &address, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(address, nullptr);
}

TEST_F(DeviceTest, OutOfMemory) {
  fake->memoryBytes = 1000;
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(cutlDeviceAllocate(device, 600, &first, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(cutlDeviceAllocate(device, 600, &second, &error),
            CUTL_RUNTIME_OUT_OF_MEMORY);
  EXPECT_STREQ(error.text, "out of memory on device 0: expected 600 free "
                           "bytes, got 400 of 1000");
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(cutlDeviceFree(device, first, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(cutlDeviceAllocate(device, 600, &second, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(cutlDeviceFree(device, second, &error), CUTL_RUNTIME_OK);
}

TEST_F(DeviceTest, StreamsAndEvents) {
  void *stream = nullptr, *events[2] = {};
  ASSERT_EQ(cutlDeviceCreateStream(device, &stream, &error), CUTL_RUNTIME_OK);
  for (void *&event : events) {
    ASSERT_EQ(cutlDeviceCreateEvent(device, &event, &error), CUTL_RUNTIME_OK);
    ASSERT_EQ(cutlDeviceRecordEvent(device, event, stream, &error),
              CUTL_RUNTIME_OK);
  }
  float time = -1;
  ASSERT_EQ(cutlDeviceElapsed(device, events[0], events[1], &time, &error),
            CUTL_RUNTIME_OK);
  EXPECT_EQ(time, 1.0f);
  EXPECT_EQ(cutlDeviceSynchronize(device, stream, &error), CUTL_RUNTIME_OK);
  // A kernel that failed shows where one waits.
  failing("cuStreamSynchronize");
  EXPECT_EQ(cutlDeviceSynchronize(device, stream, &error),
            CUTL_RUNTIME_DRIVER_ERROR);
  expectText("cannot finish the work on device 0: CUDA_ERROR_SOMETHING (719)");
  failing("cuEventElapsedTime");
  time = -1;
  EXPECT_EQ(cutlDeviceElapsed(device, events[0], events[1], &time, &error),
            CUTL_RUNTIME_DRIVER_ERROR);
  EXPECT_EQ(time, -1.0f) << "untouched";
  for (void *event : events)
    cutlDeviceDestroyEvent(device, event);
  cutlDeviceDestroyStream(device, stream);
  cutlDeviceDestroyStream(device, nullptr);
  cutlDeviceDestroyEvent(device, nullptr);
}

TEST_F(DeviceTest, FailuresLeaveNothing) {
  void *place = nullptr;
  failing("cuStreamCreate");
  EXPECT_EQ(cutlDeviceCreateStream(device, &place, &error),
            CUTL_RUNTIME_DRIVER_ERROR);
  expectText("cannot create a stream on device 0");
  failing("cuEventCreate");
  EXPECT_EQ(cutlDeviceCreateEvent(device, &place, &error),
            CUTL_RUNTIME_DRIVER_ERROR);
  expectText("cannot create an event on device 0");
  // Neither in the context nor out of it.
  failing("cuCtxPushCurrent_v2", CU_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cutlDeviceEnter(device, &error), CUTL_RUNTIME_NO_CONTEXT);
  expectText("cannot enter the context of device 0");
  EXPECT_EQ(cutlDeviceAllocate(device, 8, &place, &error),
            CUTL_RUNTIME_NO_CONTEXT);
  EXPECT_EQ(cutlDeviceCreateStream(device, &place, &error),
            CUTL_RUNTIME_NO_CONTEXT);
  EXPECT_EQ(place, nullptr);
  fake->failing = nullptr;
}

TEST_F(DeviceTest, LaunchesInItsContext) {
  setCurrent(nullptr);
  EXPECT_EQ(run(), CUTL_RUNTIME_NO_CONTEXT);
  ASSERT_EQ(cutlDeviceEnter(device, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(run(), CUTL_RUNTIME_OK) << error.text;
  ASSERT_EQ(cutlDeviceLeave(device, &error), CUTL_RUNTIME_OK);
  EXPECT_EQ(run(), CUTL_RUNTIME_NO_CONTEXT);
  setCurrent(&first);
  EXPECT_EQ(fake->loads, 1);
  cutlDeviceClose(device);
  device = nullptr;
  EXPECT_EQ(fake->unloads, 1) << "before the context may end";
}

} // namespace
