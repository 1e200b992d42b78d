//===- DriverTest.cpp - tests of finding a driver and its devices ---------===//

#include "RuntimeTest.h"

#include "cutl/TargetInfo/DataTypes.h"

namespace {

class DriverTest : public RuntimeTest {};

TEST_F(DriverTest, NoDriver) {
  CutlRuntimeOptions options = {"/nowhere/libcuda.so.1", 0};
  EXPECT_EQ(cutlRuntimeCreate(&options, &runtime, &error),
            CUTL_RUNTIME_NO_DRIVER);
  EXPECT_NE(std::string(error.text).find("/nowhere/libcuda.so.1"),
            std::string::npos);
  EXPECT_EQ(runtime, nullptr);
  EXPECT_EQ(cutlRuntimeCreate(&options, &runtime, nullptr),
            CUTL_RUNTIME_NO_DRIVER);
}

TEST_F(DriverTest, OldDriver) {
  fake->driverVersion = 11080;
  EXPECT_EQ(create(), CUTL_RUNTIME_DRIVER_TOO_OLD);
  EXPECT_STREQ(error.text, "expected a driver for CUDA 12.0 or later, got one "
                           "for 11.8");
}

TEST_F(DriverTest, MissingFunction) {
  void *library = dlopen(PARTIAL_CUDA, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  FakeCudaFunction(dlsym(library, "fakeCuda"))()->driverVersion = 12040;
  CutlRuntimeOptions options = {PARTIAL_CUDA, 0};
  EXPECT_EQ(cutlRuntimeCreate(&options, &runtime, &error),
            CUTL_RUNTIME_SYMBOL_MISSING);
  EXPECT_NE(std::string(error.text)
                .find("(CUDA 12.4) has no function cuTensorMapEncodeTiled"),
            std::string::npos);
  dlclose(library);
}

TEST_F(DriverTest, NoDevice) {
  fake->initResult = CU_ERROR_NO_DEVICE;
  EXPECT_EQ(create(), CUTL_RUNTIME_NO_DEVICE);
  fake->initResult = 0;
  fake->deviceCount = 0;
  EXPECT_EQ(create(), CUTL_RUNTIME_NO_DEVICE);
  fake->initResult = 999;
  EXPECT_EQ(create(), CUTL_RUNTIME_DRIVER_ERROR);
  EXPECT_NE(std::string(error.text).find("CUDA_ERROR_SOMETHING (999)"),
            std::string::npos);
}

TEST_F(DriverTest, DeviceInfo) {
  ASSERT_EQ(create(), CUTL_RUNTIME_OK) << error.text;
  EXPECT_EQ(cutlRuntimeDeviceCount(runtime), 2);
  CutlDeviceInfo info;
  ASSERT_EQ(cutlRuntimeDeviceInfo(runtime, 1, &info, &error), CUTL_RUNTIME_OK);
  EXPECT_STREQ(info.chip, "sm_90a");
  EXPECT_STREQ(info.name, "Fake 1");
  EXPECT_EQ(info.smCount, 132);
  EXPECT_EQ(info.driverVersion, 13000);
  EXPECT_EQ(cutlRuntimeDeviceInfo(runtime, 2, &info, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_STREQ(error.text, "expected a device from 0 to 1, got 2");
  fake->major = 8;
  fake->minor = 6;
  ASSERT_EQ(cutlRuntimeDeviceInfo(runtime, 0, &info, &error), CUTL_RUNTIME_OK);
  EXPECT_STREQ(info.chip, "sm_86");
}

TEST(Chips, RunWhereTheyMay) {
  EXPECT_TRUE(cutlChipRuns("sm_90a", CUTL_IMAGE_PTX, 9, 0));
  EXPECT_FALSE(cutlChipRuns("sm_90a", CUTL_IMAGE_PTX, 10, 0));
  EXPECT_TRUE(cutlChipRuns("sm_90", CUTL_IMAGE_PTX, 10, 0));
  EXPECT_FALSE(cutlChipRuns("sm_90", CUTL_IMAGE_CUBIN, 10, 0));
  EXPECT_TRUE(cutlChipRuns("sm_80", CUTL_IMAGE_CUBIN, 8, 9));
  EXPECT_FALSE(cutlChipRuns("sm_89", CUTL_IMAGE_CUBIN, 8, 6));
  EXPECT_FALSE(cutlChipRuns("sm_100", CUTL_IMAGE_PTX, 9, 0));
  EXPECT_TRUE(cutlChipRuns("sm_100f", CUTL_IMAGE_CUBIN, 10, 3));
  EXPECT_FALSE(cutlChipRuns("sm_100f", CUTL_IMAGE_PTX, 12, 0));
  EXPECT_TRUE(cutlChipRuns("sm_120a", CUTL_IMAGE_CUBIN, 12, 0));
  for (const char *chip : {"", "sm_", "sm_x", "sm_90b", "gfx90a", "sm_9"})
    EXPECT_FALSE(cutlChipRuns(chip, CUTL_IMAGE_PTX, 9, 0)) << chip;
  EXPECT_FALSE(cutlChipRuns(nullptr, CUTL_IMAGE_PTX, 9, 0));
}

// The runtime has its own short list of element types, so as to need no table.
TEST(ElementTypes, AgreeWithTheTable) {
  int known = 0;
  for (int32_t type = 0; type < 64; ++type) {
    const char *name = cutlElementTypeName(type);
    if (!name || type == CUTL_ELEMENT_S64)
      continue;
    ++known;
    const cutl::targetinfo::DataType *fact =
        cutl::targetinfo::lookupDataType(name);
    ASSERT_TRUE(fact) << name;
    EXPECT_EQ(cutlElementTypeBits(type), fact->storageBits) << name;
  }
  int stored = 0;
  for (const auto *fact : cutl::targetinfo::allDataTypes())
    stored += fact->isStorage;
  EXPECT_EQ(known, stored);
  EXPECT_EQ(cutlElementTypeName(-1), nullptr);
  EXPECT_EQ(cutlElementTypeBits(99), 0);
}

TEST(Bundle, FindsEntriesOfItsVersion) {
  CutlEntry entries[2] = {};
  entries[0].name = "one";
  entries[1].name = "two";
  CutlBundle bundle = {CUTL_RUNTIME_ABI_VERSION, entries, 2};
  const CutlEntry *entry = nullptr;
  CutlRuntimeError error;
  EXPECT_EQ(cutlBundleFindEntry(&bundle, "two", &entry, &error),
            CUTL_RUNTIME_OK);
  EXPECT_EQ(entry, &entries[1]);
  EXPECT_EQ(cutlBundleFindEntry(&bundle, "three", &entry, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  bundle.abiVersion = cutlRuntimeAbiVersion() + 1;
  EXPECT_EQ(cutlBundleFindEntry(&bundle, "two", &entry, &error),
            CUTL_RUNTIME_BAD_BUNDLE);
  EXPECT_STREQ(error.text,
               "expected a bundle of ABI version 1, got 2; compile it again "
               "with the version of cutl that launches it");
}

} // namespace
