//===- SeedFaultTest.cpp - Faults of a schedule show as wrong numbers -----===//

#include "TileProgram.h"
#include "cutl/Builder/GemmBuilder.h"
#include "gtest/gtest.h"

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

struct Fault {
  const char *name;
  const char *fault, *dim;
  int64_t by;
  /// What a run says of it.
  const char *sign = ": expected ";
};

constexpr const char *kOutside = ": written outside";

void PrintTo(const Fault &fault, std::ostream *os) {
  *os << fault.fault << " " << fault.dim << " " << fault.by;
}

class SeedFault : public testing::TestWithParam<Fault> {
protected:
  void SetUp() override {
    context = makeContext();
    GemmDescription description;
    description.memrefForm = true;
    description.a = {::cutl::targetinfo::lookupDataType("f16"), "mk"};
    description.b = {::cutl::targetinfo::lookupDataType("f16"), "nk"};
    description.d = {::cutl::targetinfo::lookupDataType("f16"), "mn"};
    module = buildGemmModule(context.get(), description);
    ASSERT_TRUE(module);
    configure(*module, "cta = [64, 16, 64], stages = 2, kernel = single");
  }

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_P(SeedFault, IsNoticed) {
  TileOptions right, wrong;
  right.grid = wrong.grid = 3;
  wrong.fault = {GetParam().fault, GetParam().dim, GetParam().by};
  auto rightEngine = compileTiled(*module, right);
  auto wrongEngine = compileTiled(*module, wrong);
  ASSERT_TRUE(rightEngine && wrongEngine);
  // Whole tiles and ragged ones, each with several along every dimension.
  for (SmallVector<int64_t> shape :
       {SmallVector<int64_t>{128, 32, 128}, {129, 33, 129}, {190, 47, 190}}) {
    std::vector<SmallVector<int64_t>> extents = {shape};
    TileCall call(*module, extents);
    EXPECT_EQ(call.run(*rightEngine), "");
    std::string said = call.run(*wrongEngine);
    EXPECT_NE(said.find(GetParam().sign), std::string::npos)
        << "the fault was not noticed; the run says '" << said << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, SeedFault,
    testing::Values(Fault{"DropLastKTile", "drop-last-k-tile", "m", 0},
                    Fault{"RepeatTile", "repeat-tile", "m", 0},
                    Fault{"ShortMaskOfM", "tail-mask", "m", -1},
                    Fault{"ShortMaskOfN", "tail-mask", "n", -1},
                    Fault{"ShortMaskOfK", "tail-mask", "k", -1},
                    Fault{"LongMaskOfM", "tail-mask", "m", 1, kOutside},
                    Fault{"LongMaskOfN", "tail-mask", "n", 1, kOutside},
                    Fault{"LongMaskOfK", "tail-mask", "k", 1}),
    [](const auto &info) { return info.param.name; });
