#include "profiles/csv_import.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "profiles/profile_io.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/csv.hpp"

namespace saccade::profiles {
namespace {

namespace fs = std::filesystem;
using testing::file_text;

const fs::path kCorpus = fs::path(SACCADE_SOURCE_DIR) / "tests/profiles/corpus/csv";
const CsvContext kContext{.network = "net", .device = "board"};
const std::string kHeader = "id,accuracy,frame_time_seconds";

Result<ProfileSet> import(const std::string& text, const CsvContext& context = kContext) {
  return import_csv_text(text, "t.csv", context);
}

std::vector<std::vector<std::string>> cells(std::string_view text) {
  std::vector<std::vector<std::string>> all;
  const auto rows = text::parse_csv(text, "t.csv");
  EXPECT_TRUE(rows.ok());
  if (!rows) return all;
  for (const text::CsvRow& row : rows.value()) {
    all.emplace_back();
    for (const text::CsvCell& cell : row) all.back().push_back(cell.text);
  }
  return all;
}

TEST(Csv, CellsAreReadAsTheStandardSays) {
  using Rows = std::vector<std::vector<std::string>>;
  EXPECT_EQ(cells(""), Rows{});
  EXPECT_EQ(cells("a,b\nc,d"), (Rows{{"a", "b"}, {"c", "d"}})) << "the last line may end without a break";
  EXPECT_EQ(cells("\xEF\xBB\xBF"
                  "a\r\nb\r\n"),
            (Rows{{"a"}, {"b"}}));
  EXPECT_EQ(cells("\"a,b\",\"say \"\"x\"\"\",\"two\r\nlines\"\n"),
            (Rows{{"a,b", "say \"x\"", "two\r\nlines"}}));
  EXPECT_EQ(cells("a,,\n,\n\n\"\",x"), (Rows{{"a", "", ""}, {"", ""}, {"", "x"}}));
  EXPECT_EQ(cells(" a b ,\t\" c \" ,d"), (Rows{{"a b", " c ", "d"}}));
}

TEST(Csv, PlacesAreCountedInCharacters) {
  const auto rows = text::parse_csv("\"x\ny\",b\n\xC3\xA9\xC3\xA9, c", "t.csv");
  ASSERT_TRUE(rows.ok());
  const text::CsvCell& b = rows.value()[0][1];
  const text::CsvCell& c = rows.value()[1][1];
  EXPECT_EQ(text::place_in("t.csv", b.line, b.column), "t.csv:2:4");
  EXPECT_EQ(text::place_in("t.csv", c.line, c.column), "t.csv:3:5");
}

TEST(CsvImport, EveryBrokenFileIsRefusedWithExactlyItsComplaints) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "bad")) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    const auto set = import_csv_text(file_text(entry.path()), entry.path().filename().string(), kContext);
    ASSERT_FALSE(set.ok()) << entry.path();
    EXPECT_EQ(to_string(set.errors()) + '\n', file_text(fs::path(entry.path()).replace_extension(".txt")))
        << entry.path();
  }
  EXPECT_GT(files, 20);
}

TEST(CsvImport, ATableBecomesAProfileSet) {
  const auto read = import_csv(kCorpus / "good/every-column.csv", {.network = "net",
                                                                   .device = "board",
                                                                   .processor = "gpu",
                                                                   .idle_power_watts = 2.5,
                                                                   .labels = {"cat", "dog"},
                                                                   .energy_source = ""});
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const ProfileSet& set = read.value();
  EXPECT_EQ(set.network, "net");
  EXPECT_EQ(set.device.name, "board");
  EXPECT_EQ(set.device.processors, std::vector{ProcessorId("gpu")});
  EXPECT_EQ(set.device.idle_power, Watts(2.5));
  EXPECT_EQ(set.labels, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(set.provenance.measured_by, "saccade import of every-column.csv");
  EXPECT_EQ(set.provenance.energy_source, "measured");
  EXPECT_EQ(set.provenance.accuracy_source, AccuracySource::declared);
  EXPECT_EQ(set.provenance.accuracy_data, "every-column.csv");
  EXPECT_EQ(set.directory, kCorpus / "good");
  ASSERT_EQ(set.variants.size(), 2u);
  const Variant& small = set.variants[0];
  EXPECT_EQ(small.id, VariantId("small"));
  EXPECT_EQ(small.precision, Precision::int8);
  EXPECT_EQ(small.accuracy, 0.93);
  EXPECT_EQ(small.frame_time, (TimeByProcessor{{ProcessorId("gpu"), Seconds(0.002)}}));
  EXPECT_EQ(peak_power(small), Watts(3.0));
  EXPECT_EQ(small.energy_per_inference, Joules(0.006));
  EXPECT_EQ(small.memory, Bytes(2e6));
  EXPECT_EQ(small.load_time, Seconds(0.01));
  EXPECT_EQ(small.model, "");
  const Variant& big = set.variants[1];
  EXPECT_EQ(big.accuracy, 0.95);
  EXPECT_EQ(big.model, "models/big, really.onnx");
  EXPECT_FALSE(big.power || big.energy_per_inference || big.memory || big.load_time)
      << "an empty cell is absent";
}

TEST(CsvImport, WithoutEnergyTheSourceIsUnavailable) {
  const auto set = import(file_text(kCorpus / "good/plain.csv"));
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set.value().provenance.energy_source, "unavailable");
  EXPECT_EQ(set.value().variants[0].precision, Precision::fp32);
}

