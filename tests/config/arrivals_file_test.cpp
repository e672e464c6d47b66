// Files of arrivals: what is read, and what is complained of.
#include "config/arrivals_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/quantity.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::config {
namespace {

Result<std::vector<Duration>> read(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "gate.csv", std::ios::binary) << text;
  return read_arrivals(folder / "gate.csv", "gate.csv");
}
std::vector<double> seconds_of(const std::string& text) {
  const auto arrivals = read(text);
  EXPECT_TRUE(arrivals.ok()) << to_string(arrivals.errors());
  std::vector<double> seconds;
  if (!arrivals.ok()) return seconds;
  for (const Duration each : arrivals.value()) seconds.push_back(to_seconds(each).value());
  return seconds;
}

TEST(ArrivalsFile, HasATimeInTheFirstColumnOfEveryRow) {
  EXPECT_EQ(seconds_of("0\n0.25\n1e1\n"), (std::vector<double>{0.0, 0.25, 10.0}));
  EXPECT_EQ(seconds_of("arrived_at,frame\r\n0.5,1\r\n0.5,2\r\n"), (std::vector<double>{0.5, 0.5}));
}

// The fuzzer begins with these.
TEST(ArrivalsFile, TheCorpusIsReadOrRefused) {
  const std::filesystem::path corpus =
      std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/config/corpus/arrivals";
  for (const char* good : {"times.csv", "heading.csv", "quoted.csv"}) {
    EXPECT_TRUE(read_arrivals(corpus / good, good).ok()) << good;
  }
  for (const char* bad : {"wrong.csv", "nothing.csv"})
    EXPECT_FALSE(read_arrivals(corpus / bad, bad).ok()) << bad;
}

TEST(ArrivalsFile, AllMistakesAreToldAtOnceWithTheirPlace) {
  const auto read_all = read("1\n0.5\n-1\nsoon\nnan\n2\n");
  ASSERT_FALSE(read_all.ok());
  std::string told;
  for (const Error& error : read_all.errors()) told += error.where + " " + error.what + "\n";
  EXPECT_EQ(told,
            "gate.csv:2:1 0.5 s is before the arrival in the line above\n"
            "gate.csv:3:1 `-1` is no time of arrival\n"
            "gate.csv:4:1 `soon` is no time of arrival\n"
            "gate.csv:5:1 `nan` is no time of arrival\n");
  for (const char* empty : {"", "seconds\n"}) {
    const auto nothing = read(empty);
    ASSERT_FALSE(nothing.ok());
    EXPECT_EQ(nothing.errors().front().what, "holds no time of arrival");
  }
  EXPECT_FALSE(read_arrivals("/nowhere/gate.csv", "gate.csv").ok());
}

}  // namespace
}  // namespace saccade::config
