// Counts a service's frames from one call to the next, and the steal of the CPUs that serve.
// Threads: none inside; one caller. Errors: what asking says.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "bench/service/frame_count.hpp"
#include "bench/service/service_process.hpp"

namespace saccade::bench {

class FrameWatch {
 public:
  // `clients`: CPUs that serve no camera.
  FrameWatch(const ServiceProcess& service, const std::vector<int>& clients);

  // Since construction, or since the last time.
  [[nodiscard]] Result<WatchedFrames> take();

 private:
  [[nodiscard]] Result<Look> look() const;

  const ServiceProcess& service_;
  const std::vector<int> serving_;
  Result<Look> last_;
};

}  // namespace saccade::bench
