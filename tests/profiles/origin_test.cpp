#include "profiles/origin.hpp"

#include <gtest/gtest.h>

namespace saccade::profiles {
namespace {

Origin origin(const std::string& device, const std::string& instructions, const Machine& machine) {
  ProfileSet set;
  set.device.name = device;
  set.provenance.instruction_set = instructions;
  return origin_of(set, machine);
}

TEST(Origin, IsHereOnlyWhereDeviceAndInstructionsAreTheSame) {
  const Machine jetson{"Jetson Nano", "asimd fp"};
  EXPECT_EQ(origin("Jetson Nano", "asimd fp", jetson), Origin::here);
  EXPECT_EQ(origin("Raspberry Pi 4", "asimd fp", jetson), Origin::other_device);
  EXPECT_EQ(origin("Jetson Nano", "asimd asimddp fp", jetson), Origin::other_instructions);
  EXPECT_EQ(origin("Xeon", "avx2 fma", jetson), Origin::other_instructions);
}

TEST(Origin, IsUnknownWhereOneOfTheTwoDoesNotTell) {
  EXPECT_EQ(origin("Jetson Nano", "", {"Jetson Nano", "asimd fp"}), Origin::unknown);
  EXPECT_EQ(origin("Jetson Nano", "asimd fp", {"Jetson Nano", ""}), Origin::unknown);
}

TEST(Origin, OfAnAcceleratorIsTheCardWhateverTheCpu) {
  ProfileSet set;
  set.device.name = "Card A";
  set.provenance.provider = "cuda";
  set.provenance.instruction_set = "avx2 fma";
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2", {"Card B", "Card A"}}), Origin::here);
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2 fma", {"Card B"}}), Origin::other_card);
  EXPECT_EQ(origin_of(set, {"Card A", "avx2 fma"}), Origin::other_card)
      << "a machine of that name has no card";
}

TEST(Origin, OfACardWithoutANameIsNotKnown) {
  ProfileSet set;
  set.device.name = "Card A";
  set.provenance.provider = "cuda";
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2", {"", "Card A"}}), Origin::here);
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2", {"", "Card B"}}), Origin::unnamed_card);
  set.device.name = kUnnamedCard;
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2", {"Card A"}}), Origin::unnamed_card);
  EXPECT_EQ(origin_of(set, {"Xeon", "avx2", {""}}), Origin::unnamed_card) << "it may be another one";
}

}  // namespace
}  // namespace saccade::profiles
