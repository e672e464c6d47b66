// Where the threads of a run may run: workers on the CPUs of their processors, all others off them where
// there are other CPUs. Threads: functions without state; OffTheProcessors is made and destroyed on the
// thread that it keeps.
#pragma once

#include <set>
#include <vector>

#include "runtime/frames/decoding_load.hpp"
#include "runtime/frames/frame_desk.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

// The setup of a frame desk that knows where workers and captures run.
[[nodiscard]] FrameDesk::Setup placed_desk(const RunConfig& config);

// Which CPUs captures and processors share where the process may run on `allowed`. An accelerator computes
// elsewhere: none of its time is decoding's.
[[nodiscard]] DecodingPlaces decoding_places(const RunConfig& config, const std::vector<int>& allowed);

// The CPUs that need a stall probe.
[[nodiscard]] std::set<int> probed_cpus(const StallBook::Places& places);

// Keeps the calling thread, and the threads it starts, off the workers' CPUs for as long as it lives.
class OffTheProcessors {
 public:
  explicit OffTheProcessors(const RunConfig& config);
  ~OffTheProcessors();
  OffTheProcessors(const OffTheProcessors&) = delete;
  OffTheProcessors& operator=(const OffTheProcessors&) = delete;

  [[nodiscard]] const std::vector<int>& others() const { return others_; }

 private:
  std::vector<int> before_;
  std::vector<int> others_;
};

}  // namespace saccade::runtime
