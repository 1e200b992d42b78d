//===- LoaderTest.cpp - tests of writing and loading bundles --------------===//

#include "cutl/Runtime/Loader.h"
#include "SampleBundle.h"
#include "cutl/Runtime/Bundle_generated.h"
#include "cutl/Target/Bundle/BundleWriter.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdio>
#include <fstream>

namespace schema = cutl::bundle;

namespace {

class LoaderTest : public testing::Test {
protected:
  ~LoaderTest() override { cutlBundleFree(loaded); }

  CutlRuntimeStatus load(const std::string &bytes) {
    cutlBundleFree(loaded);
    loaded = nullptr;
    return cutlBundleLoad(bytes.data(), bytes.size(), &loaded, &error);
  }
  void expectRefusal(const std::string &bytes, CutlRuntimeStatus status,
                     const std::string &text) {
    EXPECT_EQ(load(bytes), status);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(loaded, nullptr);
    EXPECT_NE(std::string(error.text).find(text), std::string::npos)
        << error.text;
  }
  /// What is wrong with the sample once it was changed.
  void expectRefusal(const std::string &text,
                     CutlRuntimeStatus status = CUTL_RUNTIME_INVALID_ENTRY) {
    expectRefusal(cutl::writeBundle(sample.bundle), status, text);
  }

