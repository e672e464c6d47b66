// Another configuration for a real shell that runs: tasks come and go, sources fail and come back. As in
// real_shell_test.cpp nothing is judged by how long it took: runs end when what they wait for has happened.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "ilp/glpk_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

using test::kBigMemory;
using test::KnownFrames;
using test::run_config;
using test::state_at;
using test::two_variants;

constexpr double kRoomy = 100e6;
constexpr Duration kAtMost = std::chrono::seconds(60);  // only for a run that never gets where it should

// Cameras by device number, plugged in and out by the test.
class Cameras {
 public:
  void plug(int device, bool in) {
    const std::lock_guard lock(mutex_);
    in_[device] = in;
  }
  [[nodiscard]] bool there(int device) {
    const std::lock_guard lock(mutex_);
    const auto found = in_.find(device);
    return found == in_.end() || found->second;
  }
  Result<std::unique_ptr<FrameSource>> open(const SourceConfig& source, const profiles::InputShape& input) {
    const int device = std::get<CameraSource>(source).device;
    ++opened;
    if (!there(device)) return Error{"camera", "is not there", ""};
    return std::unique_ptr<FrameSource>(std::make_unique<Source>(*this, device, input.size()));
  }
  std::atomic<int> opened{0};

 private:
  class Source final : public FrameSource {
   public:
    Source(Cameras& cameras, int device, std::size_t size)
        : cameras_(cameras), device_(device), frames_(size) {}
    bool next(Duration at, Frame& frame) override {
      return cameras_.there(device_) && frames_.next(at, frame);
    }

   private:
    Cameras& cameras_;
    int device_;
    KnownFrames frames_;
  };
  std::mutex mutex_;
  std::map<int, bool> in_;
};

RunConfig config_of(const std::vector<int>& devices, double fps = 200.0, double memory = kRoomy) {
  static const auto profiles = std::make_shared<const profiles::ProfileSet>(two_variants());
  TimelineState state = state_at(0.0, devices.size(), fps, memory, profiles);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    state.snapshot.tasks[i].id = TaskId("camera-" + std::to_string(devices[i]));
  }
  RunConfig config = run_config({state});
  for (std::size_t i = 0; i < devices.size(); ++i) config.tasks[i].source = CameraSource{devices[i]};
  return config;
}

// A shell that runs on a thread of its own until the end of the test.
class Service {
 public:
  explicit Service(const RunConfig& config) {
    RunHooks hooks;
    hooks.event = [this](Duration, const action::Report& report) {
      const std::lock_guard lock(mutex_);
      events_.push_back(report);
    };
    shell_ =
        RealShell::open(config, std::make_shared<SimulatedBackend>(SimulatedBehaviour{}), *policy_, hooks,
                        [this](const SourceConfig& source, const Regions&, const profiles::InputShape& input,
                               const auto&) { return cameras.open(source, input); })
            .value();
    thread_ = std::thread([this] { summary_ = shell_->run(kAtMost); });
  }
  ~Service() {
    if (thread_.joinable()) static_cast<void>(end());
  }
  RunSummary end() {
    shell_->stop();
    thread_.join();
    return summary_;
  }
  RealShell& operator*() { return *shell_; }
  RealShell* operator->() { return shell_.get(); }

  // Looks at the status until it is as wanted; false when the run ended before.
  template <class Wanted>
  [[nodiscard]] bool until(Wanted wanted) {
    for (;;) {
      const RunStatus status = shell_->status();
      if (wanted(status)) return true;
      if (status.at >= kAtMost) return false;
      std::this_thread::yield();
    }
  }
  [[nodiscard]] std::size_t count(const std::string& event, const std::string& task) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const auto& each) {
      return each.event == event && each.task == task;
    }));
  }

  Cameras cameras;

 private:
  ilp::GlpkSolver solver_;
  std::unique_ptr<scheduler::Policy> policy_ =
      scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_);
  std::mutex mutex_;
  std::vector<action::Report> events_;
  std::unique_ptr<RealShell> shell_;
  RunSummary summary_;
  std::thread thread_;
};

const TaskStatus* find(const RunStatus& status, const std::string& id) {
  for (const TaskStatus& task : status.tasks) {
    if (task.id.str() == id) return &task;
  }
  return nullptr;
}

auto processes(const std::string& id, std::int64_t more = 10) {
  return [id, more, from = std::int64_t{-1}](const RunStatus& status) mutable {
    const TaskStatus* task = find(status, id);
    if (!task) return false;
    if (from < 0) from = task->frames.processed;
    return task->frames.processed >= from + more;
  };
}

