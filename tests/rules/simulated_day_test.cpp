// Rules in the loop of the simulated shell: cameras that wait at a low rate, something that happens now and
// then, and results that the simulated frames have of it.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "ilp/core_solver.hpp"
#include "tests/rules/in_simulation.hpp"
#include "tests/rules/support.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::rules::simulated_day_test {
namespace {

constexpr std::size_t kCameras = 16;
constexpr double kWaiting = 3.0;  // frames per second
constexpr double kFull = 15.0;    // of a camera that sees somebody
constexpr Duration kStep = std::chrono::milliseconds(50);
constexpr double kMissed = 0.05;  // share of the frames in which the network does not see who is there

// When somebody is there, in whole seconds.
struct Visit {
  int from = 0;
  int to = 0;
};
using Visits = std::vector<std::vector<Visit>>;  // by camera, ascending

// A tenth of the time, 20 s to 100 s each.
Visits drawn_visits(int seconds, std::mt19937& random) {
  Visits visits(kCameras);
  for (auto& camera : visits) {
    int at = static_cast<int>(random() % 600);
    while (at < seconds - 120) {
      const int length = 20 + static_cast<int>(random() % 81);
      camera.push_back({at, at + length});
      at += length + 60 + static_cast<int>(random() % 961);
    }
  }
  return visits;
}

bool somebody(const std::vector<Visit>& visits, Duration at) {
  for (const Visit& visit : visits) {
    if (at >= std::chrono::seconds(visit.from) && at < std::chrono::seconds(visit.to)) return true;
  }
  return false;
}

runtime::RunConfig cameras(double fps) {
  profiles::ProfileSet set = test::two_variants();
  set.variants.resize(1);
  set.variants[0].frame_time[ProcessorId("cpu")] = Seconds(3.5e-3);
  return test::run_config({test::state_at(0.0, kCameras, fps, 1e9,
                                          std::make_shared<const profiles::ProfileSet>(std::move(set)))});
}

struct Course {
  int flaps = 0;              // rules that were frozen
  double busy = 0.0;          // processor-seconds
  std::int64_t demanded = 0;  // frames at the full rate during visits, from 1 s after their begin
  std::int64_t served = 0;    // processed in that time
  std::int64_t changes = 0;   // of rules that came into force
  Duration stale{0};          // longest time that a plan for older wishes ran
  std::uint64_t hash = 0;
  std::string breach;
};

class Camp {
 public:
  Camp(Visits visits, runtime::RunConfig config, std::vector<Rule> rules)
      : visits_(std::move(visits)),
        config_(std::move(config)),
        engine_(std::move(rules)),
        policy_(scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_)),
        shell_(runtime::SimulatedShell::open(config_, *policy_, {}, {}).value()) {}

  Course run(Duration duration) {
    shell_->begin();
    for (Duration at = kStep; at <= duration; at += kStep) {
      shell_->run_until(at);
      note_age(at);
      look(at);
      for (const Turn& turn : engine_.step({TimePoint(at), minute_at(at)}))
        course_.flaps += turn.frozen ? 1 : 0;
      if (hand_over_change(engine_, config_, *shell_, at)) ++course_.changes;
    }
    const runtime::SimulationResult result = shell_->finish();
    course_.busy = result.summary.processors[0].busy_share * result.summary.seconds.value();
    course_.hash = result.hash;
    if (result.breach) course_.breach = result.breach->invariant + ": " + result.breach->found;
    return course_;
  }

  double missed = kMissed;
  std::function<int(Duration)> minute_at = [](Duration) { return 0; };

 private:
  void note_age(Duration at) {
    const runtime::Controller& controller = shell_->controller();
    const bool current = controller.plan() && controller.plan()->generation == controller.generation();
    if (current) planned_ = at;
    course_.stale = std::max(course_.stale, at - planned_);
  }

  void look(Duration at) {
    for (std::size_t camera = 0; camera < kCameras; ++camera) {
      const std::int64_t processed = shell_->desk().ledger().task(camera).processed;
      const std::int64_t fresh = processed - std::exchange(processed_[camera], processed);
      const bool there = somebody(visits_[camera], at - kStep);
      for (std::int64_t i = 0; i < fresh; ++i) {
        const bool seen = there && random_() % 1000 >= static_cast<unsigned>(missed * 1000);
        engine_.see("task-" + std::to_string(camera),
                    objects_of(seen ? std::vector<std::string>{"odd"} : std::vector<std::string>{}),
                    TimePoint(at));
      }
      // Of every captured picture that comes 200 ms after the one looked at last; noise moves a little.
      if (fresh > 0 && at - looked_[camera] >= std::chrono::milliseconds(200)) {
        looked_[camera] = at;
        const double noise = static_cast<double>(random_() % 1000) * 1e-6;
        engine_.look("task-" + std::to_string(camera), {{MotionMeasure{}, there ? 0.01 : noise}},
                     TimePoint(at));
      }
      if (there && somebody(visits_[camera], at - kStep - std::chrono::seconds(1))) {
        course_.served += fresh;
        full_ticks_ += kFull * to_seconds(kStep).value();
      }
    }
    course_.demanded = static_cast<std::int64_t>(full_ticks_);
  }

