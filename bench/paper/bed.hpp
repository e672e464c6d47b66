// The device and the tasks that the experiments run on: the networks of a scenario, as measured and with
// modelled energy, and the snapshots and run configurations made of them. One processor, one second per
// second.
// Threads: plain values; open_bed() reads files. Errors: Result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "bench/paper/scenario.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/run/run_config.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::bench {

using Networks = std::vector<profiles::ProfileSetPtr>;  // one per task of the scenario

struct Bed {
  Scenario scenario;
  Networks measured;
  Networks modelled;  // the same with modelled energy
  Networks metered;   // the same networks on the device with a meter
};
[[nodiscard]] Result<Bed> open_bed(const std::filesystem::path& scenario);

struct Cameras {  // `count` tasks that take the networks in turn
  std::size_t count = 0;
  int columns = 1;
  int rows = 1;
  Fps fps{0.0};
};

// Without limits and floors. With networks of modelled energy the device's idle power is theirs.
[[nodiscard]] scheduler::Snapshot snapshot_of(const Bed& bed, const Networks& networks,
                                              const Cameras& cameras);
// The scenario's tasks, each at `fps`.
[[nodiscard]] scheduler::Snapshot snapshot_of(const Bed& bed, const Networks& networks, Fps fps);

// The random demands and limits of `ranges`, one state per step. The same seed draws the same steps,
// whatever else is asked of them. Every step's demands differ from those of all others.
[[nodiscard]] std::vector<runtime::TimelineState> draw_steps(const scheduler::Snapshot& snapshot,
                                                             const RandomRanges& ranges, std::uint64_t seed);
[[nodiscard]] std::vector<runtime::TimelineState> draw_steps(const Bed& bed, const RandomRanges& ranges,
                                                             std::uint64_t seed);

// Ready to simulate: every task's frames are as many regions as its snapshot says.
[[nodiscard]] runtime::RunConfig run_config(std::vector<runtime::TimelineState> timeline);
[[nodiscard]] runtime::RunConfig run_config(const scheduler::Snapshot& snapshot);

}  // namespace saccade::bench
