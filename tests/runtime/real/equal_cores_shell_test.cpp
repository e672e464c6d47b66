// The real shell with four workers of one kind, on two CPUs where there are as many, and tasks whose
// frames clients push, while every plan moves every task to the next worker: each frame is answered once,
// with its own answer, and none is lost. What is waited for is what threads have done; nothing waits for time
// to pass. The thread sanitizer runs it as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiles/processor_kinds.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::runtime::equal_cores_shell_test {
namespace {

constexpr std::size_t kCores = 4;
#ifdef SACCADE_SANITIZED
constexpr std::size_t kTasks = 4;
#else
constexpr std::size_t kTasks = 8;
#endif
constexpr double kDemand = 1e5;  // frames/s: far more than clients push

// The turn is the part of the first task's demand above kDemand; in each turn, a task has the next core.
class NextCore final : public scheduler::Policy {
 public:
  [[nodiscard]] static std::size_t core_of(std::size_t task, std::size_t turn) {
    return (task + turn) % kCores;
  }
  [[nodiscard]] const char* name() const override { return "transprecision"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits&) const override {
    const auto turn = static_cast<std::size_t>(std::llround(snapshot.tasks.front().demand.value() - kDemand));
    std::vector<std::optional<std::size_t>> variants;
    for (std::size_t task = 0; task < snapshot.tasks.size(); ++task)
      variants.emplace_back(core_of(task, turn));
    return test::scripted(snapshot, variants);
  }
};

// One variant, measured on the kind "core": as many variants as cores, in their order.
RunConfig tasks_on_four() {
  profiles::ProfileSet measured = test::two_variants();
  measured.variants.resize(1);
  // On any machine frames take many times as long, so that corrections are in force while tasks move: rates
  // are lowered, and what clients send above them is lost to the switch.
  measured.variants[0].frame_time = {{ProcessorId("core"), Seconds(1e-6)}};
  measured.device.processors = {ProcessorId("core")};
  std::vector<profiles::KindOfProcessor> kinds;
  for (std::size_t core = 0; core < kCores; ++core)
    kinds.push_back({ProcessorId("core" + std::to_string(core)), ProcessorId("core")});
  const auto set = std::make_shared<const profiles::ProfileSet>(profiles::on_processors(measured, kinds));
  TimelineState state = test::state_at(0.0, kTasks, kDemand, 1e9, set);
  state.snapshot.processors.clear();
  for (const profiles::KindOfProcessor& core : kinds) {
    scheduler::Processor& processor = state.snapshot.processors.emplace_back();
    processor.id = core.processor;
    processor.kind = core.kind;
  }
  RunConfig config = test::run_config({state});
  for (TaskConfig& task : config.tasks) task.source = PushSource{};
  std::vector<int> cpus = allowed_cpus();
  cpus.resize(std::min<std::size_t>(cpus.size(), 2));
  for (std::size_t core = 0; core < kCores; ++core) config.processors[core].cpus = {cpus[core % cpus.size()]};
  return config;
}

// Pushes frames of one task, each when the one before has been answered. The numbers of task and frame are
// in the frame, and the simulated engine answers with them.
class Client {
 public:
  Client(RealShell& shell, std::size_t task) : shell_(shell), task_(task) {}

