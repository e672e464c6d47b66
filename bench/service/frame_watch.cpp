#include "bench/service/frame_watch.hpp"

#include <utility>

#include "runtime/real/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr std::chrono::seconds kBetween(1);

Result<FrameCount> count_frames(const ServiceProcess& service) {
  const Result<nlohmann::json> status = service.document("/v1/status");
  if (!status) return status.errors();
  FrameCount count;
  for (const nlohmann::json& task : status.value().at("tasks")) {
    const nlohmann::json& frames = task.at("frames");
    count.demanded += frames.at("demanded").get<double>();
    count.granted += frames.at("granted").get<double>();
    count.served += frames.at("processed").get<double>() + frames.at("in_flight").get<double>();
  }
  return count;
}

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
  const WatchedFrames frames = watched_frames(looks_, stalls_);
  looks_.erase(looks_.begin(), looks_.end() - 1);
  return frames;
}

}  // namespace saccade::bench
