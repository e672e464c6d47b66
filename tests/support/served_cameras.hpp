// A real shell over cameras that a test plugs in and out, for runs in which tasks and cameras come and go.
// Nothing is judged by how long it took: a test waits until what it wants has happened.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/shell_trial.hpp"

namespace saccade::test {

using namespace runtime;

inline constexpr double kPlenty = 100e6;

// Cameras by device number, plugged in and out by the test. Shared: a thread that opens one is not waited for
// when nobody wants the camera any more, so what it opened may live longer than the test.
class Cameras : public std::enable_shared_from_this<Cameras> {
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
  // Opening a camera that hangs returns when nothing hangs any more.
  void hang(int device, bool hangs) {
    const std::lock_guard lock(mutex_);
    hanging_ = hangs ? std::optional(device) : std::nullopt;
    changed_.notify_all();
  }
  Result<std::unique_ptr<FrameSource>> open(const SourceConfig& source) {
    const int device = std::get<CameraSource>(source).device;
    ++opened;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return hanging_ != device; });
    }
    if (!there(device)) return Error{"camera", "is not there", ""};
    const std::lock_guard lock(mutex_);
    if (!in_use_.insert(device).second) {
      ++busy;
      return Error{"camera", "is used by another", ""};
    }
    return std::unique_ptr<FrameSource>(std::make_unique<Source>(shared_from_this(), device));
  }
  std::atomic<int> opened{0};
  std::atomic<int> busy{0};  // attempts to open a camera that was open

 private:
  class Source final : public FrameSource {
   public:
    Source(std::shared_ptr<Cameras> cameras, int device) : cameras_(std::move(cameras)), device_(device) {}
    ~Source() override {
      const std::lock_guard lock(cameras_->mutex_);
      cameras_->in_use_.erase(device_);
    }
    bool next(Duration at, Frame& frame) override {
      return cameras_->there(device_) && frames_.next(at, frame);
    }

   private:
    std::shared_ptr<Cameras> cameras_;
    int device_;
    KnownFrames frames_;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, bool> in_;
  std::optional<int> hanging_;
  std::set<int> in_use_;
};

inline RunConfig config_of(const std::vector<int>& devices, double fps = 200.0, double memory = kPlenty) {
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
  explicit Service(const RunConfig& config, const std::function<void(Cameras&)>& prepare = {}) {
    if (prepare) prepare(cameras);
    RunHooks hooks;
    hooks.event = [this](Duration, const action::Report& report) {
      const std::lock_guard lock(mutex_);
      events_.push_back(report);
    };
    shell_ = RealShell::open(
                 config, std::make_shared<SimulatedBackend>(SimulatedBehaviour{}), *policy_, hooks,
                 [all = shared_cameras](const SourceConfig& source, const Regions&, const NetworkInputs&,
                                        const auto&) { return all->open(source); })
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
  [[nodiscard]] std::size_t count(EventKind event, const std::string& task) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const auto& each) {
      return each.event == event && each.task == task;
    }));
  }

  const std::shared_ptr<Cameras> shared_cameras = std::make_shared<Cameras>();
  Cameras& cameras = *shared_cameras;

 private:
  ilp::CoreSolver solver_;
  std::unique_ptr<scheduler::Policy> policy_ =
      scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_);
  std::mutex mutex_;
  std::vector<action::Report> events_;
  std::unique_ptr<RealShell> shell_;
  RunSummary summary_;
  std::thread thread_;
};

inline const TaskStatus* find(const RunStatus& status, const std::string& id) {
  for (const TaskStatus& task : status.tasks) {
    if (task.id.str() == id) return &task;
  }
  return nullptr;
}

inline auto processes(const std::string& id, std::int64_t more = 10) {
  return [id, more, from = std::int64_t{-1}](const RunStatus& status) mutable {
    const TaskStatus* task = find(status, id);
    if (!task) return false;
    if (from < 0) from = task->frames.processed;
    return task->frames.processed >= from + more;
  };
}

inline void sound_books(const RunSummary& summary) {
  for (const TaskSummary& task : summary.tasks) {
    SCOPED_TRACE(task.id.str());
    EXPECT_EQ(task.in_flight, 0);
    EXPECT_EQ(task.received,
              task.processed + std::accumulate(task.dropped.begin(), task.dropped.end(), std::int64_t{0}));
    EXPECT_LE(task.received, task.demanded);
  }
}

}  // namespace saccade::test
