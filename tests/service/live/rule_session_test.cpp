// Rules in a service that serves: real engines and a real shell, and the time of the week in the test's
// hands. Nothing is judged by how long it took: a test waits until what it wants has happened.
#include "service/live/rule_session.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "base/mutex.hpp"
#include "service/live/service_run.hpp"
#include "service/live/status_json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

constexpr int kNoon = 12 * 60;
constexpr int kMidnight = 0;

class RuledService : public ::testing::Test {
 protected:
  void serve(const json& rules) {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/mobilenet_v2-glyphs.json";
    const auto task = [&](const char* id) {
      return json{{"id", id},
                  {"profiles", profiles},
                  {"fps", 20},
                  {"source", source_of_.contains(id) ? source_of_[id]
                                                     : json{{"type", "synthetic"}, {"data_set", "glyphs"}}}};
    };
    std::ofstream(folder_ / "config.json") << json{
        {"version", 1},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "onnxruntime"}, {"graph_cache", "off"}}},
        {"tasks", {task("gate"), task("dock")}},
        {"rules", rules}}.dump();
    auto start = start_from(folder_ / "config.json", nullptr);
    ASSERT_TRUE(start.ok()) << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    runtime::RunHooks hooks;
    hooks.event = [this](Duration, const runtime::action::Report& report) {
      const Lock lock(mutex_);
      events_.push_back(report);
      changed_.notify_all();
    };
    hooks.status = [this](const runtime::RunStatus& status) {
      const Lock lock(mutex_);
      wanted_ = status.wanted;
      changed_.notify_all();
    };
    hooks.status_interval = status_interval_;
    ServiceRunOptions options;
    options.minute_of_week = [this] { return minute_.load(); };
    auto run = ServiceRun::open(*config_, hooks, std::move(options));
    ASSERT_TRUE(run.ok()) << to_string(run.errors());
    run_ = std::move(run).value();
    thread_ = std::thread([this] { (void)run_->run(std::nullopt); });
  }
  void TearDown() override {
    if (run_) run_->stop();
    if (thread_.joinable()) thread_.join();
  }

  // Waits for status and events, which come while it serves.
  template <class Predicate>
  [[nodiscard]] bool happens(const Predicate& predicate) {
    const Lock lock(mutex_);
    return changed_.wait_for(mutex_, std::chrono::seconds(60), predicate);
  }
  [[nodiscard]] double demand(std::size_t task) {
    const Lock lock(mutex_);
    return demand_now(task);
  }
  [[nodiscard]] bool wants(std::size_t task, double fps) {
    return happens([&]() SACCADE_REQUIRES(mutex_) { return demand_now(task) == fps; });
  }
  [[nodiscard]] bool wants_weight(std::size_t task, double weight) {
    return happens([&]() SACCADE_REQUIRES(mutex_) { return wanted_->tasks.at(task).weight == weight; });
  }
  [[nodiscard]] bool heard(runtime::EventKind kind, const std::string& task, const std::string& detail) {
    return happens([&]() SACCADE_REQUIRES(mutex_) {
      return std::any_of(events_.begin(), events_.end(), [&](const runtime::action::Report& event) {
        return event.event == kind && event.task == task && event.detail.find(detail) != std::string::npos;
      });
    });
  }
  [[nodiscard]] double demand_now(std::size_t task) const SACCADE_REQUIRES(mutex_) {
    return wanted_ ? wanted_->tasks.at(task).demand.value() : -1.0;
  }

  test::TemporaryFolder folder_;
  std::map<std::string, json> source_of_;
  Duration status_interval_ = std::chrono::milliseconds(10);
  std::atomic<int> minute_{kNoon};
  std::unique_ptr<ServiceConfig> config_;
  Mutex mutex_;
  Condition changed_;
  std::vector<runtime::action::Report> events_ SACCADE_GUARDED_BY(mutex_);
  std::shared_ptr<const scheduler::Snapshot> wanted_ SACCADE_GUARDED_BY(mutex_);
  std::unique_ptr<ServiceRun> run_;
  std::thread thread_;
};

json any_in(const char* id, const char* seen_in, const char* changes, const json& set) {
  return {{"id", id}, {"task", changes}, {"when", {{"presence", {{"task", seen_in}}}}}, {"set", set}};
}
json night(const json& set) {
  return {{"id", "night"},
          {"tasks", {"gate", "dock"}},
          {"when", {{"clock", {{"from", "22:00"}, {"to", "06:00"}}}}},
          {"set", set}};
}