void expect_sound_books(const RunSummary& summary) {
  for (const TaskSummary& task : summary.tasks) {
    SCOPED_TRACE(task.id.str());
    EXPECT_EQ(task.in_flight, 0);
    EXPECT_EQ(task.received,
              task.processed + std::accumulate(task.dropped.begin(), task.dropped.end(), std::int64_t{0}));
    EXPECT_LE(task.received, task.demanded);
  }
}

const TaskSummary& task_of(const RunSummary& summary, const std::string& id) {
  return *std::find_if(summary.tasks.begin(), summary.tasks.end(),
                       [&](const TaskSummary& task) { return task.id.str() == id; });
}

TEST(Reconfigure, ATaskThatIsAddedIsServedAndTheOthersGoOnUntouched) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  const std::uint64_t before = service->status().generation;
  const auto generation = service->reconfigure(config_of({2, 1}));
  ASSERT_TRUE(generation.ok()) << to_string(generation.errors());
  EXPECT_GT(generation.value(), before);
  ASSERT_TRUE(service.until(processes("camera-2")));
  ASSERT_TRUE(service.until([](const RunStatus& status) { return status.settled; }));
  const RunStatus status = service->status();
  ASSERT_EQ(status.tasks.size(), 2U);
  EXPECT_EQ(status.tasks[0].id.str(), "camera-2") << "in the configuration's order";
  ASSERT_EQ(status.plan->tasks.size(), 2U);
  EXPECT_EQ(status.plan->tasks[0].task.str(), "camera-2");
  EXPECT_EQ(status.wanted->tasks[0].id.str(), "camera-2");
  EXPECT_GE(status.tasks[1].frames.processed, 10);
  const RunSummary summary = service.end();
  expect_sound_books(summary);
  EXPECT_EQ(service.count("load", "camera-1"), 1U) << "its engine stayed";
  EXPECT_TRUE(summary.switches.empty());
}

TEST(Reconfigure, ATaskThatIsRemovedEndsItsFramesGivesItsMemoryBackAndKeepsItsBooks) {
  Service service(config_of({1, 2}));
  ASSERT_TRUE(service.until(processes("camera-2")));
  ASSERT_TRUE(service->reconfigure(config_of({1})).ok());
  ASSERT_TRUE(service.until([](const RunStatus& status) { return status.reserved.value() == kBigMemory; }));
  ASSERT_EQ(service->status().tasks.size(), 1U);
  ASSERT_TRUE(service.until(processes("camera-1")));
  const RunSummary summary = service.end();
  expect_sound_books(summary);
  EXPECT_GE(task_of(summary, "camera-2").processed, 10);
  EXPECT_GT(task_of(summary, "camera-1").demanded, task_of(summary, "camera-2").demanded);
}

TEST(Reconfigure, ATaskThatComesBackGoesOnInItsBooks) {
  Service service(config_of({1, 2}));
  ASSERT_TRUE(service.until(processes("camera-2", 20)));
  ASSERT_TRUE(service->reconfigure(config_of({1})).ok());
  ASSERT_TRUE(service->reconfigure(config_of({1, 2})).ok());
  ASSERT_TRUE(service.until([](const RunStatus& status) {
    const TaskStatus* task = find(status, "camera-2");
    return task && task->frames.processed > 40;
  }));
  const RunSummary summary = service.end();
  expect_sound_books(summary);
  EXPECT_EQ(summary.tasks.size(), 2U);
}

TEST(Reconfigure, AConfigurationThatIsNotValidChangesNothing) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  const std::uint64_t before = service->status().generation;
  RunConfig floor = config_of({1});
  floor.timeline[0].snapshot.tasks[0].min_accuracy = 2.0;
  RunConfig processors = config_of({1});
  processors.processors[0].cpus = {0};
  RunConfig twice = config_of({1, 1});
  for (const RunConfig& wrong : {floor, processors, twice}) {
    const auto refused = service->reconfigure(wrong);
    ASSERT_FALSE(refused.ok());
    EXPECT_FALSE(refused.errors().empty());
  }
  EXPECT_EQ(service->status().generation, before);
  EXPECT_EQ(service.count("fault", ""), 3U);
}

TEST(Reconfigure, IsRefusedWhenNothingRunsAndNeverWaitsForEver) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  static_cast<void>(service.end());
  EXPECT_FALSE(service->reconfigure(config_of({1})).ok());
  EXPECT_EQ(service->status().tasks.size(), 1U);
}

