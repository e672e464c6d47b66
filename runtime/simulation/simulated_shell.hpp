// The shell in virtual time: the same Conductor, Controller and FrameDesk as the real one, driven by one
// event queue ordered by (integer nanoseconds, sequence number), with latencies drawn from the profiles'
// median and 99th percentile. A seed gives the same run in every build: the hash covers every event,
// processed frames included.
//
// Model: a frame takes the profile's time for its regions, with the spread measured at batch 1; a load
// takes the profile's load time (10 ms where it was not measured), a warm-up one or two inferences, an
// unload and a solve about a millisecond each. Plans come from the policy itself, called in-process and
// limited by nodes, not by a clock. Where a processor is emulated to be slower, the profiles were measured
// through the slowdown with which the run was opened; when it changes, frames there take as much longer.
// Every tick delivers a frame. Where frames are pushed, clients send about as many as are demanded, at random
// moments and occasionally several at once. Labels are unknown, so no accuracy is measured.
//
// Faults (faults.hpp) follow from the seed. After every event the invariants are checked (invariants.hpp);
// the run ends at the first one that is broken.
//
// Call order: open(), then run() once; or begin(), run_until() any number of times with ascending times,
// and finish() once.
// Threads: none. Errors: open() refuses what the real shell refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/frames/decoding_load.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_hooks.hpp"
#include "runtime/run/run_summary.hpp"
#include "runtime/simulation/faults.hpp"
#include "runtime/simulation/invariants.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

// Another program that uses part of a processor: every inference on it takes `percent` of its time.
struct Neighbour {
  ProcessorIndex processor = 0;
  Duration from{0};  // since the start of the run
  Duration until{0};
  std::int64_t percent = 100;
};

// Cameras whose readers together take `percent` of a CPU, on CPUs that processors share: inferences there
// last as much longer, and the readers' time is measured as in a real run.
struct SharedDecoding {
  DecodingPlaces places;
  Duration from{0};  // since the start of the run
  Duration until{0};
  std::int64_t percent = 0;
};

struct SimulationOptions {
  Duration duration{0};
  std::uint64_t seed = 1;
  FaultSet faults;  // a seed enables a random half of them; a single one is always enabled
  std::optional<Neighbour> neighbour = {};
  std::optional<SharedDecoding> decoding = {};
  FaultSource* script = nullptr;  // answers in place of the seed's faults; must outlive the shell
};

struct SimulationResult {
  RunSummary summary;
  std::uint64_t hash = 0;   // of all events
  std::int64_t events = 0;  // taken from the queue
  Seconds cpu{0.0};         // processor time the simulation itself used
  Seconds solver_cpu{0.0};  // the policy's part of it
  FaultCounts faults{};     // faults that took effect, by fault point
  std::optional<Breach> breach;
};

class SimulatedShell {
 public:
  // `policy` must outlive the shell.
  [[nodiscard]] static Result<std::unique_ptr<SimulatedShell>> open(RunConfig config,
                                                                    const scheduler::Policy& policy,
                                                                    SimulationOptions options,
                                                                    RunHooks hooks);
  ~SimulatedShell();
  SimulatedShell(const SimulatedShell&) = delete;
  SimulatedShell& operator=(const SimulatedShell&) = delete;

  // Loads the first engines, then simulates `duration`. Time 0 is when those engines serve or have failed,
  // at the latest after twice the load time-out.
  [[nodiscard]] SimulationResult run();

  // In steps, for a script: time 0 is begin(), so frames are due while the first engines load, and
  // `duration` is ignored.
  void begin();
  void run_until(Duration at);  // since time 0; events at that very instant are still to come
  // As RealShell::reconfigure(), at the last of these times.
  [[nodiscard]] Result<std::uint64_t> reconfigure(RunConfig config);
  // Ends the run at the last of these times: waiting frames get at most 2 s, then they are dropped.
  [[nodiscard]] SimulationResult finish();
  [[nodiscard]] const Controller& controller() const;
  [[nodiscard]] const FrameDesk& desk() const;
  [[nodiscard]] const std::optional<Breach>& breach() const;

 private:
  class Impl;
  explicit SimulatedShell(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
