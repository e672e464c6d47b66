// Counts a service's frames once a second, and looks for stalls of the machine meanwhile: what such
// seconds lost, the service has nothing to do with, and a mean over few of them says more about the
// machine than about it.
// Threads: one that asks and two probes inside; take() from one thread; ends before the service is
// stopped. Errors: what asking says; a look in between that fails is left out, which makes one second two.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "bench/service/frame_count.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/real/stall_probe.hpp"

namespace saccade::bench {

class FrameWatch {
 public:
  // `cpus`: of who asks, and of one probe; the other probe is where the cameras are served.
  FrameWatch(const ServiceProcess& service, std::vector<int> cpus);
  ~FrameWatch();
  FrameWatch(const FrameWatch&) = delete;
  FrameWatch& operator=(const FrameWatch&) = delete;

  // Since construction, or since the last time.
  [[nodiscard]] Result<WatchedFrames> take();

 private:
  void run();
  [[nodiscard]] Status look();

  const ServiceProcess& service_;
  const std::vector<int> cpus_;
  const SteadyClock clock_;
  std::mutex asking_;  // one look at a time, so that they stand in order
  std::mutex mutex_;   // guards what follows
  std::condition_variable ending_;
  bool ended_ = false;
  std::vector<Look> looks_;
  std::vector<Stall> stalls_;
  std::unique_ptr<runtime::StallProbe> here_;
  std::unique_ptr<runtime::StallProbe> there_;
  std::thread thread_;
};

}  // namespace saccade::bench
