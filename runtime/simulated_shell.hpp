// The shell of virtual time: the same Conductor, Controller and FrameDesk as the real one, one queue of
// events ordered by (integer nanoseconds, sequence number), and latencies drawn from the profiles'
// median and 99th percentile by a generator of its own. A seed tells the same story in every build:
// the hash covers every event, processed frames included.
//
// Modelled: a frame takes what its profile says for its regions, with the spread of batch 1; a load
// takes the profile's load time (10 ms where it was not measured), a warm-up an inference or two, an unload a
// millisecond, a solve one. Plans are decided by the policy itself, in-process and limited by work, not
// by a clock. Every tick brings a frame; where frames are pushed, clients send about
// as many as are demanded, at random moments and now and then a few at once. Labels are not known, so no
// accuracy is measured.
//
// Faults (simulation/faults.hpp) strike as the seed says, and after every event it is checked that
// what must hold does (simulation/invariants.hpp). The run ends at the first thing that does not.
//
// Call order: open(), then run() once. Threads: none. Errors: open() refuses what the real shell
// refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/run_config.hpp"
#include "runtime/run_hooks.hpp"
#include "runtime/run_summary.hpp"
#include "runtime/simulation/faults.hpp"
#include "runtime/simulation/invariants.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

// Another program that takes a part of a processor: what runs there takes that much longer.
struct Neighbour {
  ProcessorIndex processor = 0;
  Duration from{0};  // since the start of the run
  Duration until{0};
  std::int64_t percent = 100;
};

struct SimulationOptions {
  Duration duration{0};
  std::uint64_t seed = 1;
  FaultSet faults;  // of which a seed enables a random half; a single one always
  std::optional<Neighbour> neighbour = {};
};

struct SimulationResult {
  RunSummary summary;
  std::uint64_t hash = 0;   // of everything that happened
  std::int64_t events = 0;  // taken from the queue
  Seconds cpu{0.0};         // processor time it really took
  Seconds solver_cpu{0.0};  // of it in the policy
  FaultCounts faults{};     // that took effect, by fault point
  std::optional<Breach> breach;
};

class SimulatedShell {
 public:
  // `policy` outlives the shell.
  [[nodiscard]] static Result<std::unique_ptr<SimulatedShell>> open(RunConfig config,
                                                                    const scheduler::Policy& policy,
                                                                    SimulationOptions options,
                                                                    RunHooks hooks);
  ~SimulatedShell();
  SimulatedShell(const SimulatedShell&) = delete;
  SimulatedShell& operator=(const SimulatedShell&) = delete;

  [[nodiscard]] SimulationResult run();

 private:
  class Impl;
  explicit SimulatedShell(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
