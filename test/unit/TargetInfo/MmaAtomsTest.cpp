//===- MmaAtomsTest.cpp - tests of the mma atom table ---------------------===//

#include "cutl/TargetInfo/MmaAtoms.h"
#include "cutl/TargetInfo/Targets.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace cutl::targetinfo;

static std::vector<const MmaAtom *> atoms(const char *a, const char *b,
                                          const char *acc, const char *chip) {
  return lookupMmaAtoms(*lookupDataType(a), *lookupDataType(b),
                        *lookupDataType(acc), *lookupChip(chip));
}

TEST(MmaAtoms, EveryRecordNamesKnownTypesAndALegalAccumulator) {
  for (const MmaAtom *atom : allMmaAtoms()) {
    const DataType *a = lookupDataType(atom->a);
    const DataType *b = lookupDataType(atom->b);
    const DataType *acc = lookupDataType(atom->acc);
    ASSERT_TRUE(a && b && acc) << atom->a << " " << atom->b << " " << atom->acc;
    std::vector<const DataType *> legal = legalAccumulators(*a, *b);
    EXPECT_NE(std::find(legal.begin(), legal.end(), acc), legal.end())
        << atom->a << " x " << atom->b << " -> " << atom->acc;
  }
}

TEST(MmaAtoms, TensorAtomsReadWholeVectorsOfK) {
  // One instruction of wgmma or tcgen05 consumes 32 bytes of K; elements below
  // a byte are stored one to a byte there.
  for (const MmaAtom *atom : allMmaAtoms())
    if (atom->family == MmaFamily::Wgmma || atom->family == MmaFamily::Tcgen05)
      EXPECT_EQ(atom->k * std::max(8, +lookupDataType(atom->a)->storageBits),
                256)
          << familyName(atom->family) << " " << atom->a;
}

TEST(MmaAtoms, HopperPrefersWgmma) {
  std::vector<const MmaAtom *> found = atoms("bf16", "bf16", "f32", "sm_90a");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->family, MmaFamily::Wgmma);
  EXPECT_EQ(found[0]->m, 64);
  EXPECT_EQ(found[0]->k, 16);
  EXPECT_FALSE(found[0]->aKMajor);
  EXPECT_FALSE(found[0]->bKMajor);
  EXPECT_EQ(found[1]->family, MmaFamily::MmaSync);
}

TEST(MmaAtoms, BytesAndTf32MustBeKMajorForWgmma) {
  for (const char *type : {"e4m3", "e5m2", "tf32"}) {
    const MmaAtom *atom = atoms(type, type, "f32", "sm_90a").front();
    EXPECT_EQ(atom->family, MmaFamily::Wgmma);
    EXPECT_TRUE(atom->aKMajor && atom->bKMajor) << type;
  }
  EXPECT_TRUE(atoms("s8", "u8", "s32", "sm_90a").front()->bKMajor);
}

TEST(MmaAtoms, NOfFloatWgmmaGoesInStepsOfEight) {
  const MmaAtom *atom = atoms("bf16", "bf16", "f32", "sm_90a").front();
  for (int64_t n = -8; n <= 300; ++n)
    EXPECT_EQ(atom->isLegalN(n), n >= 8 && n <= 256 && n % 8 == 0) << n;
  EXPECT_EQ(atom->nearestLegalN(0), 8);
  EXPECT_EQ(atom->nearestLegalN(201), 200);
  EXPECT_EQ(atom->nearestLegalN(204), 200);
  EXPECT_EQ(atom->nearestLegalN(1000), 256);
}

TEST(MmaAtoms, NOfIntegerWgmmaIsCoarserAbove24) {
  const MmaAtom *atom = atoms("s8", "s8", "s32", "sm_90a").front();
  std::vector<int64_t> legal;
  for (int64_t n = 0; n <= 300; ++n)
    if (atom->isLegalN(n))
      legal.push_back(n);
  EXPECT_EQ(legal,
            (std::vector<int64_t>{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144,
                                  160, 176, 192, 208, 224, 240, 256}));
  EXPECT_EQ(atom->nearestLegalN(40), 32);
  EXPECT_EQ(atom->nearestLegalN(200), 192);
}

TEST(MmaAtoms, WgmmaAndTcgen05StayOnTheirGeneration) {
  for (const Target *chip : allChips())
    for (const MmaAtom *atom : allMmaAtoms()) {
      if (atom->family == MmaFamily::Wgmma)
        EXPECT_EQ(atom->isAvailableOn(*chip), chip->sm == 90) << chip->name;
      if (atom->family == MmaFamily::Tcgen05)
        EXPECT_EQ(atom->isAvailableOn(*chip), chip->sm == 100) << chip->name;
    }
}

TEST(MmaAtoms, Fp8NeedsAda) {
  EXPECT_TRUE(atoms("e4m3", "e4m3", "f32", "sm_80").empty());
  EXPECT_TRUE(atoms("e4m3", "e4m3", "f32", "sm_87").empty());
  EXPECT_EQ(atoms("e4m3", "e5m2", "f32", "sm_89").size(), 1u);
}

TEST(MmaAtoms, DoublesHaveNoWgmma) {
  std::vector<const MmaAtom *> found = atoms("f64", "f64", "f64", "sm_90a");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]->family, MmaFamily::MmaSync);
  EXPECT_EQ(found[0]->m, 16);
  EXPECT_EQ(found.back()->family, MmaFamily::Simt);
}

TEST(MmaAtoms, ExactSinglesAreScalar) {
  for (const Target *chip : allChips()) {
    std::vector<const MmaAtom *> found = atoms("f32", "f32", "f32", chip->name);
    ASSERT_EQ(found.size(), 1u) << chip->name;
    EXPECT_EQ(found[0]->family, MmaFamily::Simt);
  }
}
