// Another configuration for a real shell that runs: tasks come and go, sources fail and come back. As in
// real_shell_test.cpp nothing is judged by how long it took: runs end when what they wait for has happened.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/served_cameras.hpp"

namespace saccade::runtime {
namespace {

using test::Cameras;
using test::config_of;
using test::find;
using test::kBigMemory;
using test::processes;
using test::Service;
using test::sound_books;

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
  sound_books(summary);
  EXPECT_EQ(service.count(EventKind::load, "camera-1"), 1U) << "its engine stayed";
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
  sound_books(summary);
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
  sound_books(summary);
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
  EXPECT_EQ(service.count(EventKind::fault, ""), 3U);
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
    return !status.tasks[1].source_connected && service.count(EventKind::fault, "camera-2") == 1;
  }));
  service.cameras.plug(2, true);
  ASSERT_TRUE(service.until(processes("camera-2")));
  ASSERT_TRUE(service.until(
      [&](const RunStatus&) { return service.count(EventKind::source_back, "camera-2") == 1; }));
  sound_books(service.end());
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
  sound_books(summary);
  EXPECT_EQ(service.count(EventKind::load, "camera-1"), 1U);
}

TEST(Reconfigure, ACameraIsClosedBeforeAnotherTaskOpensIt) {
  Service service(config_of({1}));
  ASSERT_TRUE(service.until(processes("camera-1")));
  RunConfig regions = config_of({1});  // another task under the same name, with the same camera
  regions.tasks[0].regions = Grid{1, 1};
  regions.timeline[0].snapshot.tasks[0].regions = 1;
  const int opened = service.cameras.opened;
  ASSERT_TRUE(service->reconfigure(regions).ok());
  ASSERT_TRUE(service.until([&](const RunStatus&) { return service.cameras.opened > opened; }));
  ASSERT_TRUE(service.until(processes("camera-1")));
  EXPECT_EQ(service.cameras.busy, 0);
  EXPECT_EQ(service.count(EventKind::fault, "camera-1"), 0U);
  sound_books(service.end());
}

TEST(Reconfigure, TasksThatReplaceOneAnotherTakeTheIndicesOfThoseBeforeThem) {
  constexpr int kReplaced = 60;
  Service service(config_of({1, 100}));
  ASSERT_TRUE(service.until(processes("camera-100", 1)));
  for (int i = 1; i <= kReplaced; ++i) {
    ASSERT_TRUE(service->reconfigure(config_of({1, 100 + i})).ok());
    ASSERT_TRUE(service.until(processes("camera-" + std::to_string(100 + i), 1)));
    // The one before has given its engine back.
    ASSERT_TRUE(
        service.until([](const RunStatus& status) { return status.reserved.value() == 2 * kBigMemory; }));
  }
  const TaskNumber number = service->status().tasks[1].index;
  EXPECT_LT(task_index(number), 30U) << "and not " << kReplaced + 1;
  EXPECT_NE(number, task_index(number)) << "its number is one of its own";
  EXPECT_EQ(service->latest_frame(task_index(number)).jpeg, "") << "that of a task which is gone";
  EXPECT_TRUE(service.until(processes("camera-1")));
  const RunSummary summary = service.end();
  sound_books(summary);
  EXPECT_EQ(summary.forgotten.tasks + static_cast<std::int64_t>(summary.tasks.size()), kReplaced + 2);
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
  sound_books(service.end());
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
  sound_books(summary);
  EXPECT_GE(summary.tasks.size(), 5U);
}

}  // namespace
}  // namespace saccade::runtime