TEST(CsvImport, WhatTheCommandLineGivesIsNamedAsItsOption) {
  const auto set = import(kHeader + "\na,0.9,0.001\n", {.network = "a/b",
                                                        .device = "x\ny",
                                                        .processor = "c p u",
                                                        .idle_power_watts = -1,
                                                        .labels = {"cat", "cat"},
                                                        .energy_source = "guessed"});
  ASSERT_FALSE(set.ok());
  std::string places;
  for (const Error& error : set.errors()) places += error.where + " ";
  EXPECT_EQ(places, "--network --device --processor --idle-power --energy-source --labels ")
      << to_string(set.errors());
}

TEST(CsvImport, TheEnergySourceGoesWithTheTable) {
  const std::string plain = kHeader + "\na,0.9,0.001\n";
  const std::string powered = kHeader + ",power_watts\na,0.9,0.001,3\n";
  const auto with = [](const char* source) {
    CsvContext context = kContext;
    context.energy_source = source;
    return context;
  };
  EXPECT_EQ(import(powered, with("modelled")).value().provenance.energy_source, "modelled");
  EXPECT_EQ(to_string(import(powered, with("unavailable")).errors()),
            "--energy-source: the table has power or energy, which does not go with `unavailable` (leave the "
            "option out)");
  EXPECT_EQ(to_string(import(plain, with("measured")).errors()),
            "--energy-source: the table has no power or energy, which does not go with `measured` (leave the "
            "option out)");
  EXPECT_TRUE(import(plain, with("unavailable")).ok());
}

TEST(CsvImport, ThousandsOfMistakesAreCounted) {
  std::string text = kHeader + "\n";
  for (int i = 0; i < 500; ++i) text += "v" + std::to_string(i) + ",95,0.001\n";
  const auto set = import(text);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.errors().size(), 201u);
  EXPECT_EQ(set.errors().back().what, "and 300 more errors");
}

TEST(CsvImport, AMissingFileIsNamed) {
  const auto set = import_csv("/nowhere/at-all.csv", kContext);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(to_string(set.errors()), "/nowhere/at-all.csv: there is no such file (check the path)");
}

// A table as large as the paper's: 3,000 variants of one network.
TEST(CsvImport, ThreeThousandVariantsSurviveTheWayThroughTheFile) {
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> share(0.4, 1.0);
  std::string text = kHeader + ",power_watts,memory_bytes,load_time_seconds\n";
  for (int i = 0; i < 3000; ++i) {
    text += "v" + std::to_string(i) + "," + std::to_string(share(random)) + "," +
            std::to_string(0.02 * share(random)) + "," + std::to_string(5 * share(random)) + "," +
            std::to_string(1'000'000 + i) + ",0.01\n";
  }
  const auto set = import(text);
  ASSERT_TRUE(set.ok()) << to_string(set.errors());
  ASSERT_EQ(set.value().variants.size(), 3000u);
  EXPECT_EQ(to_string(warnings(set.value())), "");
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_profile_set(set.value(), folder / "set.json").ok());
  const auto again = read_profile_set(folder / "set.json");
  ASSERT_TRUE(again.ok()) << to_string(again.errors());
  EXPECT_EQ(to_json(again.value()), to_json(set.value()));
}

}  // namespace
}  // namespace saccade::profiles
