//===- StreamTest.cpp - tests of launches from compiled host code ---------===//

#include "cutl/Runtime/Stream.h"
#include "RuntimeTest.h"
#include "cutl/Runtime/Loader.h"
#include "cutl/Target/Bundle/BundleWriter.h"

#include <cstring>
#include <thread>

namespace {

class StreamTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(), CUTL_RUNTIME_OK) << error.text;
    CutlBundle bundle = {CUTL_RUNTIME_ABI_VERSION, &entry, 1};
    bytes = cutl::writeBundle(bundle);
    stream.runtime = runtime;
  }
  void TearDown() override {
    RuntimeTest::TearDown();
    cutlBundleFree(static_cast<const CutlBundle *>(slot));
  }

  CutlRuntimeStatus start(CutlStream &where, const char *name = "linear") {
    return cutlStreamLaunch(&where, &slot, bytes.data(), bytes.size(), name,
                            operands, 2, &scalar, 1,
                            (void *)(FAKE_DEVICE_0 + 65536), 0);
  }

  std::string bytes;
  void *slot = nullptr;
  CutlStream stream = {};
};

TEST_F(StreamTest, LoadsTheBundleOnce) {
  FakeStream handle = {&first};
  stream.stream = &handle;
  ASSERT_EQ(start(stream), CUTL_RUNTIME_OK) << stream.error.text;
  void *loaded = slot;
  EXPECT_NE(loaded, nullptr);
  ASSERT_EQ(start(stream), CUTL_RUNTIME_OK) << stream.error.text;
  EXPECT_EQ(slot, loaded);
  EXPECT_EQ(fake->loads, 1);
  EXPECT_STREQ(fake->order, "LL");
  EXPECT_EQ(fake->stream, &handle);
  EXPECT_EQ(fake->synchronisations, 0);
}

TEST_F(StreamTest, KeepsTheFirstErrorUntilItIsCleared) {
  operands[0].data = (void *)(FAKE_DEVICE_0 + 8);
  EXPECT_EQ(start(stream), CUTL_RUNTIME_GUARD_FAILED);
  std::string text = stream.error.text;
  EXPECT_NE(text.find("expected the address of 'x'"), std::string::npos)
      << text;
  operands[0].data = (void *)FAKE_DEVICE_0;
  EXPECT_EQ(start(stream), CUTL_RUNTIME_GUARD_FAILED);
  EXPECT_EQ(stream.error.text, text);
  EXPECT_EQ(start(stream, "none"), CUTL_RUNTIME_GUARD_FAILED);
  EXPECT_STREQ(fake->order, "");
  // Another stream has an error of its own.
  CutlStream other = {runtime, nullptr, {}};
  EXPECT_EQ(start(other), CUTL_RUNTIME_OK) << other.error.text;
  stream.error = {};
  EXPECT_EQ(start(stream), CUTL_RUNTIME_OK) << stream.error.text;
  EXPECT_STREQ(fake->order, "LL");
}

TEST_F(StreamTest, ReportsWhatItIsGiven) {
  EXPECT_EQ(start(stream, "none"), CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(stream.error.text, "'none'"), nullptr)
      << stream.error.text;
  CutlStream empty = {};
  EXPECT_EQ(start(empty), CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_STREQ(empty.error.text,
               "expected a runtime in the CutlStream, got null");
  CutlStream slotless = {runtime, nullptr, {}};
  EXPECT_EQ(cutlStreamLaunch(&slotless, nullptr, bytes.data(), bytes.size(),
                             "linear", operands, 2, &scalar, 1, nullptr, 0),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_STREQ(slotless.error.text, "expected a slot for the bundle, got null");
  EXPECT_EQ(cutlStreamLaunch(nullptr, &slot, bytes.data(), bytes.size(),
                             "linear", operands, 2, &scalar, 1, nullptr, 0),
            CUTL_RUNTIME_INVALID_ARGUMENT);
}

TEST_F(StreamTest, LeavesTheSlotEmptyWhenTheBundleIsBad) {
  std::string whole = bytes;
  bytes.resize(bytes.size() / 2);
  EXPECT_NE(start(stream), CUTL_RUNTIME_OK);
  EXPECT_EQ(slot, nullptr);
  bytes = whole;
  stream.error = {};
  EXPECT_EQ(start(stream), CUTL_RUNTIME_OK) << stream.error.text;
}

TEST_F(StreamTest, ThreadsShareTheSlot) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      setCurrent(&first);
      CutlStream own = {runtime, nullptr, {}};
      for (int j = 0; j < 4; ++j)
        EXPECT_EQ(start(own), CUTL_RUNTIME_OK) << own.error.text;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake->loads, 1) << "one bundle stayed";
}

} // namespace
