// A profile of another machine is not used in silence.
#include "config/profile_machine.hpp"

#include <gtest/gtest.h>

namespace saccade::config {
namespace {

const profiles::Machine kHere{"Jetson Nano", "asimd fp"};

ProfileFile file(const std::string& path, const std::string& device, const std::string& instructions) {
  profiles::ProfileSet set;
  set.device.name = device;
  set.provenance.instruction_set = instructions;
  return {path, std::make_shared<const profiles::ProfileSet>(std::move(set))};
}

TEST(MachineWarnings, NothingIsSaidOfWhatWasMeasuredHere) {
  EXPECT_EQ(to_string(machine_warnings({file("a.json", "Jetson Nano", "asimd fp")}, kHere, "c.json")), "");
}

TEST(MachineWarnings, AnotherMachineIsNamedWithTheCommandsThatMeasureHere) {
  EXPECT_EQ(
      machine_warnings({file("p/a.json", "Xeon", "avx2")}, kHere, "c.json"),
      (Errors{{"p/a.json",
               "it was measured on `Xeon`, and this machine is `Jetson Nano` and has other instructions",
               "its times may not hold here; measure: saccade profile p/a.json --quick --out HERE/a.json, "
               "each of them, then saccade fit c.json --profiles HERE --out FILE"}}));
  EXPECT_EQ(
      machine_warnings({file("p/a.json", "Pi", "asimd fp")}, kHere, ""),
      (Errors{{"p/a.json", "it was measured on `Pi`, and this machine is `Jetson Nano`",
               "its times may not hold here; measure: saccade profile p/a.json --quick --out HERE/a.json"}}));
}

TEST(MachineWarnings, AnotherCardIsNamedWithTheCommandThatMeasuresOnThisOne) {
  profiles::ProfileSet set;
  set.device.name = "Card A";
  set.provenance.provider = "cuda";
  const ProfileFile file{"p/a.json", std::make_shared<const profiles::ProfileSet>(std::move(set))};
  const auto warnings = [&](const std::vector<std::string>& cards) {
    return machine_warnings({file}, {"Xeon", "avx2", cards}, "");
  };
  EXPECT_EQ(warnings({"Card A"}), Errors{});
  EXPECT_EQ(
      warnings({"Card B", "Card C"}),
      (Errors{{"p/a.json", "it was measured on the card `Card A`, and this machine has `Card B`, `Card C`",
               "its times may not hold here; measure: saccade profile p/a.json --quick --provider cuda "
               "--out HERE/a.json"}}));
  EXPECT_EQ(warnings({})[0].what, "it was measured on the card `Card A`, and this machine has none");
}

TEST(MachineWarnings, OfACardWithoutANameItIsSaidSoAndWhatToDo) {
  const auto warning = [](const std::string& measured, const std::vector<std::string>& cards) {
    profiles::ProfileSet set;
    set.device.name = measured;
    set.provenance.provider = "cuda";
    const Errors warnings =
        machine_warnings({{"p/a.json", std::make_shared<const profiles::ProfileSet>(std::move(set))}},
                         {"Xeon", "avx2", cards}, "");
    EXPECT_EQ(warnings.size(), 1u);
    return warnings.empty() ? Error{} : warnings.front();
  };
  const Error unnamed = warning(profiles::kUnnamedCard, {"Card B"});
  EXPECT_EQ(unnamed.what,
            "it is not known on which card it was measured: the driver reported no name for it");
  EXPECT_EQ(unnamed.hint,
            "`nvidia-smi -L` shows the names that the driver reports; update a driver that reports none; its "
            "times may not hold here; measure: saccade profile p/a.json --quick --provider cuda --out "
            "HERE/a.json");
  EXPECT_EQ(
      warning("Card A", {""}).what,
      "it was measured on the card `Card A`, and the driver reports no name for a card of this machine");
}

TEST(MachineWarnings, AnUnknownMachineIsCalledSo) {
  EXPECT_EQ(machine_warnings({file("a.json", "Jetson Nano", "")}, kHere, "")[0].what,
            "it is not known on what machine it was measured: it records no instruction set");
}

TEST(MachineWarnings, SetsOfOneOriginAreOneWarning) {
  const Errors warnings =
      machine_warnings({file("p/a.json", "Xeon", "avx2"), file("p/b.json", "Xeon", "avx2"),
                        file("p/c.json", "Jetson Nano", "asimd fp"), file("p/d.json", "Xeon", "avx2")},
                       kHere, "c.json");
  ASSERT_EQ(warnings.size(), 1u) << to_string(warnings);
  EXPECT_TRUE(warnings[0].what.ends_with("; the same of b.json, d.json")) << warnings[0].what;
}

}  // namespace
}  // namespace saccade::config
