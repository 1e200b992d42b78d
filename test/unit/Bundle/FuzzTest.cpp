//===- FuzzTest.cpp - damaged bundles must not crash ----------------------===//
//
// Damages a bundle in thousands of ways, always the same. Each result is loaded
// and, if it loads, launched on the fake driver. The test is whether the
// sanitizers that this is built with stay silent.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "SampleBundle.h"
#include "cutl/Runtime/Loader.h"
#include "cutl/Target/Bundle/BundleWriter.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstdio>
#include <random>

namespace {

class FuzzTest : public testing::Test {
protected:
  void SetUp() override {
    fake = openFakeDevice(&context);
    ASSERT_TRUE(fake);
    CutlRuntimeOptions options = {FAKE_CUDA, 1};
    CutlRuntimeError error;
    ASSERT_EQ(cutlRuntimeCreate(&options, &runtime, &error), CUTL_RUNTIME_OK)
        << error.text;
    bytes = cutl::writeBundle(sample.bundle);
  }
  void TearDown() override {
    cutlRuntimeDestroy(runtime);
    EXPECT_EQ(fake->loads, fake->unloads);
    std::printf("%d mutants, %d loaded, %d launches\n", mutants, loaded,
                launched);
  }

  /// Contiguous operands whose free sizes are `size`.
  void launch(const CutlEntry &entry, int64_t size) {
    std::vector<CutlOperand> operands(entry.operandCount);
    std::vector<int64_t> numbers(entry.operandCount * 2 * CUTL_MAX_RANK);
    for (uint32_t i = 0; i < entry.operandCount; ++i) {
      const CutlOperandSignature &signature = entry.operands[i];
      int64_t *sizes = &numbers[i * 2 * CUTL_MAX_RANK];
      int64_t *strides = sizes + CUTL_MAX_RANK;
      int64_t stride = 1;
      for (uint32_t j = signature.rank; j-- > 0;) {
        bool isFree = !signature.sizes || signature.sizes[j] == CUTL_ANY_SIZE;
        sizes[j] = isFree ? size : signature.sizes[j];
        strides[j] = stride;
        stride = int64_t(uint64_t(stride) * uint64_t(sizes[j]));
      }
      operands[i] = {reinterpret_cast<void *>(FAKE_DEVICE_0 + 4096 * i), sizes,
                     strides, signature.rank, signature.type};
    }
    std::vector<CutlScalar> scalars(entry.scalarCount);
    for (uint32_t i = 0; i < entry.scalarCount; ++i)
      scalars[i] = {uint64_t(size), entry.scalars[i].type};
    CutlArguments arguments = {operands.data(), entry.operandCount,
                               scalars.data(), entry.scalarCount};
    CutlRuntimeError error;
    uint64_t workspace = 0;
    cutlRuntimeWorkspaceBytes(runtime, &entry, &arguments, &workspace, &error);
    auto status =
        cutlRuntimeLaunch(runtime, &entry, &arguments,
                          reinterpret_cast<void *>(FAKE_DEVICE_0 + (1 << 20)),
                          workspace, nullptr, &error);
    launched += status == CUTL_RUNTIME_OK;
    // A loaded bundle is well formed: what is left depends on the arguments,
    // and on the plan of the workspace, which the arguments decide.
    if (status == CUTL_RUNTIME_INVALID_ENTRY)
      EXPECT_NE(std::string(error.text).find("of the workspace"),
                std::string::npos)
          << error.text;
  }

  /// Loads what the sample has become, in a block of just its size.
  void tryBytes(const std::string &mutant) {
    ++mutants;
    std::vector<char> exact(mutant.begin(), mutant.end());
    const CutlBundle *bundle = nullptr;
    CutlRuntimeError error;
    CutlRuntimeStatus status =
        cutlBundleLoad(exact.data(), exact.size(), &bundle, &error);
    if (status != CUTL_RUNTIME_OK) {
      EXPECT_EQ(bundle, nullptr);
      EXPECT_NE(error.text[0], '\0');
      return;
    }
    ++loaded;
    for (uint32_t i = 0; i < std::min(bundle->entryCount, 4u); ++i)
      for (int64_t size : {0, 1, 512})
        launch(bundle->entries[i], size);
    cutlRuntimeReleaseBundle(runtime, bundle);
    cutlBundleFree(bundle);
  }

  /// Makes the size at the start right.
  static std::string sized(std::string file) {
    if (file.size() >= 4) {
      auto size = uint32_t(file.size() - 4);
      std::memcpy(file.data(), &size, 4);
    }
    return file;
  }

  FakeCuda *fake = nullptr;
  FakeContext context = {7, 0};
  CutlRuntime *runtime = nullptr;
  SampleBundle sample;
  std::string bytes;
  int mutants = 0, loaded = 0, launched = 0;
};

TEST_F(FuzzTest, Whole) {
  tryBytes(bytes);
  EXPECT_EQ(loaded, 1);
  EXPECT_GE(launched, 2);
}

TEST_F(FuzzTest, EveryLength) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    tryBytes(bytes.substr(0, i));
    tryBytes(sized(bytes.substr(0, i)));
    // Without its start, which leaves the rest misaligned.
    tryBytes(
        sized(bytes.substr(0, 12) + bytes.substr(std::max<size_t>(i, 12))));
  }
}

TEST_F(FuzzTest, EveryByte) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned char mask : {0x01, 0x80, 0xff}) {
      std::string mutant = bytes;
      mutant[i] ^= mask;
      tryBytes(mutant);
    }
  }
  EXPECT_GT(loaded, 100) << "many bytes are free, as those of texts";
  EXPECT_GT(launched, 100);
}

TEST_F(FuzzTest, EveryWord) {
  uint32_t size = uint32_t(bytes.size());
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t old;
    std::memcpy(&old, &bytes[i], 4);
    for (uint32_t value : {0u, 1u, 3u, 0x7fffffffu, 0x80000000u, 0xffffffffu,
                           0xfffffffcu, old + 1, old - 1, old + 4, old - 4,
                           old * 2, size - uint32_t(i), 0u - uint32_t(i)}) {
      std::string mutant = bytes;
      std::memcpy(&mutant[i], &value, 4);
      tryBytes(mutant);
    }
  }
}

TEST_F(FuzzTest, Splices) {
  std::mt19937 random(20240607);
  auto below = [&](size_t limit) { return size_t(random() % limit); };
  for (int i = 0; i < 15000; ++i) {
    std::string mutant = bytes;
    for (size_t times = 1 + below(3); times > 0; --times) {
      size_t length = size_t(1) << below(7);
      if (mutant.size() <= length + 16)
        break;
      size_t from = below(mutant.size() - length);
      size_t to = 12 + below(mutant.size() - length - 12);
      if (below(2)) // whole words keep more of the structure
        from &= ~size_t(3), to &= ~size_t(3);
      std::string piece = mutant.substr(from, length);
      switch (below(4)) {
      case 0:
        mutant.erase(to, length);
        break;
      case 1:
        mutant.insert(to, piece);
        break;
      case 2:
        for (char &byte : piece)
          byte = char(random());
        [[fallthrough]];
      default:
        mutant.replace(to, length, piece);
      }
    }
    tryBytes(sized(mutant));
  }
  EXPECT_GT(loaded, 100);
}

} // namespace
