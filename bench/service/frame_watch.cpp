#include "bench/service/frame_watch.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include "runtime/machine/cpu_accounts.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

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

std::optional<Seconds> steal_of(const std::vector<int>& cpus) {
  std::ifstream in("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Seconds sum{0.0};
  for (const int cpu : cpus) {
    const std::optional<Duration> steal = runtime::steal_in(text, cpu);
    if (!steal) return std::nullopt;
    sum += to_seconds(*steal);
  }
  return sum;
}

}  // namespace

FrameWatch::FrameWatch(const ServiceProcess& service, const std::vector<int>& clients)
    : service_(service), serving_(runtime::other_cpus(runtime::allowed_cpus(), clients)), last_(look()) {}

Result<Look> FrameWatch::look() const {
  const Result<FrameCount> frames = count_frames(service_);
  if (!frames) return frames.errors();
  return Look{frames.value(), steal_of(serving_)};
}

Result<WatchedFrames> FrameWatch::take() {
  if (!last_) return last_.errors();
  Result<Look> now = look();
  if (!now) return now.errors();
  const WatchedFrames frames = between(last_.value(), now.value());
  last_ = std::move(now);
  return frames;
}

}  // namespace saccade::bench
