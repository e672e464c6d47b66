// The record, word by word.
#include "results/record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace saccade::results {
namespace {

Result gate() {
  Result result;
  result.task = "gate";
  result.frame = 18231;
  result.generation = 4;
  result.captured_at = std::chrono::system_clock::time_point(std::chrono::milliseconds(1795369263412));
  result.captured_by = CapturedBy::camera;
  result.captured_monotonic_seconds = 8123.412345;
  result.variant = "n-320-int8";
  result.processor = "cpu";
  result.accuracy = 0.371;
  result.relative_accuracy = 0.94;
  result.width = 1920;
  result.height = 1080;
  SeenObject person;
  person.label = "person";
  person.score = static_cast<double>(0.87F);
  person.box = {412.5F, 96.0F, 78.2F, 201.4F};
  result.objects = {person};
  result.presence = {{"person", 1}};
  result.latency_seconds = 0.031;
  result.age_seconds = 0.084;
  return result;
}

TEST(RecordTest, IsThatOfTheFormat) {
  EXPECT_EQ(
      record_of(gate(), "yard-box"),
      R"({"format":"saccade-result/1","node":"yard-box","task":"gate","frame":18231,"generation":4,)"
      R"("captured_at":"2026-11-22T17:41:03.412Z","captured_by":"camera",)"
      R"("captured_monotonic_seconds":8123.412345,"variant":"n-320-int8","processor":"cpu",)"
      R"("accuracy":0.371,"relative_accuracy":0.94,"size":[1920,1080],)"
      R"("objects":[{"label":"person","class":0,"score":0.87,"box":[412.5,96.0,78.2,201.4],"region":0}],)"
      R"("presence":{"person":1},"latency_seconds":0.031,"age_seconds":0.084})");
}

TEST(RecordTest, ANetworkThatLabelsRegionsHasThemInTheirOrder) {
  Result result = gate();
  result.classifies = true;
  SeenObject second;
  second.label = "car";
  second.label_index = 1;
  second.score = 0.93;
  second.box = {384.0F, 180.0F, 64.0F, 64.0F};
  second.region = 1;
  result.objects.insert(result.objects.begin(), second);  // best score first
  const auto json = nlohmann::ordered_json::parse(record_of(result, "yard-box"));
  EXPECT_FALSE(json.contains("objects"));
  EXPECT_EQ(json.at("regions").dump(),
            R"([{"region":0,"box":[412.5,96.0,78.2,201.4],"label":"person","class":0,"score":0.87},)"
            R"({"region":1,"box":[384.0,180.0,64.0,64.0],"label":"car","class":1,"score":0.93}])");
  EXPECT_EQ(json.at("presence").dump(), R"({"person":1})");
}

TEST(RecordTest, ASizeThatIsNotKnownIsNull) {
  Result result = gate();
  result.width = result.height = 0;
  EXPECT_TRUE(nlohmann::json::parse(record_of(result, "n")).at("size").is_null());
}

TEST(RecordTest, TimesBefore1970AreWrittenToo) {
  using namespace std::chrono;
  EXPECT_EQ(utc_text(system_clock::time_point(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(utc_text(system_clock::time_point(milliseconds(0))), "1970-01-01T00:00:00.000Z");
}

TEST(RecordTest, TooManyObjectsAreCutAndCounted) {
  Result result = gate();
  result.objects.assign(3000, result.objects.front());
  result.objects.front().score = 1.0;
  const std::string record = record_of(result, "yard-box");
  EXPECT_LE(record.size(), kMostRecordBytes);
  EXPECT_GT(record.size(), kMostRecordBytes - 256);
  const auto json = nlohmann::json::parse(record);
  EXPECT_EQ(json.at("objects").size() + json.at("cut").get<std::size_t>(), 3000U);
  EXPECT_EQ(json.at("objects").at(0).at("score"), 1.0);  // the best are kept
}

TEST(RecordTest, NeitherLabelsNorNumbersBreakALine) {
  Result result = gate();
  result.objects.front().label = "a\nb\"\xff" + std::string(100'000, 'x');
  result.objects.front().box.x = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 2000; ++i) result.presence["label\n" + std::to_string(i)] = i;
  const std::string record = record_of(result, "no\nde");
  EXPECT_EQ(record.find('\n'), std::string::npos);
  EXPECT_LE(record.size(), kMostRecordBytes);
  EXPECT_EQ(nlohmann::json::parse(record).at("cut"), 1);
}

}  // namespace
}  // namespace saccade::results
