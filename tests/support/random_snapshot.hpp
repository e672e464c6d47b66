// Seeded random snapshots for laws and oracles: small enough to be looked at exhaustively, mixed
// enough to meet every limit, filter, floor and objective, alone and together. All numbers are coarse,
// so that ties happen. Every snapshot is valid: a measure is absent only where nothing needs it, or
// from a variant that another filter removes.
// The same seed gives the same snapshots on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "scheduler/snapshot.hpp"

namespace saccade::test {

struct SnapshotShape {
  std::size_t most_tasks = 5;
  std::size_t most_variants = 8;
  std::size_t most_processors = 2;
  std::size_t least_processors = 1;
  bool floors = true;    // min_fps, min_time_share beyond the default
  bool filters = true;   // per-task limits, exclusions
  bool penalty = true;   // switch penalty and dwell
  double most_load = 3;  // all at best accuracy, in units of the budget
};

class RandomSnapshots {
 public:
  explicit RandomSnapshots(std::uint64_t seed, SnapshotShape shape = {}) : random_(seed), shape_(shape) {}
  [[nodiscard]] scheduler::Snapshot next();

  // The generator's own draws, for tests that vary a snapshot further.
  [[nodiscard]] bool chance(double probability);
  [[nodiscard]] double between(double low, double high, double grain);  // a multiple of grain
  [[nodiscard]] std::size_t below(std::size_t count);

 private:
  struct Needs {
    bool energy = false;
    bool memory = false;
    bool power = false;
  };
  [[nodiscard]] profiles::ProfileSetPtr profile_set(const scheduler::Snapshot& snapshot, const Needs& needs);
  [[nodiscard]] scheduler::Task task(const scheduler::Snapshot& snapshot, const Needs& needs,
                                     std::size_t index);
  void scale_load(scheduler::Snapshot& snapshot);
  void set_limits(scheduler::Snapshot& snapshot, const Needs& needs);

  std::mt19937_64 random_;
  SnapshotShape shape_;
};

}  // namespace saccade::test