TEST(Reconfigure, ASourceThatCannotBeOpenedIsLookedForUntilItIsThere) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  service.cameras.plug(2, false);
  ASSERT_TRUE(service->reconfigure(config_of({1, 2})).ok()) << "it never fails for a camera";
  ASSERT_TRUE(service.until([&](const RunStatus& status) {
    return !status.tasks[1].source_connected && service.count("fault", "camera-2") == 1;
  }));
  service.cameras.plug(2, true);
  ASSERT_TRUE(service.until(processes("camera-2")));
  ASSERT_TRUE(service.until([&](const RunStatus&) { return service.count("source_back", "camera-2") == 1; }));
  expect_sound_books(service.end());
}

TEST(Reconfigure, AnotherSourceKeepsTheEngineAndTheBooks) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  RunConfig moved = config_of({1});
  moved.tasks[0].source = CameraSource{7};
  const int opened = service.cameras.opened;
  ASSERT_TRUE(service->reconfigure(moved).ok());
  ASSERT_TRUE(service.until([&](const RunStatus&) { return service.cameras.opened > opened; }));
  service.cameras.plug(1, false);  // nobody looks there any more
  ASSERT_TRUE(service.until(processes("camera-1", 20)));
  const RunSummary summary = service.end();
  expect_sound_books(summary);
  EXPECT_EQ(service.count("load", "camera-1"), 1U);
}

TEST(Reconfigure, ALostSourcesBudgetGoesToTheOthersAndComesBack) {
  // Memory for one large engine and a small one.
  Service service(config_of({1, 2}, 100.0, 1.25 * kBigMemory));
  const auto big = [](const RunStatus& status) {
    return std::count_if(status.tasks.begin(), status.tasks.end(), [](const TaskStatus& task) {
      return task.variant == std::optional<std::size_t>(1);
    });
  };
  ASSERT_TRUE(service.until([&](const RunStatus& status) { return big(status) == 1; }));
  const RunStatus status = service->status();
  const bool first_is_big = status.tasks[0].variant == std::optional<std::size_t>(1);
  const int lost = first_is_big ? 1 : 2;
  const std::size_t other = first_is_big ? 1 : 0;
  service.cameras.plug(lost, false);
  ASSERT_TRUE(service.until([&](const RunStatus& now) {
    return !now.tasks[1 - other].source_connected &&
           now.tasks[other].variant == std::optional<std::size_t>(1) &&
           now.tasks[1 - other].granted.value() == 0.0;
  }));
  const std::int64_t demanded = service->status().tasks[1 - other].frames.demanded;
  ASSERT_TRUE(service.until([&](const RunStatus& now) {
    return now.tasks[1 - other].frames.demanded > demanded;  // it is demanded all the same
  }));
  service.cameras.plug(lost, true);
  ASSERT_TRUE(service.until(processes("camera-" + std::to_string(lost))));
  EXPECT_TRUE(service->status().tasks[1 - other].source_connected);
  expect_sound_books(service.end());
}

TEST(Reconfigure, AtRandomInstantsWithReadersAndCamerasThatComeAndGo) {
  Service service(config_of({1, 2, 3}));
  ASSERT_TRUE(service.until(processes("camera-1", 1)));
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      const RunStatus status = service->status();
      for (const TaskStatus& task : status.tasks) {
        EXPECT_EQ(task.frames.received,
                  task.frames.processed + task.frames.dropped_total() + task.frames.in_flight);
      }
      EXPECT_EQ(status.tasks.size(), status.wanted->tasks.size());
      std::this_thread::yield();
    }
  });
  std::mt19937 dice(1);
  std::uint64_t last = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<int> devices;
    for (int device = 1; device <= 5; ++device) {
      if (dice() % 2 == 0) devices.push_back(device);
      service.cameras.plug(device, dice() % 4 != 0);
    }
    if (devices.empty()) devices.push_back(1);
    RunConfig config = config_of(devices, 50.0 + static_cast<double>(dice() % 200));
    if (dice() % 4 == 0) config.tasks[0].regions = Grid{1, 1};
    const auto generation = service->reconfigure(std::move(config));
    ASSERT_TRUE(generation.ok()) << to_string(generation.errors());
    EXPECT_GT(generation.value(), last);
    last = generation.value();
  }
  const RunSummary summary = service.end();  // in the middle of whatever goes on
  done = true;
  reader.join();
  expect_sound_books(summary);
  EXPECT_GE(summary.tasks.size(), 5U);
}

}  // namespace
}  // namespace saccade::runtime