TEST_F(RuledService, RulesThatComeWithAChangeAreToldOfThoughNobodyWatchesTheStatus) {
  status_interval_ = std::chrono::hours(24 * 365);
  ASSERT_NO_FATAL_FAILURE(serve(json::array()));
  ASSERT_TRUE(wants(1, 20.0)) << "it runs";
  const std::string rules = json{{"rules", {any_in("neighbour", "gate", "dock", {{"fps", 25}})}}}.dump();
  const auto patched =
      config_->change([&](const LiveConfig& live, Duration at) { return live.patched(rules, at); });
  ASSERT_TRUE(patched.ok()) << to_string(patched.errors());
  EXPECT_TRUE(heard(runtime::EventKind::rule, "dock", "cause=rule:neighbour active"));
}

TEST_F(RuledService, WhatOneTaskSeesRaisesAnother) {
  ASSERT_NO_FATAL_FAILURE(serve(json::array({any_in("neighbour", "gate", "dock", {{"fps", 25}})})));
  EXPECT_TRUE(wants(1, 25.0));
  EXPECT_EQ(demand(0), 20.0);
  EXPECT_TRUE(heard(runtime::EventKind::rule, "dock", "cause=rule:neighbour active: anything in gate"));
  // A change of the configuration is below the rule.
  const std::string etag = config_->document().etag;
  const auto patched = config_->change([](const LiveConfig& live, Duration at) {
    return live.task_patched("dock", R"({"fps": 7, "weight": 4})", at);
  });
  ASSERT_TRUE(patched.ok()) << to_string(patched.errors());
  EXPECT_NE(config_->document().etag, etag);
  EXPECT_TRUE(wants_weight(1, 4.0));
  EXPECT_EQ(demand(1), 25.0);
  // Without the rule the configuration counts.
  const auto without = config_->change(
      [](const LiveConfig& live, Duration at) { return live.patched(R"({"rules": []})", at); });
  ASSERT_TRUE(without.ok()) << to_string(without.errors());
  EXPECT_TRUE(wants(1, 7.0));
  EXPECT_TRUE(
      heard(runtime::EventKind::rule, "dock", "cause=rule:neighbour ended: it was changed or removed"));
}

TEST_F(RuledService, WhatMovesRaisesATaskAndWhatIsStillLowersIt) {
  // Two pictures in turn, of which a fortieth differs; and one that never changes.
  for (const char* name : {"moving/a.png", "moving/b.png", "still/a.png"}) {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    cv::Mat picture(90, 160, CV_8UC3, cv::Scalar::all(80));
    picture(cv::Rect(name[7] == 'b' ? 100 : 20, 30, 20, 18)).setTo(cv::Scalar::all(240));
    ASSERT_TRUE(cv::imwrite(file.string(), picture));
  }
  source_of_["gate"] = {{"type", "images"}, {"path", "moving"}};
  source_of_["dock"] = {{"type", "images"}, {"path", "still"}};
  ASSERT_NO_FATAL_FAILURE(serve(json::array({{{"id", "moves"},
                                              {"tasks", {"gate", "dock"}},
                                              {"when", {{"motion", {{"share", 0.01}}}}},
                                              {"set", {{"fps", 30}}}},
                                             {{"id", "quiet"},
                                              {"tasks", {"gate", "dock"}},
                                              {"when", {{"still_seconds", 0.5}}},
                                              {"set", {{"fps", 4}}}}})));
  EXPECT_TRUE(wants(0, 30.0));
  EXPECT_TRUE(wants(1, 4.0));
  EXPECT_TRUE(heard(runtime::EventKind::rule, "gate", "cause=rule:moves active: motion in gate"));
  EXPECT_TRUE(
      heard(runtime::EventKind::rule, "dock", "cause=rule:quiet active: nothing moves in dock for 0.5 s"));
}

TEST_F(RuledService, TheClockTurnsARuleOnAndOff) {
  ASSERT_NO_FATAL_FAILURE(serve(json::array({night({{"fps", 3}})})));
  EXPECT_TRUE(wants(0, 20.0));
  minute_ = kMidnight;
  EXPECT_TRUE(wants(0, 3.0));
  EXPECT_TRUE(wants(1, 3.0));
  minute_ = kNoon;
  EXPECT_TRUE(wants(0, 20.0));
  EXPECT_TRUE(wants(1, 20.0));
  EXPECT_TRUE(heard(runtime::EventKind::rule, "gate", "cause=rule:night ended: 22:00 to 06:00"));
}

