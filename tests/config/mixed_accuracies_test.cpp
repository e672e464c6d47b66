// Accuracies that do not mean the same are not compared in silence.
#include "config/mixed_accuracies.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::config {
namespace {

ProfileFile set_of(const std::string& path, const std::string& metric,
                   std::optional<profiles::AccuracySource> source = std::nullopt) {
  profiles::ProfileSet set;
  set.interface.metric = metric;
  set.provenance.accuracy_source = source;
  return {path, std::make_shared<const profiles::ProfileSet>(std::move(set))};
}

using profiles::AccuracySource;

TEST(MixedAccuracies, NothingIsSaidOfOneMetricAndOneSource) {
  EXPECT_EQ(to_string(mixed_accuracies({})), "");
  EXPECT_EQ(to_string(mixed_accuracies({set_of("a.json", "top1"), set_of("b.json", "top1")})), "");
  EXPECT_EQ(to_string(mixed_accuracies({set_of("a.json", "map", AccuracySource::measured),
                                        set_of("b.json", "map", AccuracySource::measured),
                                        set_of("c.json", "map")})),
            "")
      << "a set that does not say its source differs from none";
}

TEST(MixedAccuracies, MetricsAndSourcesAreNamedWithTheirSets) {
  const Errors found = mixed_accuracies({set_of("p/a.json", "top1", AccuracySource::measured),
                                         set_of("p/b.json", "map", AccuracySource::declared),
                                         set_of("p/c.json", "top1", AccuracySource::declared)});
  ASSERT_EQ(found.size(), 2u) << to_string(found);
  EXPECT_EQ(found[0].what,
            "the accuracies of the tasks have different metrics: map of b.json; top1 of a.json, c.json");
  EXPECT_EQ(
      found[1].what,
      "the accuracies of the tasks come from different sources: declared of b.json, c.json; measured of "
      "a.json");
  EXPECT_NE(found[0].hint.find("relative accuracies"), std::string::npos);
}

TEST(MixedAccuracies, ASetThatDoesNotSayItsSourceIsNoTeachersAndNoTables) {
  for (const AccuracySource other : {AccuracySource::teacher, AccuracySource::declared}) {
    const Errors found = mixed_accuracies({set_of("a.json", "top1"), set_of("b.json", "top1", other)});
    ASSERT_EQ(found.size(), 1u) << to_string(found);
    EXPECT_EQ(found[0].what.find("the accuracies of the tasks come from different sources: "), 0u);
    EXPECT_NE(found[0].what.find("not said of a.json"), std::string::npos) << found[0].what;
    EXPECT_NE(found[0].what.find(std::string(to_string(other)) + " of b.json"), std::string::npos);
  }
}

TEST(MixedAccuracies, AConfigurationSaysSo) {
  const test::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& interface) {
    std::ofstream(folder / name) << R"({"format": "saccade-profiles/2", "network": "n",
      "device": {"name": "d", "processors": ["cpu"]}, "labels": ["a", "b"], "interface": )" +
                                        interface + R"(,
      "variants": [{"id": "v", "accuracy": 0.5, "frame_time_seconds": {"cpu": 0.001}}]})";
  };
  const std::string input = R"("input": {"width": 64, "height": 64})";
  write("gate.json", R"({"task": "classify", )" + input + R"(, "decoder": {"type": "classify"}})");
  write("yard.json", R"({"task": "detect", )" + input + R"(, "decoder": {"type": "yolo"}})");
  const auto task = [](const std::string& name) {
    return R"({"id": ")" + name + R"(", "profiles": ")" + name +
           R"(.json", "fps": 1, "source": {"type": "synthetic", "data_set": "glyphs"}})";
  };
  const auto config = parse_config(
      R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}, "tasks": [)" +
          task("gate") + ", " + task("yard") + "]}",
      "config.json", folder.path());
  ASSERT_TRUE(config.ok()) << to_string(config.errors());
  EXPECT_NE(
      to_string(config.value().profile_notes).find("different metrics: map of yard.json; top1 of gate.json"),
      std::string::npos)
      << to_string(config.value().profile_notes);
}

}  // namespace
}  // namespace saccade::config
