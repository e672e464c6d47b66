#include "bench/service/frame_watch.hpp"

#include <algorithm>
#include <utility>

#include "runtime/real/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr std::chrono::seconds kBetween(1);
constexpr std::chrono::seconds kAfterStall(1);

}  // namespace

FrameWatch::FrameWatch(const ServiceProcess& service, std::vector<int> cpus)
    : service_(service), cpus_(std::move(cpus)) {
  const auto stalled = [this](TimePoint from, TimePoint to) {
    const std::lock_guard lock(mutex_);
    stalls_.push_back({from, to});
  };
  here_ = std::make_unique<runtime::StallProbe>(clock_, cpus_, stalled);
  there_ = std::make_unique<runtime::StallProbe>(clock_, runtime::other_cpus(runtime::allowed_cpus(), cpus_),
                                                 stalled);
  (void)look();  // take() says when nobody answers
  thread_ = std::thread([this] { run(); });
}

FrameWatch::~FrameWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void FrameWatch::run() {
  runtime::pin_to(cpus_);
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kBetween, [&] { return ended_; })) {
    lock.unlock();
    (void)look();
    lock.lock();
  }
}

Status FrameWatch::look() {
  const std::lock_guard one_at_a_time(asking_);
  const Result<FrameCount> frames = count_frames(service_);
  if (!frames) return frames.errors();
  const std::lock_guard lock(mutex_);
  looks_.push_back({clock_.now(), frames.value()});
  return Done{};
}

Result<WatchedFrames> FrameWatch::take() {
  if (const Status looked = look(); !looked) return looked.errors();
  const std::lock_guard lock(mutex_);
  WatchedFrames frames;
  frames.all = looks_.back().frames.since(looks_.front().frames);
  const auto touches = [&](const Look& from, const Look& to) {
    return std::any_of(stalls_.begin(), stalls_.end(), [&](const Stall& stall) {
      return stall.from <= to.at && stall.to + kAfterStall >= from.at;
    });
  };
  for (std::size_t i = 1; i < looks_.size(); ++i) {
    const Look &from = looks_[i - 1], &to = looks_[i];
    if (touches(from, to)) {
      frames.left_out += to_seconds(to.at - from.at);
    } else {
      frames.outside.add(to.frames.since(from.frames));
    }
  }
  std::sort(stalls_.begin(), stalls_.end(), [](const Stall& a, const Stall& b) { return a.from < b.from; });
  TimePoint over = looks_.front().at;  // what both probes saw is one stall
  for (const Stall& stall : stalls_) {
    if (stall.to < looks_.front().at) continue;
    if (stall.from > over || frames.stalls == 0) ++frames.stalls;
    over = std::max(over, stall.to);
  }
  looks_.erase(looks_.begin(), looks_.end() - 1);
  return frames;
}

}  // namespace saccade::bench
