// Tables of layer times: what is read is what the same file as JSON says, and every mistake at once with its
// cell.
#include "config/layer_csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tests/support/corpus.hpp"
#include "text/json_text.hpp"

namespace saccade::config::layer_csv_test {
namespace {

// The same network twice, as a table and as JSON.
const std::filesystem::path kCorpus =
    std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/config/corpus/layers";
const std::string kTable = testing::file_text(kCorpus / "small.csv");

LayerTableContext context() {
  LayerTableContext context;
  context.network = "small";
  context.model = "small.onnx";
  context.sha256 = "ab";
  context.paid_by = "both";
  context.links = {{"cpu", "npu", 0.001, 1e-9}};
  context.whole = {{"cpu", 0.0055}};
  return context;
}

std::string complaints(const std::string& table, const LayerTableContext& context = {}) {
  const auto read = import_layers_text(table, "t.csv", context);
  return read ? "" : to_string(read.errors());
}

void expect_complaint(const std::string& table, const std::string& part) {
  const std::string told = complaints(table);
  EXPECT_NE(told.find(part), std::string::npos) << part << " in\n" << told;
}

TEST(LayerCsv, SaysWhatTheSameFileAsJsonSays) {
  const auto read = import_layers_text(kTable, "t.csv", context());
  ASSERT_TRUE(read) << to_string(read.errors());
  const auto expected = read_layer_file(kCorpus / "small.json");
  ASSERT_TRUE(expected) << to_string(expected.errors());
  EXPECT_EQ(read.value().file, expected.value());
  const auto again = parse_layer_file(text::write_json(read.value().document, 1), "again.json");
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_EQ(again.value(), expected.value());
}

TEST(LayerCsv, ColumnsMayStandInAnyOrderAndMostMayBeAbsent) {
  const auto read = import_layers_text("seconds:b,name,seconds:a\n1,x,2\n,y,3\n", "t.csv", {});
  ASSERT_TRUE(read) << to_string(read.errors());
  const placement::Chain& chain = read.value().file.chain;
  ASSERT_EQ(chain.processors.size(), 2U);
  EXPECT_EQ(chain.processors[0].id.str(), "b");
  EXPECT_EQ(chain.layers[0].on[1]->time, Seconds(2.0));
  EXPECT_FALSE(chain.layers[1].on[0]) << "an empty cell: the layer does not run there";
  EXPECT_TRUE(chain.boundaries.at(0).legal);
}

TEST(LayerCsv, EveryMistakeIsToldAtOnceWithItsCell) {
  LayerTableContext wrong = context();
  wrong.paid_by = "nobody";
  wrong.links = {{"cpu", "gpu", 0.1, 0.0}};
  wrong.whole = {{"npx", 1.0}};
  const std::string told = complaints(
      "name,second:cpu,seconds:cpu,seconds:npu,joules:dla,bytes,cut\n"
      "a,1,fast,,,7,\n"
      "b,1,-2,,,lots,perhaps\n"
      "c,1\n"
      ",1,3,,,,\n"
      "d,1,,,,,\n",
      wrong);
  for (const char* part :
       {"t.csv:1:6: unknown column `second:cpu`", "did you mean `seconds:cpu`?",
        "t.csv:1:29: no layer has a time on `npu`", "t.csv:1:41: there is no column `seconds:dla`",
        "t.csv:2:5 seconds:cpu: must be a number, but is the text `fast`",
        "t.csv:6:1: the layer has a time on no processor",
        "t.csv:2:12 bytes: nothing lies before the first layer", "t.csv:3:5 seconds:cpu",
        "t.csv:3:10 bytes: must be a number, but is the text `lots`",
        "t.csv:3:15 cut: must be true or false, but is `perhaps`",
        "t.csv:4:1: the line has 2 cells where the first line names 7 columns", "t.csv:5:1", "--paid-by",
        "--link: there is no processor `gpu`", "--whole: there is no processor `npx`"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << " in\n" << told;
  }
}

TEST(LayerCsv, RefusesTablesOfAnotherForm) {
  expect_complaint("", "the file is empty");
  expect_complaint("name,seconds:cpu\n", "there are no layers");
  expect_complaint("name;seconds:cpu\na;1\n", "separate them with commas");
  expect_complaint("layers,seconds:cpu\n1,1\n", "the column `name` is missing");
  expect_complaint("name,bytes\na,1\n", "no column has the times of a processor");
  expect_complaint("name,seconds:cpu,seconds:cpu\na,1,1\n", "is named twice");
  expect_complaint("name,seconds:a b\na,1\n", "t.csv:1:6");
  expect_complaint("name,seconds:cpu,transfer_seconds:cpu\na,1,\n", "t.csv:1:18: unknown column");
  expect_complaint("name,seconds:a,seconds:b,transfer_seconds:a:b\na,1,1,\nb,1,1,never\n",
                   "seconds, or `impossible`");
  expect_complaint("name,seconds:a,joules:a\na,1,1\nb,1,-1\n", "t.csv:3:5 joules:a");
}

TEST(LayerCsv, MutatedTablesAreReadOrRefused) {
  std::mt19937_64 random(18);  // NOLINT(cert-msc51-cpp): the same in every run
  std::size_t refused = 0;
  constexpr std::size_t kRounds = 2'000;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string table = kTable;
    for (std::size_t change = 0; change <= random() % 3; ++change) {
      static const std::string signs = ",\n:;\"-x0.e ";
      const std::size_t at = random() % table.size();
      if (random() % 2 == 0) table.erase(at, 1);
      if (random() % 2 == 0) table.insert(at, 1, signs[random() % signs.size()]);
    }
    const auto read = import_layers_text(table, "t.csv", context());
    if (!read) {
      ++refused;
      EXPECT_FALSE(read.errors().empty());
      continue;
    }
    const auto again = parse_layer_file(text::write_json(read.value().document, 1), "again.json");
    ASSERT_TRUE(again) << table << to_string(again.errors());
    EXPECT_EQ(again.value(), read.value().file);
  }
  EXPECT_GT(refused, kRounds / 10);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace saccade::config::layer_csv_test
