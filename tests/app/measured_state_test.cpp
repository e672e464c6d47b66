// A status of a service laid over a moment: what is planned with, and what is said of decoding and cameras.
#include "app/report/measured_state.hpp"

#include <gtest/gtest.h>

namespace saccade::app {
namespace {

scheduler::Snapshot two_processors() {
  scheduler::Snapshot snapshot;
  for (const char* id : {"cpu0", "cpu1"}) snapshot.processors.emplace_back().id = ProcessorId(id);
  return snapshot;
}

constexpr const char* kStatus = R"({
  "processors": [
    {"id": "cpu1", "time_budget": 0.98, "guard_seconds": 0.02, "correction": 1.5, "decoding_seconds": 0.2},
    {"id": "cpu0", "time_budget": 0.67, "guard_seconds": 0.1, "correction": 1.0, "decoding_seconds": 0.23}],
  "tasks": [
    {"id": "gate", "capture": {"sent_pixels": [1920, 1080], "used_pixels": [640, 360]}},
    {"id": "yard", "capture": {"sent_pixels": [640, 360], "used_pixels": [320, 180]}},
    {"id": "door", "capture": null},
    {"id": "roof", "capture": {"sent_pixels": null, "used_pixels": null}}]})";

TEST(MeasuredState, IsWhatPlansOfTheServiceAreMadeWith) {
  scheduler::Snapshot snapshot = two_processors();
  const auto sentences = lay_measured_over(kStatus, "box", snapshot);
  ASSERT_TRUE(sentences.ok()) << to_string(sentences.errors());
  EXPECT_NEAR(snapshot.processors[0].budget(), 0.67, 1e-12);
  EXPECT_EQ(snapshot.processors[0].guard, Seconds(0.1));
  EXPECT_NEAR(snapshot.processors[1].budget(), 0.98, 1e-12);
  EXPECT_EQ(snapshot.processors[1].correction, 1.5);
}

TEST(MeasuredState, SaysWhatDecodingTakesAndWhichCameraSendsTooMuch) {
  scheduler::Snapshot snapshot = two_processors();
  const auto sentences = lay_measured_over(kStatus, "box", snapshot);
  ASSERT_TRUE(sentences.ok());
  std::string said;
  for (const Sentence& sentence : sentences.value()) {
    said += sentence.about + " " + sentence.name + ": " + sentence.text + "\n";
  }
  EXPECT_EQ(said,
            "decoding cpu0: Decoding of cameras takes 23 % of cpu0; plans leave it 23 %.\n"
            "decoding cpu1: Decoding of cameras takes 20 % of cpu1; the measured frame times include that "
            "already.\n"
            "camera gate: The camera of `gate` sends 1920 x 1080 pixels, reduced to 640 x 360 pixels: its "
            "sub-stream costs less to decode.\n");
}

TEST(MeasuredState, SaysWhichRulesAreActive) {
  const std::string rules = R"(, "rules": [
    {"id": "person", "task": "gate", "reason": "person in gate", "active": true, "frozen": false,
     "since_seconds": 12.5, "changes": 3, "refused": null},
    {"id": "idle", "task": "gate", "reason": "22:00 to 06:00", "active": false, "frozen": false,
     "since_seconds": null, "changes": 0, "refused": null},
    {"id": "busy", "task": "yard", "reason": "car in gate", "active": true, "frozen": true,
     "since_seconds": 3, "changes": 12, "refused": "/tasks/yard/fps: is too much"}]})";
  std::string status = kStatus;
  status.pop_back();
  scheduler::Snapshot snapshot = two_processors();
  const auto sentences = lay_measured_over(status + rules, "box", snapshot);
  ASSERT_TRUE(sentences.ok()) << to_string(sentences.errors());
  std::string said;
  for (const Sentence& sentence : sentences.value()) {
    if (sentence.about == "active_rule") said += sentence.name + ": " + sentence.text + "\n";
  }
  EXPECT_EQ(said,
            "person: In the service, rule person is active for gate since second 12.5 of its run (condition: "
            "person in gate).\n"
            "busy: In the service, rule busy is active for yard since second 3 of its run (condition: car in "
            "gate), frozen because it started and ended too often; its settings are not in force: "
            "/tasks/yard/fps: is too much\n");
}

TEST(MeasuredState, AnotherServiceOrNoStatusIsRefused) {
  for (const char* status :
       {"", "[]", "{\"document\":3}", R"({"processors": [{"id": "cpu0", "time_budget": 1}]})",
        R"({"processors": [{"id": "cpu0", "time_budget": 1, "guard_seconds": 0.1, "correction": 1}]})",
        R"({"processors": [{"id": "cpu0", "time_budget": -1, "guard_seconds": 0.1, "correction": 1},
                           {"id": "cpu1", "time_budget": 1, "guard_seconds": 0.1, "correction": 0}]})"}) {
    scheduler::Snapshot snapshot = two_processors();
    EXPECT_FALSE(lay_measured_over(status, "box", snapshot).ok()) << status;
  }
}

}  // namespace
}  // namespace saccade::app
