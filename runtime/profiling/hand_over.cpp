#include "runtime/profiling/hand_over.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::runtime {
namespace {

struct Sums {
  double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
};

}  // namespace

TransferLine fit_line(std::span<const TransferPoint> points) {
  SACCADE_CHECK(!points.empty());
  Sums s;
  for (const TransferPoint& point : points) {
    const double scale = std::max(point.seconds, 1e-9), w = 1.0 / (scale * scale);
    s.w += w;
    s.x += w * point.bytes;
    s.y += w * point.seconds;
    s.xx += w * point.bytes * point.bytes;
    s.xy += w * point.bytes * point.seconds;
  }
  TransferLine line;
  const double determinant = s.w * s.xx - s.x * s.x;
  if (determinant > 1e-12 * s.w * s.xx) {
    line.seconds_per_byte = (s.w * s.xy - s.x * s.y) / determinant;
    line.fixed = (s.y - line.seconds_per_byte * s.x) / s.w;
  }
  // A part below zero is none: the other alone explains the points.
  if (determinant <= 1e-12 * s.w * s.xx || line.seconds_per_byte < 0.0) line = {s.y / s.w, 0.0, 0.0};
  if (line.fixed < 0.0) line = {0.0, s.xy / s.xx, 0.0};
  double squares = 0.0;
  for (const TransferPoint& point : points) {
    const double distance = point.seconds - line.fixed - line.seconds_per_byte * point.bytes;
    squares += distance * distance;
  }
  line.residual = std::sqrt(squares / static_cast<double>(points.size()));
  return line;
}

Result<std::vector<TransferPoint>> measure_transfers(
    const std::function<Result<double>(std::size_t bytes)>& hand_over, const TransferLimits& limits) {
  SACCADE_CHECK(!limits.bytes.empty() && limits.repeats > 0);
  std::vector<std::vector<double>> samples(limits.bytes.size());
  for (int round = -limits.warmup; round < limits.repeats; ++round) {
    for (std::size_t i = 0; i < limits.bytes.size(); ++i) {
      const auto took = hand_over(limits.bytes[i]);
      if (!took) return took.errors();
      if (round >= 0) samples[i].push_back(took.value());
    }
  }
  std::vector<TransferPoint> points;
  for (std::size_t i = 0; i < limits.bytes.size(); ++i)
    points.push_back({static_cast<double>(limits.bytes[i]), median(samples[i])});
  return points;
}

// Waits for buffers in a queue and copies each into what would be its engine's input.
class ThreadHandOver::Receiver {
 public:
  Receiver(const Clock& clock, std::vector<int> cpus)
      : clock_(clock), thread_([this, own = std::move(cpus)] { run(own); }) {}
  ~Receiver() {
    {
      const Lock lock(mutex_);
      ends_ = true;
    }
    arrived_.notify_all();
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void post(std::vector<std::byte> buffer) {
    {
      const Lock lock(mutex_);
      queue_.push_back(std::move(buffer));
    }
    arrived_.notify_one();
  }
  // When the last buffer had been copied, and the buffer itself, to be used again.
  std::pair<TimePoint, std::vector<std::byte>> wait() {
    Lock lock(mutex_);
    done_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return copied_; });
    copied_ = false;
    return {at_, std::move(returned_)};
  }

 private:
  void run(const std::vector<int>& cpus) {
    pin_to(cpus);
    wake_precisely();
    std::vector<std::byte> input;
    Lock lock(mutex_);
    while (true) {
      arrived_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return ends_ || !queue_.empty(); });
      if (ends_) return;
      std::vector<std::byte> buffer = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      input.resize(std::max(input.size(), buffer.size()));
      std::memcpy(input.data(), buffer.data(), buffer.size());
      const TimePoint at = clock_.now();
      lock.lock();
      at_ = at;
      returned_ = std::move(buffer);
      copied_ = true;
      done_.notify_one();
    }
  }

  const Clock& clock_;
  Mutex mutex_;
  Condition arrived_, done_;
  std::deque<std::vector<std::byte>> queue_ SACCADE_GUARDED_BY(mutex_);
  std::vector<std::byte> returned_ SACCADE_GUARDED_BY(mutex_);
  TimePoint at_ SACCADE_GUARDED_BY(mutex_){};
  bool copied_ SACCADE_GUARDED_BY(mutex_) = false;
  bool ends_ SACCADE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

ThreadHandOver::ThreadHandOver(const Clock& clock, const std::vector<int>& receiver_cpus)
    : clock_(clock), receiver_(std::make_unique<Receiver>(clock, receiver_cpus)) {}
ThreadHandOver::~ThreadHandOver() = default;

double ThreadHandOver::once(std::size_t bytes) {
  if (made_.size() < bytes) made_.resize(bytes, std::byte{1});
  std::vector<std::byte> buffer(bytes);
  const TimePoint begin = clock_.now();
  std::memcpy(buffer.data(), made_.data(), bytes);
  receiver_->post(std::move(buffer));
  return to_seconds(receiver_->wait().first - begin).value();
}

}  // namespace saccade::runtime