  const Visits visits_;
  const runtime::RunConfig config_;
  Engine engine_;
  const ilp::CoreSolver solver_;
  const std::unique_ptr<scheduler::Policy> policy_;
  std::unique_ptr<runtime::SimulatedShell> shell_;
  std::array<std::int64_t, kCameras> processed_{};
  std::array<Duration, kCameras> looked_{};
  std::mt19937 random_{7};
  double full_ticks_ = 0.0;
  Duration planned_{0};  // when the plan was the newest
  Course course_;
};

std::vector<std::string> all_tasks() {
  std::vector<std::string> tasks;
  for (std::size_t camera = 0; camera < kCameras; ++camera) tasks.push_back("task-" + std::to_string(camera));
  return tasks;
}
std::vector<Rule> one_rule_for_all() {
  return {presence_rule("somebody", all_tasks(), {"odd"}, fps_of(kFull))};
}

Course with_rules(int seconds) {
  std::mt19937 random(20'261'123);
  Camp camp(drawn_visits(seconds, random), cameras(kWaiting), one_rule_for_all());
  return camp.run(std::chrono::seconds(seconds));
}

#ifdef SACCADE_SANITIZED  // ten times slower
constexpr int kDay = 2 * 3600;
#else
constexpr int kDay = 24 * 3600;
#endif

void expect_a_good_day(const Course& ruled) {
  EXPECT_EQ(ruled.breach, "");

  // A constant demand costs the same at every time: ten minutes tell the day.
  constexpr int kTenMinutes = 600;
  Camp constant(Visits(kCameras), cameras(kFull), {});
  const Course unruled = constant.run(std::chrono::seconds(kTenMinutes));
  EXPECT_EQ(unruled.breach, "");
  const double constant_busy = unruled.busy * kDay / kTenMinutes;

  const double saved = 1.0 - ruled.busy / constant_busy;
  const double served = static_cast<double>(ruled.served) / static_cast<double>(ruled.demanded);
  std::cout << "saved " << saved << ", served " << served << " of " << ruled.demanded << ", changes "
            << ruled.changes << '\n';
  EXPECT_LE(ruled.stale, std::chrono::seconds(2));
  EXPECT_GE(saved, 0.6);
  EXPECT_GE(served, 0.99);
  EXPECT_GT(ruled.demanded, 10'000) << "something happened";
  EXPECT_GT(ruled.changes, 50);
}

TEST(SimulatedDay, RulesSaveMostOfTheWorkAndMissNextToNothing) { expect_a_good_day(with_rules(kDay)); }

// Cameras that are wanted at the full rate, and wait where nothing has moved for 20 s.
TEST(SimulatedDay, StillnessSavesMostOfTheWorkAndMissesNextToNothing) {
  std::mt19937 random(20'261'124);
  Camp camp(drawn_visits(kDay, random), cameras(kFull),
            {motion_rule("still", all_tasks(), std::chrono::seconds(20), fps_of(kWaiting))});
  expect_a_good_day(camp.run(std::chrono::seconds(kDay)));
}

// Results that get lost, visits that come and go within seconds, a wall clock that jumps.
TEST(SimulatedDay, TroubleBreaksNothingAndChangesStayRare) {
  constexpr int kSeconds = 900;
  std::mt19937 random(5);
  Visits visits(kCameras);
  for (auto& camera : visits) {
    for (int at = static_cast<int>(random() % 5); at < kSeconds - 60;
         at += 4 + static_cast<int>(random() % 3))
      camera.push_back({at, at + 2});
  }
  std::vector<Rule> rules = one_rule_for_all();
  rules[0].presence->hold = std::chrono::milliseconds(500);
  rules.push_back(clock_rule("night", {"task-0", "task-1"}, ClockWindow{22 * 60, 6 * 60}, fps_of(1)));
  Camp camp(visits, cameras(kWaiting), rules);
  camp.missed = 0.4;
  camp.minute_at = [](Duration at) {
    const auto jumps = at / std::chrono::seconds(20);
    return static_cast<int>(jumps * 7919 % kMinutesPerWeek);
  };
  const Course course = camp.run(std::chrono::seconds(kSeconds));
  EXPECT_EQ(course.breach, "");
  EXPECT_GT(course.flaps, 20);
  EXPECT_GT(course.changes, 100);
  EXPECT_LE(course.changes, kSeconds + 1) << "at most one a second";
}

TEST(SimulatedDay, TheSameTimeAgainIsTheSame) {
  const Course once = with_rules(300);
  const Course again = with_rules(300);
  EXPECT_EQ(once.hash, again.hash);
  EXPECT_EQ(once.served, again.served);
  EXPECT_EQ(once.changes, again.changes);
}

}  // namespace
}  // namespace saccade::rules::simulated_day_test