  // Until it is processed: one above the rate of a transition is sent again.
  void push() {
    const float number = static_cast<float>(processed() + 1);
    std::optional<DropReason> dropped;
    do {
      std::vector<float> input(test::kTinyInput.size());
      input[0] = static_cast<float>(task_ + 1);
      input[1] = number;
      Frame frame;
      frame.input = std::move(input);
      const std::size_t call = begin_call();
      const PushVerdict verdict =
          shell_.push(task_, {std::move(frame), test::kTinyInput, WholeFrame{}},
                      [this, call, number](const FrameAnswer& answer) { note(call, number, answer); });
      ASSERT_EQ(verdict, PushVerdict::accepted);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return answers_[call] > 0; });
      dropped = dropped_;
    } while (dropped == DropReason::over_quota);
    ASSERT_FALSE(dropped) << to_string(*dropped);
  }

  // For other threads, too.
  [[nodiscard]] std::int64_t processed() const { return processed_.load(); }
  void wait_for(std::int64_t processed) const {
    for (std::int64_t now = processed_; now < processed; now = processed_) processed_.wait(now);
  }
  void give_up() {  // nobody is to wait for it
    processed_ = std::numeric_limits<std::int64_t>::max() / 2;
    processed_.notify_all();
  }

  // After the run. What its clients were told, and what the run's summary says.
  void expect_each_answered_once(const TaskSummary& summary) const {
    EXPECT_TRUE(std::all_of(answers_.begin(), answers_.end(), [](int count) { return count == 1; }));
    EXPECT_EQ(wrong_, 0);
    const auto over_quota = static_cast<std::int64_t>(answers_.size()) - processed();
    EXPECT_EQ(summary.processed, processed());
    EXPECT_EQ(summary.received, processed() + over_quota);
    EXPECT_EQ(summary.rejected, 0);
    EXPECT_EQ(summary.in_flight, 0);
    EXPECT_EQ(summary.dropped[static_cast<std::size_t>(DropReason::over_quota)], over_quota);
    EXPECT_EQ(std::accumulate(summary.dropped.begin(), summary.dropped.end(), std::int64_t{0}), over_quota);
    std::int64_t by_variant = 0;
    for (const VariantSummary& variant : summary.variants) by_variant += variant.frames;
    EXPECT_EQ(by_variant, processed());
    for (const std::int64_t frames : by_core_) EXPECT_GT(frames, 0) << "it was on every core";
  }

 private:
  std::size_t begin_call() {
    const std::lock_guard lock(mutex_);
    answers_.push_back(0);
    return answers_.size() - 1;
  }
  void note(std::size_t call, float number, const FrameAnswer& answer) {
    const std::lock_guard lock(mutex_);
    ++answers_[call];
    dropped_ = answer.dropped;
    if (!answer.dropped) {
      const std::vector<float> own = {static_cast<float>(task_ + 1), number};
      wrong_ += answer.logits == own && answer.variant == answer.processor ? 0 : 1;
      ++by_core_.at(answer.processor);
      ++processed_;
      processed_.notify_all();
    }
    changed_.notify_all();
  }

  RealShell& shell_;
  const std::size_t task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> answers_;  // of each call
  std::optional<DropReason> dropped_;
  int wrong_ = 0;
  std::array<std::int64_t, kCores> by_core_{};
  std::atomic<std::int64_t> processed_{0};
};

bool all_served(const RealShell& shell, std::size_t turn) {
  const RunOutline outline = shell.outline();
  for (std::size_t task = 0; task < kTasks; ++task) {
    if (outline.tasks.at(task).variant != NextCore::core_of(task, turn)) return false;
  }
  return true;
}

TEST(EqualCoresShell, FourWorkersLoseAndDoubleNoFrameWhileTasksMove) {
  constexpr std::size_t kTurns = kCores + 1;
  const RunConfig config = tasks_on_four();
  const NextCore policy;
  auto backend =
      std::make_shared<SimulatedBackend>(SimulatedBehaviour{.before_inference = [](const EngineSpec&) {
        std::this_thread::yield();  // others get in between
        return Status(Done{});
      }});
  std::atomic<int> events = 0;
  RunHooks hooks;
  hooks.event = [&events](Duration, const action::Report&) {
    ++events;
    events.notify_all();
  };
  auto opened = RealShell::open(config, backend, policy, hooks);
  ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
  RealShell& shell = *opened.value();
  RunSummary summary;
  std::thread run([&] { summary = shell.run(std::nullopt); });
  while (shell.elapsed() == Duration(0)) std::this_thread::yield();

  std::atomic<bool> moving = true;
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t task = 0; task < kTasks; ++task) clients.push_back(std::make_unique<Client>(shell, task));
  std::vector<std::thread> threads;
  for (const auto& client : clients) {
    threads.emplace_back([&moving, &one = *client] {
      while (moving && !testing::Test::HasFatalFailure()) one.push();
      if (moving) one.give_up();
    });
  }
  // In each turn each client gets a frame through that it pushed after its task had moved.
  for (std::size_t turn = 0; turn < kTurns && !testing::Test::HasFatalFailure(); ++turn) {
    if (turn > 0) {
      RunConfig next = config;
      next.timeline[0].snapshot.tasks[0].demand = Fps(kDemand + static_cast<double>(turn));
      EXPECT_TRUE(shell.reconfigure(std::move(next)).ok());
    }
    for (int seen = events; !all_served(shell, turn); seen = events) events.wait(seen);
    std::vector<std::int64_t> before;
    for (const auto& client : clients) before.push_back(client->processed());
    for (std::size_t task = 0; task < kTasks; ++task) clients[task]->wait_for(before[task] + 2);
  }
  moving = false;
  for (std::thread& thread : threads) thread.join();
  shell.stop();
  run.join();
  for (std::size_t task = 0; task < kTasks; ++task) {
    SCOPED_TRACE(task);
    clients[task]->expect_each_answered_once(summary.tasks.at(task));
  }
  EXPECT_GE(summary.switches.size(), (kTurns - 1) * kTasks);
}

}  // namespace
}  // namespace saccade::runtime::equal_cores_shell_test