TEST_F(RuledService, RulesThatComeWithAChangeOfTheConfigurationHold) {
  ASSERT_NO_FATAL_FAILURE(serve(json::array()));
  EXPECT_TRUE(wants(0, 20.0));
  const std::string patch =
      json{{"rules", json::array({any_in("own", "gate", "gate", {{"fps", 30}})})}}.dump();
  const auto changed =
      config_->change([&](const LiveConfig& live, Duration at) { return live.patched(patch, at); });
  ASSERT_TRUE(changed.ok()) << to_string(changed.errors());
  EXPECT_TRUE(wants(0, 30.0));
}

TEST(RuleSession, ARefusedChangeIsShownToldOnceAndTriedAgain) {
  rules::Rule rule;
  rule.id = "night";
  rule.tasks = {"gate"};
  rule.clock = rules::ClockWindow{0, 0};
  rule.set.fps = Fps(3);
  std::atomic<int> asked{0};
  RuleSession session(
      {rule},
      [&](const rules::Overlay&) -> runtime::ChangeResult<std::uint64_t> {
        if (++asked < 3) return Error{"/tasks/gate/fps", "is too much", ""};
        return std::uint64_t{1};
      },
      [] { return kNoon; });
  session.run({});
  while (asked < 2) std::this_thread::yield();
  const std::vector<ShownRule> refused = session.states();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_TRUE(refused[0].state.active);
  EXPECT_NE(refused[0].refused.find("is too much"), std::string::npos) << "shown from the first refusal on";
  while (!session.states()[0].refused.empty()) std::this_thread::yield();
  EXPECT_EQ(asked, 3);
  int faults = 0;
  for (const auto& report : session.take_news()) faults += report.event == runtime::EventKind::fault ? 1 : 0;
  EXPECT_EQ(faults, 1);
  EXPECT_TRUE(session.take_news().empty()) << "taken";
  session.end();
}

// As the configuration does it: whatever is brought into force, the session is told.
TEST(RuleSession, WhatARemovedRuleAskedForBeforeIsTakenBack) {
  rules::Rule rule;
  rule.id = "night";
  rule.tasks = {"gate"};
  rule.clock = rules::ClockWindow{0, 0};
  rule.set.fps = Fps(3);
  Mutex mutex;
  std::vector<rules::Overlay> laid;
  RuleSession* self = nullptr;
  RuleSession session(
      {rule},
      [&](const rules::Overlay& overlay) -> runtime::ChangeResult<std::uint64_t> {
        const Lock lock(mutex);
        if (laid.empty()) self->set_rules({}, {});  // a change of the configuration was faster
        laid.push_back(overlay);
        self->set_rules({}, overlay);
        return std::uint64_t{1};
      },
      [] { return kNoon; });
  self = &session;
  session.run({});
  const auto count = [&] {
    const Lock lock(mutex);
    return laid.size();
  };
  while (count() < 2) std::this_thread::yield();
  session.end();
  EXPECT_EQ(laid[0].at("gate").fps, Fps(3));
  EXPECT_TRUE(laid[1].empty()) << "nothing is wanted any more";
}

// Time that passes when the test says so.
class MovedTime final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return TimePoint(Duration(now_)); }
  void pass(Duration time) { now_ += time.count(); }

 private:
  std::atomic<Duration::rep> now_{0};
};

// Results of a task with a rule on its persons, as a worker hands them over, and what has come of them.
class WatchedTask {
 public:
  explicit WatchedTask(Duration hold, std::shared_ptr<const Clock> clock = std::make_shared<SteadyClock>())
      : served_{TaskId("gate"), std::make_shared<const profiles::ProfileSet>(people_and_cars())},
        session_(
            {person_rule(hold)},
            [this](const rules::Overlay& overlay) -> runtime::ChangeResult<std::uint64_t> {
              raised_ = !overlay.empty();
              return std::uint64_t{1};
            },
            [this] {
              ++steps_;
              return kNoon;
            },
            std::move(clock)),
        listener_(session_.listener(nullptr)) {
    session_.run({});
  }
  void see(bool person) {
    listener_->seen({.task = served_, .number = ++number_, .objects = seen_[person ? 1 : 0]});
  }
  [[nodiscard]] bool raised() const { return raised_; }
  [[nodiscard]] int steps() const { return steps_; }  // every step asks for the minute of the week
  void end() { session_.end(); }

