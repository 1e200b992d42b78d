//===- TargetsTest.cpp - tests of the chip table --------------------------===//

#include "cutl/TargetInfo/Targets.h"

#include "gtest/gtest.h"

using namespace cutl::targetinfo;

TEST(Targets, AllChipsInOrder) {
  std::string names;
  for (const Target *chip : allChips()) {
    names += std::string(chip->name) + " ";
    EXPECT_EQ(lookupChip(chip->name), chip);
  }
  EXPECT_EQ(names, "sm_80 sm_86 sm_87 sm_89 sm_90a sm_100a sm_120a ");
}

TEST(Targets, Hopper) {
  const Target *chip = lookupChip("sm_90a");
  ASSERT_NE(chip, nullptr);
  EXPECT_EQ(chip->smCount, 132u);
  EXPECT_EQ(chip->sharedMemoryPerCta, 232448u);
  EXPECT_EQ(chip->maxClusterSize, 8);
  EXPECT_TRUE(chip->hasTma);
  EXPECT_TRUE(chip->hasFamily(MmaFamily::Wgmma));
  EXPECT_FALSE(chip->hasFamily(MmaFamily::Tcgen05));
  EXPECT_EQ(chip->residentCtas(1), 132);
  EXPECT_EQ(chip->residentCtas(2), 132);
  EXPECT_EQ(chip->residentCtas(4), 120);
  EXPECT_EQ(chip->residentCtas(8), 120);
}

TEST(Targets, RecordsAreConsistent) {
  for (const Target *chip : allChips()) {
    // The driver keeps one KiB of an SM's shared memory per CTA.
    EXPECT_EQ(chip->sharedMemoryPerCta + 1024, chip->sharedMemoryPerSm)
        << chip->name;
    EXPECT_EQ(std::string(chip->name).back() == 'a', chip->archSpecific);
    EXPECT_TRUE(chip->hasFamily(MmaFamily::Simt)) << chip->name;
    EXPECT_EQ(chip->hasFamily(MmaFamily::Wgmma), chip->sm == 90);
    EXPECT_EQ(chip->hasTma, chip->sm >= 90);
  }
}

TEST(Targets, UnknownNamesGetTheNearest) {
  EXPECT_EQ(lookupChip("sm_90"), nullptr);
  EXPECT_EQ(lookupChip("SM_90A"), nullptr);
  EXPECT_EQ(unknownChipMessage("sm_90"),
            "unknown chip 'sm_90'; nearest known is 'sm_90a'");
  EXPECT_STREQ(nearestChip("sm90a").name, "sm_90a");
  EXPECT_STREQ(nearestChip("100").name, "sm_100a");
  EXPECT_STREQ(nearestChip("sm_75").name, "sm_80");
  EXPECT_STREQ(nearestChip("sm_121a").name, "sm_120a");
  EXPECT_STREQ(nearestChip("sm_99999999999999999999999").name, "sm_120a");
}

TEST(Targets, NearestOfNoNumberIsStillAChip) {
  EXPECT_NE(lookupChip(nearestChip("").name), nullptr);
  EXPECT_NE(lookupChip(nearestChip("hopper").name), nullptr);
  EXPECT_NE(lookupChip(nearestChip(std::string(100000, 'x')).name), nullptr);
}
