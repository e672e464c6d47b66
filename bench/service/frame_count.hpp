// How many frames a running service has seen, over all its tasks.
// Threads: function without state. Errors: the service does not answer.
#pragma once

#include "bench/service/service_process.hpp"

namespace saccade::bench {

struct FrameCount {
  double demanded = 0.0;
  double granted = 0.0;
  double served = 0.0;  // processed, or about to be

  [[nodiscard]] FrameCount since(const FrameCount& before) const {
    return {demanded - before.demanded, granted - before.granted, served - before.served};
  }
  void add(const FrameCount& more) {
    demanded += more.demanded;
    granted += more.granted;
    served += more.served;
  }
  [[nodiscard]] double achieved() const { return demanded > 0.0 ? served / demanded : 0.0; }
  [[nodiscard]] double of_granted() const { return granted > 0.0 ? served / granted : 0.0; }
};

[[nodiscard]] inline Result<FrameCount> count_frames(const ServiceProcess& service) {
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

}  // namespace saccade::bench