 private:
  static profiles::ProfileSet people_and_cars() {
    profiles::ProfileSet set;
    set.labels = {"person", "car"};
    return set;
  }
  static rules::Rule person_rule(Duration hold) {
    rules::Rule rule;
    rule.id = "person";
    rule.tasks = {"gate"};
    rule.presence = rules::PresenceCondition{};
    rule.presence->labels = {"person"};
    rule.presence->hold = hold;
    rule.set.fps = Fps(3);
    return rule;
  }

  const runtime::ServedTask served_;
  const std::array<vision::Objects, 2> seen_ = {
      {{{{0.0F, 0.0F, 10.0F, 10.0F}, 1, 0.9F, 0}}, {{{0.0F, 0.0F, 10.0F, 10.0F}, 0, 0.9F, 0}}}};
  runtime::FrameNumber number_ = 0;
  std::atomic<bool> raised_{false};
  std::atomic<int> steps_{0};
  RuleSession session_;
  const std::shared_ptr<runtime::ResultListener> listener_;
};

// However many results come and however long that takes: the thread of the rules works when a presence begins
// or may have ended, and not for results that change nothing.
TEST(RuleSession, AResultThatBeginsNoPresenceWakesNoThread) {
  WatchedTask task(std::chrono::hours(1));
  while (!task.raised()) task.see(true);
  for (int i = 0; i < 3'000'000; ++i) task.see(i % 3 == 0);
  task.end();
  constexpr int kSteps = 4;  // at the start, at the presence, once the change was made, and a second later
  EXPECT_LE(task.steps(), kSteps);
}

TEST(RuleSession, APresenceEndsWithoutFurtherResults) {
  constexpr Duration kHold = std::chrono::milliseconds(5);
  const auto time = std::make_shared<MovedTime>();
  WatchedTask task(kHold, time);
  while (!task.raised()) task.see(true);
  time->pass(kHold + rules::Engine::kLeastBetween);
  while (task.raised()) std::this_thread::yield();
  time->pass(rules::Engine::kLeastBetween);
  for (int i = 0; i < 3; ++i) task.see(false);
  while (!task.raised()) task.see(true);
  task.end();
}

TEST(RuleSession, TheMinuteOfTheWeekIsOne) {
  EXPECT_GE(minute_of_week_now(), 0);
  EXPECT_LT(minute_of_week_now(), rules::kMinutesPerWeek);
}

TEST(RuleStatus, ShowsEveryRuleAndOfATaskThoseThatHold) {
  ShownRule person;
  person.state = {"person", "gate", "person in gate", true, false, TimePoint(std::chrono::seconds(1)), 3};
  person.for_time = Seconds(4.0);
  ShownRule early;
  early.state = {"early", "gate", "00:00 to 12:00", true, false, TimePoint(std::chrono::seconds(1)), 1};
  early.for_time = Seconds(11.0);
  early.refused = "too much";
  ShownRule idle;
  idle.state = {"idle", "gate", "22:00 to 06:00", false, true, std::nullopt, 0};
  const std::vector<ShownRule> rules = {person, early, idle};
  const json all = to_json(rules, std::chrono::seconds(10));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], (json{{"id", "person"},
                          {"task", "gate"},
                          {"reason", "person in gate"},
                          {"active", true},
                          {"frozen", false},
                          {"since_seconds", 6.0},
                          {"changes", 3},
                          {"refused", nullptr}}));
  EXPECT_EQ(all[1]["since_seconds"], 0.0) << "before the run's time 0";
  EXPECT_EQ(all[2]["since_seconds"], nullptr);
  const json active = active_rules(rules, "gate", std::chrono::seconds(10));
  ASSERT_EQ(active.size(), 2U);
  EXPECT_EQ(
      active[0],
      (json{{"id", "person"}, {"reason", "person in gate"}, {"since_seconds", 6.0}, {"refused", nullptr}}));
  EXPECT_EQ(active[1]["refused"], "too much");
  EXPECT_TRUE(active_rules(rules, "dock", std::chrono::seconds(10)).empty());
}

}  // namespace
}  // namespace saccade::service