  SampleBundle sample;
  const CutlBundle *loaded = nullptr;
  CutlRuntimeError error = {};
};

TEST_F(LoaderTest, RoundTrip) {
  std::string bytes = cutl::writeBundle(sample.bundle);
  ASSERT_EQ(load(bytes), CUTL_RUNTIME_OK) << error.text;
  EXPECT_STREQ(error.text, "");
  // Field by field, by way of the writer.
  EXPECT_EQ(cutl::writeBundle(*loaded), bytes);
  EXPECT_EQ(cutl::writeBundle(sample.bundle), bytes);

  ASSERT_EQ(loaded->entryCount, 2u);
  const CutlEntry &entry = loaded->entries[0];
  EXPECT_STREQ(entry.name, "linear");
  EXPECT_EQ(entry.operands[0].sizes, nullptr);
  EXPECT_EQ(entry.operands[1].sizes[1], 512);
  EXPECT_EQ(entry.operands[1].access, CUTL_ACCESS_WRITE);
  EXPECT_STREQ(entry.scalars[1].name, "count");
  ASSERT_EQ(entry.variants[0].guardCount, 6u);
  EXPECT_EQ(entry.variants[0].guards[1].divisor, 8);
  EXPECT_STREQ(entry.variants[0].guards[5].text, "a condition");
  const CutlLaunch &launch = *entry.variants[0].steps[2].launch;
  EXPECT_EQ(launch.grid[0].count, 7u);
  EXPECT_EQ(launch.grid[0].instructions[5].opcode, CUTL_OP_OCCUPANCY);
  EXPECT_EQ(launch.grid[0].instructions[5].index, 2);
  EXPECT_EQ(launch.grid[1].count, 0u);
  EXPECT_EQ(launch.tensorMaps[0].box[1], 128u);
  EXPECT_EQ(launch.parameters[3].bytes, 8u);
  EXPECT_STREQ(static_cast<const char *>(launch.image->data), ".version 8.0");
  EXPECT_EQ(launch.image->size, 13u);
  EXPECT_EQ(entry.variants[0].steps[0].memset->value, 7u);
}

TEST_F(LoaderTest, OneImageForAllLaunches) {
  ASSERT_EQ(load(cutl::writeBundle(sample.bundle)), CUTL_RUNTIME_OK);
  const CutlVariant *variants = loaded->entries[0].variants;
  EXPECT_EQ(variants[0].steps[2].launch->image,
            variants[1].steps[2].launch->image);
  EXPECT_EQ(
      reinterpret_cast<uintptr_t>(variants[1].steps[3].launch->image->data) %
          16,
      0u);
}

TEST_F(LoaderTest, CopiesTheBytes) {
  std::string bytes = cutl::writeBundle(sample.bundle), copy = bytes;
  ASSERT_EQ(load(copy), CUTL_RUNTIME_OK);
  std::fill(copy.begin(), copy.end(), '\xff');
  EXPECT_EQ(cutl::writeBundle(*loaded), bytes);
}

TEST_F(LoaderTest, LoadsFromAnyAddress) {
  std::string bytes = " " + cutl::writeBundle(sample.bundle);
  EXPECT_EQ(cutlBundleLoad(bytes.data() + 1, bytes.size() - 1, &loaded, &error),
            CUTL_RUNTIME_OK)
      << error.text;
}

TEST_F(LoaderTest, NoBundle) {
  for (const std::string &bytes :
       {std::string(), std::string("CUTL"), std::string(5000, '\0'),
        std::string("\x50\x4b\x03\x04, an archive")})
    expectRefusal(bytes, CUTL_RUNTIME_BAD_BUNDLE,
                  "expected a bundle, which has \"CUTL\" at byte 8, got " +
                      std::to_string(bytes.size()) + " bytes of something");
  EXPECT_EQ(cutlBundleLoad(nullptr, 0, &loaded, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_EQ(cutlBundleLoad("", 0, nullptr, nullptr),
            CUTL_RUNTIME_INVALID_ARGUMENT);
}

TEST_F(LoaderTest, WrongLength) {
  std::string bytes = cutl::writeBundle(sample.bundle);
  std::string size = std::to_string(bytes.size());
  expectRefusal(bytes.substr(0, 100), CUTL_RUNTIME_BAD_BUNDLE,
                "expected a bundle of " + size +
                    " bytes, as its start says, got 100; it was cut short");
  expectRefusal(bytes + "\n", CUTL_RUNTIME_BAD_BUNDLE, "it was added to");
}

TEST_F(LoaderTest, OtherVersion) {
  sample.bundle.abiVersion = 2;
  expectRefusal("expected a bundle of ABI version 1, got 2; compile it again",
                CUTL_RUNTIME_BAD_BUNDLE);
  // A version that has more fields, and others behind the first.
  flatbuffers::FlatBufferBuilder builder;
  auto start = builder.StartTable();
  builder.AddElement<uint32_t>(schema::Bundle::VT_ABI_VERSION, 3, 0);
  builder.AddElement<uint64_t>(schema::Bundle::VT_ENTRIES, 1, 0);
  builder.AddElement<uint64_t>(20, 1, 0);
  builder.FinishSizePrefixed(flatbuffers::Offset<void>(builder.EndTable(start)),
                             schema::BundleIdentifier());
  expectRefusal(
      std::string(reinterpret_cast<char *>(builder.GetBufferPointer()),
                  builder.GetSize()),
      CUTL_RUNTIME_BAD_BUNDLE, "expected a bundle of ABI version 1, got 3");
}

TEST_F(LoaderTest, Files) {
  std::string path = testing::TempDir() + "/loader-test.cutlb";
  std::string bytes = cutl::writeBundle(sample.bundle);
  std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_EQ(cutlBundleLoadFile(path.c_str(), &loaded, &error), CUTL_RUNTIME_OK)
      << error.text;
  EXPECT_EQ(cutl::writeBundle(*loaded), bytes);
  std::remove(path.c_str());
  const CutlBundle *none = nullptr;
  EXPECT_EQ(cutlBundleLoadFile(path.c_str(), &none, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.text)
                .find("loader-test.cutlb': No such file or directory"),
            std::string::npos)
      << error.text;
  EXPECT_EQ(cutlBundleLoadFile("/", &none, &error),
            CUTL_RUNTIME_INVALID_ARGUMENT);
  EXPECT_STREQ(error.text, "cannot read bundle '/': Is a directory");
}

TEST_F(LoaderTest, TextsAreBounded) {
  std::string name(CUTL_MAX_TEXT_BYTES, 'x');
  sample.entries[1].name = name.c_str();
  EXPECT_EQ(load(cutl::writeBundle(sample.bundle)), CUTL_RUNTIME_OK);
  name += 'x';
  sample.entries[1].name = name.c_str();
  expectRefusal("expected texts of at most 65535 bytes in a bundle, got 65536",
                CUTL_RUNTIME_BAD_BUNDLE);
}

TEST_F(LoaderTest, TextsHoldNoNulls) {
  std::string bytes = cutl::writeBundle(sample.bundle);
  bytes[bytes.find("agreeing sizes") + 3] = '\0';
  expectRefusal(bytes, CUTL_RUNTIME_BAD_BUNDLE, "texts without nulls");
}

TEST_F(LoaderTest, ExpressionsAreBounded) {
  std::vector<CutlInstruction> sum = {{CUTL_OP_CONSTANT, 0, 1}};
  while (sum.size() < CUTL_MAX_EXPRESSION_INSTRUCTIONS - 1)
    sum.insert(sum.end(), {{CUTL_OP_CONSTANT, 0, 1}, {CUTL_OP_ADD, 0, 0}});
  sample.copy.bytes = sample.code(sum);
  EXPECT_EQ(load(cutl::writeBundle(sample.bundle)), CUTL_RUNTIME_OK)
      << error.text;
  sum.insert(sum.end(), {{CUTL_OP_CONSTANT, 0, 1}, {CUTL_OP_ADD, 0, 0}});
  sample.copy.bytes = sample.code(sum);
  expectRefusal("expected expressions of at most 1024 instructions in a bundle",
                CUTL_RUNTIME_BAD_BUNDLE);
}

// A small file that would unfold to 2^60 structs.
TEST_F(LoaderTest, SharedTablesDoNotUnfold) {
  flatbuffers::FlatBufferBuilder b;
  auto name = b.CreateString("x");
  std::vector<flatbuffers::Offset<schema::Guard>> guards(
      32768, schema::CreateGuard(b, CUTL_GUARD_POINTER_ALIGNMENT, 0, 0, 0, 0, 1,
                                 0, name));
  std::vector<flatbuffers::Offset<schema::Variant>> variants(
      32768, schema::CreateVariant(b, name, name, b.CreateVector(guards)));
  std::vector<flatbuffers::Offset<schema::Entry>> entries(
      32768, schema::CreateEntry(b, name, 0, 0, 0, b.CreateVector(variants)));
  auto root = schema::CreateBundle(b, CUTL_RUNTIME_ABI_VERSION,
                                   b.CreateVector(entries));
  b.FinishSizePrefixed(root, schema::BundleIdentifier());
  auto start = std::chrono::steady_clock::now();
  expectRefusal(
      std::string(reinterpret_cast<char *>(b.GetBufferPointer()), b.GetSize()),
      CUTL_RUNTIME_BAD_BUNDLE, "got a damaged one");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

/// What the writer does not write: a step of an entry with one operand, in
/// tables that do not go together.
TEST_F(LoaderTest, TablesMustGoTogether) {
  flatbuffers::FlatBufferBuilder b;
  auto check = [&](auto step, uint32_t numSizes, const std::string &text) {
    auto name = b.CreateString("x");
    auto chip = b.CreateString("sm_90a");
    std::vector<int64_t> sizes(numSizes, 4);
    auto operand = schema::CreateOperand(b, name, CUTL_ELEMENT_F32, 0, 2,
                                         b.CreateVector(sizes));
    auto image = schema::CreateImage(b, name, CUTL_IMAGE_PTX,
                                     b.CreateVector<uint8_t>({0}));
    auto variant =
        schema::CreateVariant(b, name, chip, 0, 0, b.CreateVector(&step, 1));
    auto entry = schema::CreateEntry(b, name, b.CreateVector(&operand, 1), 0, 0,
                                     b.CreateVector(&variant, 1));
    b.FinishSizePrefixed(schema::CreateBundle(b, CUTL_RUNTIME_ABI_VERSION,
                                              b.CreateVector(&entry, 1),
                                              b.CreateVector(&image, 1)),
                         schema::BundleIdentifier());
    std::string bytes(reinterpret_cast<char *>(b.GetBufferPointer()),
                      b.GetSize());
    b.Clear();
    if (text.empty())
      EXPECT_EQ(load(bytes), CUTL_RUNTIME_OK) << error.text;
    else
      expectRefusal(bytes, CUTL_RUNTIME_BAD_BUNDLE, text);
  };
  auto launch = [&](uint32_t image, size_t extents, size_t sizes,
                    size_t strides, size_t boxes) {
    auto expressions = [&](size_t count) {
      std::vector<flatbuffers::Offset<schema::Expression>> result(
          count, schema::CreateExpression(b));
      return b.CreateVector(result);
    };
    auto map = schema::CreateTensorMap(
        b, schema::CreateAddress(b), CUTL_TENSOR_MAP_FLOAT32,
        expressions(sizes), expressions(strides),
        b.CreateVector(std::vector<uint32_t>(boxes, 8)));
    return schema::CreateStep(
        b, schema::CreateLaunch(b, image, b.CreateString("k"),
                                expressions(extents), 0, 0, 0,
                                b.CreateVector(&map, 1)));
  };
  check(launch(0, 3, 2, 1, 2), 2, "");
  check(launch(1, 3, 2, 1, 2), 2,
        "expected an image that a bundle has, got number 1");
  check(launch(0, 4, 2, 1, 2), 2,
        "expected at most 3 extents of a launch in a bundle, got 4");
  const char *map = "expected a tensor map of a bundle to have sizes, one "
                    "stride less and as many extents of its box, got ";
  check(launch(0, 3, 2, 2, 2), 2, map + std::string("2 sizes"));
  check(launch(0, 3, 2, 0, 2), 2, map + std::string("2 sizes"));
  check(launch(0, 3, 2, 1, 1), 2, map + std::string("2 sizes"));
  check(launch(0, 3, 0, 0, 0), 2, map + std::string("0 sizes"));
  check(launch(0, 3, 2, 1, 2), 1,
        "expected as many sizes as the rank of an operand of a bundle, got 1");
  check(schema::CreateStep(b), 2,
        "expected a step of a bundle to be one of launch, memset and copy, got "
        "0 of them");
  auto address = schema::CreateAddress(b);
  auto memset = schema::CreateMemset(b, address, 0, 4);
  auto copy = schema::CreateCopy(b, address, address);
  check(schema::CreateStep(b, 0, memset, copy), 2, "got 2 of them");
}

/*===- What the structs must meet -----------------------------------------===*/

TEST_F(LoaderTest, Signature) {
  sample.operands[0].type = 5;
  expectRefusal("entry 'linear': operand 0: expected a name, an element type "
                "and a rank of at most 8, got type 5 and rank 2");
  sample.operands[0].type = CUTL_ELEMENT_BF16;
  sample.operands[2].rank = 9;
  expectRefusal("operand 2: expected a name, an element type and a rank of at "
                "most 8, got type 3 and rank 9");
  sample.operands[2].rank = 0;
  sample.operands[1].access = 2;
  expectRefusal("expected an access of 0 to 1, got 2");
  sample.operands[1].access = CUTL_ACCESS_WRITE;
  sample.sizes[0] = -2;
  expectRefusal("operand 1: expected a size of at least 0 for dimension 0, got "
                "-2");
  sample.sizes[0] = 0;
  sample.scalars[0].type = CUTL_ELEMENT_S4;
  expectRefusal("scalar 0: expected a name and a type of at least 8 bits, got "
                "type 12");
}

TEST_F(LoaderTest, Guards) {
  CutlGuard &divisible = sample.guards[1];
  divisible.operand = 3;
  expectRefusal("entry 'linear', variant 0: a guard: expected one of 3 "
                "operands, got operand 3");
  divisible.operand = 2;
  expectRefusal("a guard: expected a dimension of operand 2, which has rank 0, "
                "got 1");
  divisible.operand = 0;
  divisible.divisor = 0;
  expectRefusal("expected a guard's divisor of at least 1, got 0");
  divisible.kind = 7;
  expectRefusal("expected a kind of guard of 0 to 6, got 7");
  divisible = {CUTL_GUARD_CONDITION, 0, 0, 0, 0, 0, {}, "nothing"};
  expectRefusal("expected a guard with an expression, got none");
  divisible.expression = sample.code({{CUTL_OP_OCCUPANCY, 2, 0}});
  expectRefusal("a guard: expected the occupancy of a launch, and only where "
                "it does not depend on the value, got step 2");
}

TEST_F(LoaderTest, Expressions) {
  auto expectText = [&](std::vector<CutlInstruction> code, const char *text) {
    sample.copy.bytes = sample.code(code);
    expectRefusal(std::string("entry 'linear', variant 'tma', step 1: a number "
                              "of bytes: ") +
                  text);
  };
  CutlInstruction one = {CUTL_OP_CONSTANT, 0, 1};
  expectText({one, one}, "expected to leave 1 value, got 2");
  expectText({one, {CUTL_OP_ADD, 0, 0}},
             "expected 2 values for opcode 16, got 1");
  expectText({{7, 0, 0}}, "expected an opcode, got 7");
  expectText({one, one, {30, 0, 0}}, "expected an opcode, got 30");
  expectText({{-1, 0, 0}}, "expected an opcode, got -1");
  expectText(std::vector<CutlInstruction>(33, one),
             "expected at most 32 values at once, got more");
  expectText({{CUTL_OP_SIZE, -1, 0}},
             "expected one of 3 operands, got operand -1");
  expectText({{CUTL_OP_STRIDE, 0, 2}},
             "expected a dimension of operand 0, which has rank 2, got 2");
  expectText({{CUTL_OP_ALIGNMENT, 3, 0}},
             "expected one of 3 operands, got operand 3");
  expectText({{CUTL_OP_SCALAR, 0, 0}},
             "expected an integer of 2 scalars, got scalar 0");
  expectText({{CUTL_OP_OCCUPANCY, 1, 0}}, "expected the occupancy of a launch");
}

TEST_F(LoaderTest, Launches) {
  const std::string where = "entry 'linear', variant 'tma', step 2: ";
  sample.launch.block[2] = sample.code({{CUTL_OP_OCCUPANCY, 2, 0}});
  expectRefusal(where + "a block: expected the occupancy of a launch, and only "
                        "where it does not depend on the value, got step 2");
  sample.launch.block[2] = {};
  sample.parameters[0].index = 1;
  expectRefusal(where + "expected one of 1 tensor maps, got 1");
  sample.parameters[0] = {CUTL_PARAMETER_SCALAR, 2, 0, {}, {}};
  expectRefusal(where + "expected one of 2 scalars, got 2");
  sample.parameters[0] = {CUTL_PARAMETER_EXPRESSION, 0, 2, {}, {}};
  expectRefusal(where + "expected a parameter of 4 or 8 bytes, got 2");
  sample.parameters[0] = {4, 0, 0, {}, {}};
  expectRefusal(where + "expected a kind of parameter of 0 to 3, got 4");
  sample.parameters[0] = {CUTL_PARAMETER_ADDRESS, 0, 0, {}, {2, 0, {}}};
  expectRefusal(where + "expected a kind of address of 0 to 1, got 2");
  sample.parameters[0].address = {CUTL_ADDRESS_OPERAND, 9, {}};
  expectRefusal(where + "an address: expected one of 3 operands, got operand "
                        "9");
}

TEST_F(LoaderTest, TensorMaps) {
  sample.box[1] = 257;
  expectRefusal("expected a tensor map's box of 1 to 256, got 257");
  sample.box[1] = 1;
  sample.map.type = 4;
  expectRefusal("expected a type of tensor maps, got 4");
  sample.map.type = CUTL_TENSOR_MAP_FLOAT16;
  sample.map.swizzle = 4;
  expectRefusal("expected a swizzle of 0 to 3, got 4");
  sample.map.swizzle = 0;
  sample.map.l2Promotion = -1;
  expectRefusal("expected an L2 promotion of 0 to 3, got -1");
  sample.map.l2Promotion = 0;
  sample.map.outOfBounds = 2;
  expectRefusal("expected a value out of bounds of 0 to 1, got 2");
}

TEST_F(LoaderTest, Limits) {
  std::vector<CutlParameter> parameters(509, sample.parameters[4]);
  CutlLaunch many = sample.launch;
  many.parameters = parameters.data();
  many.parameterCount = 508;
  sample.steps[3].launch = &many;
  expectRefusal("entry 'linear', variant 1: expected at most 512 parameters "
                "and 32 tensor maps in all steps, got 513 and 2");
  std::vector<CutlStep> steps(17, sample.steps[0]);
  sample.variants[1].steps = steps.data();
  sample.variants[1].stepCount = 17;
  expectRefusal("expected at most 16 steps, got 17");
}

TEST_F(LoaderTest, Variants) {
  for (const char *chip : {"", "sm_9", "sm_90b", "sm_90aa", "sm_+90", "gfx90a",
                           "sm_09", "sm_99999"}) {
    sample.variants[1].chip = chip;
    expectRefusal(std::string("entry 'linear', variant 1: expected a chip like "
                              "sm_90a, got '") +
                  chip + "'");
  }
  sample.memset.elementBytes = 3;
  sample.variants[1].chip = "sm_100f";
  expectRefusal("entry 'linear', variant 'tma', step 0: expected elements of "
                "1, 2 or 4 bytes, got 3");
}

TEST_F(LoaderTest, Images) {
  sample.ptx.size = 12;
  expectRefusal("image 'linear.ptx': expected PTX that ends with a null",
                CUTL_RUNTIME_BAD_IMAGE);
  sample.ptx.size = 0;
  expectRefusal("image 'linear.ptx': expected PTX that ends with a null",
                CUTL_RUNTIME_BAD_IMAGE);
  sample.ptx.size = 13;
  sample.ptx.kind = 2;
  expectRefusal("expected a cubin (0) or PTX (1), got kind 2");
  sample.ptx.kind = CUTL_IMAGE_PTX;
  sample.cubin.size = 63;
  expectRefusal("image 'linear.cubin': expected an ELF file for CUDA devices",
                CUTL_RUNTIME_BAD_IMAGE);
  sample.cubin.size = 64;
  sample.cubinData[18] = 62; // x86-64
  expectRefusal("expected an ELF file for CUDA devices",
                CUTL_RUNTIME_BAD_IMAGE);
}

// The driver follows the offsets of a cubin without knowing its size.
TEST_F(LoaderTest, CubinsStayInside) {
  unsigned char data[64 + 64 + 56] = {};
  std::memcpy(data, sample.cubinData, 64);
  sample.cubin.data = data;
  sample.cubin.size = sizeof(data);
  data[58] = 64; // bytes of a section's record
  data[60] = 1;  // sections
  data[40] = 64; // where
  data[54] = 56; // the same for segments
  data[56] = 1;
  data[32] = 128;
  unsigned char *section = data + 64, *segment = data + 128;
  section[24] = 100; // offset
  section[32] = 84;  // size
  segment[8] = 184;
  EXPECT_EQ(load(cutl::writeBundle(sample.bundle)), CUTL_RUNTIME_OK)
      << error.text;
  section[32] = 85;
  expectRefusal("expected section 0 inside its 184 bytes, got 85 bytes at "
                "offset 100",
                CUTL_RUNTIME_BAD_IMAGE);
  section[4] = 8; // takes no bytes in the file
  segment[32] = 1;
  expectRefusal("expected segment 0 inside its 184 bytes, got 1 bytes at "
                "offset 184",
                CUTL_RUNTIME_BAD_IMAGE);
  data[47] = 0x80;
  expectRefusal("expected 1 sections inside its 184 bytes, got offset "
                "9223372036854775872",
                CUTL_RUNTIME_BAD_IMAGE);
  data[58] = 63;
  expectRefusal("expected an ELF file for CUDA devices",
                CUTL_RUNTIME_BAD_IMAGE);
}

} // namespace
