#include "bench/placement/closed_loop.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "runtime/real/real_shell.hpp"

namespace saccade::bench {
namespace {

class Client {
 public:
  Client(runtime::RealShell& shell, const ClosedLoop& loop, profiles::InputShape shape)
      : shell_(shell), loop_(loop), shape_(shape) {}

  // Returns when every frame is answered.
  void send_for_its_time() {
    const TimePoint begin = clock_.now();
    measured_from_ = begin + to_duration(loop_.warm);
    const TimePoint end = measured_from_ + to_duration(loop_.duration);
    for (std::size_t i = 0; clock_.now() < end;) {
      {
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [&] { return under_way_ < loop_.under_way; });
        ++under_way_;
      }
      runtime::Frame frame = loop_.frames[i % loop_.frames.size()];
      const auto verdict = shell_.push(0, {std::move(frame), shape_, runtime::WholeFrame{}},
                                       [this](const runtime::FrameAnswer& answer) { note(answer); });
      if (verdict == runtime::PushVerdict::accepted) {
        ++i;
      } else {
        wait_a_moment();
      }
    }
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return under_way_ == 0; });
  }

  [[nodiscard]] std::optional<LoopFigures> figures() const {
    if (latencies_.size() < 2 || last_ == first_) return std::nullopt;
    std::vector<Duration> sorted = latencies_;
    std::sort(sorted.begin(), sorted.end());
    LoopFigures figures;
    figures.fps = static_cast<double>(sorted.size() - 1) / to_seconds(last_ - first_).value();
    constexpr std::size_t kHundred = 100;
    figures.latency_p99 = to_seconds(sorted[sorted.size() * (kHundred - 1) / kHundred]);
    figures.lost = lost_;
    return figures;
  }

 private:
  void note(const runtime::FrameAnswer& answer) {
    const TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    --under_way_;
    answered_.notify_one();
    if (now < measured_from_) return;
    if (answer.dropped) {
      ++lost_;
      return;
    }
    if (latencies_.empty()) first_ = now;
    last_ = now;
    latencies_.push_back(answer.latency);
  }
  // The gate is full until the frames before have left it, as at the beginning.
  void wait_a_moment() {
    std::unique_lock lock(mutex_);
    --under_way_;
    answered_.wait_for(lock, std::chrono::milliseconds(1));
  }

  runtime::RealShell& shell_;
  const ClosedLoop& loop_;
  profiles::InputShape shape_;
  SteadyClock clock_;
  TimePoint measured_from_{}, first_{}, last_{};
  std::mutex mutex_;
  std::condition_variable answered_;
  std::size_t under_way_ = 0, lost_ = 0;
  std::vector<Duration> latencies_;
};

}  // namespace

Result<LoopFigures> run_closed_loop(const runtime::RunConfig& config,
                                    std::shared_ptr<const runtime::EngineBackend> backend,
                                    const scheduler::Policy& policy, const ClosedLoop& loop) {
  auto shell = runtime::RealShell::open(config, std::move(backend), policy, {});
  if (!shell) return shell.errors();
  std::thread run([&] { static_cast<void>(shell.value()->run(std::nullopt)); });
  while (shell.value()->elapsed() == Duration(0)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const scheduler::Task& task = config.timeline.front().snapshot.tasks.front();
  Client client(*shell.value(), loop, task.profiles->input);
  client.send_for_its_time();
  shell.value()->stop();
  run.join();
  const auto figures = client.figures();
  if (!figures) return Error{task.id.str(), "no frame was processed", ""};
  return *figures;
}

}  // namespace saccade::bench
