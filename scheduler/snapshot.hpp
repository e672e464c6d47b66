// The complete input of a decision at one instant: tasks with demands and floors, processors, limits, the
// objective, and what is running. A policy has no other input: no clock, no file, no memory of its own.
// Snapshots are values; check them with validate() before handing them on, where mistakes of user input can
// still be reported at their source.
// Paper 004 III-C; symbols in brackets are the paper's.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/short_vector.hpp"
#include "pareto/selection.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::scheduler {

enum class Objective { max_accuracy, min_energy, min_memory };
[[nodiscard]] const char* to_string(Objective objective);
[[nodiscard]] std::optional<Objective> objective_from(const std::string& name);

// What happens if the demand does not fit: losses are minimised (exact_degradation.hpp), rates follow the
// paper's step rule (degradation.hpp), or nothing is lowered and the plan is infeasible.
enum class Degrade { exact, step, refuse };
[[nodiscard]] const char* to_string(Degrade degrade);
[[nodiscard]] std::optional<Degrade> degrade_from(const std::string& name);

struct Processor {
  ProcessorId id;
  double capacity = 1.0;    // processor-seconds per second
  Seconds guard{0.05};      // per second, kept free [the paper's 50 ms guard band]
  double correction = 1.0;  // measured / profiled time; multiplies every variant's time
  ProcessorId kind = {};    // by which profile sets call it; empty: by its id (profiles/processor_kinds.hpp)
  // The memory of a device, by name, that engines on it take in addition to the host's; empty: none.
  // Processors that name the same one share it.
  std::string memory = {};
  // What the first engine of the process on this processor takes once, whatever is loaded: of the host's
  // memory, and of `memory`.
  Bytes context{0.0};
  Bytes device_context{0.0};
  [[nodiscard]] double budget() const { return capacity - guard.value(); }  // U_p, > 0
  bool operator==(const Processor&) const = default;
};

struct Limits {
  std::optional<Watts> peak_power;             // [P_th]
  std::optional<Watts> energy_per_second;      // [E_th] J/s
  std::optional<Bytes> memory;                 // [M_th] of the host
  std::map<std::string, Bytes> memories = {};  // of devices, by name; one that is not in it has no limit
};

struct Task {
  TaskId id;
  profiles::ProfileSetPtr profiles;
  Fps demand{0.0};  // [f_i] >= 0; 0 = inactive
  int regions = 1;  // inferences per frame, run as one batch
  double weight = 1.0;
  int priority = 0;  // a higher class is degraded later

  std::optional<double> min_accuracy;           // [A_th-i]
  std::optional<double> min_relative_accuracy;  // of the network's best
  std::optional<Seconds> max_frame_time;        // sum over processors, per frame
  std::optional<Seconds> max_latency;           // of a frame at the demanded rate (latency.hpp)
  double min_time_share = 0.0;                  // [T_th] floor of degradation
  Fps min_fps{1.0};                             // floor of degradation; at most the demand
  std::optional<Watts> max_power;
  std::optional<Bytes> max_memory;

  std::vector<bool> excluded;           // per variant: failed to load or run; empty = none
  std::optional<std::size_t> running;   // variant that serves now
  Fps running_rate{0.0};                // its granted rate
  std::optional<Seconds> since_switch;  // since the last switch; absent = never switched

  [[nodiscard]] bool active() const { return demand.value() > 0.0; }
};

struct SwitchPenalty {  // per switched task, in the unit of each objective
  double max_accuracy = 0.0;
  double min_energy = 0.0;
  double min_memory = 0.0;
};

struct Heuristics {
  bool within_limits = false;
  bool redistribute = false;
};

struct Snapshot {
  std::uint64_t generation = 0;  // of the configuration the snapshot was taken from
  std::vector<Processor> processors;
  std::vector<Task> tasks;  // configuration order
  Limits limits;
  Watts idle_power{0.0};  // of the device; 0 when it declares none (profiles are then gross)
  Objective objective = Objective::max_accuracy;
  pareto::Selection selection = pareto::Selection::active;
  Degrade degrade = Degrade::exact;
  SwitchPenalty switch_penalty;
  Seconds min_dwell{0.0};
  Heuristics heuristics;
};

// All errors of a snapshot at once; empty = valid. `where` is a pointer in terms of the configuration:
// /limits/<key>, /objective, /processors/<name>/<key>, /tasks/<id>/<key>. An objective or limit on a measure
// is an error if the measure is absent for a variant that passes every other filter of an active task (the
// error names the variants).
[[nodiscard]] Errors validate(const Snapshot& snapshot);

// A memory of a device, as its processors share it.
struct DeviceMemory {
  std::string name;
  Bytes context{0.0};  // taken once, as soon as a processor uses it: the largest of its processors'
  bool operator==(const DeviceMemory&) const = default;
};
// Those that processors name, in the order of the snapshot; none where everything is in the host's memory.
[[nodiscard]] std::vector<DeviceMemory> device_memories(const Snapshot& snapshot);
// Per processor its memory's place in device_memories(); absent: it uses the host's alone.
[[nodiscard]] std::vector<std::optional<std::size_t>> memory_places(const Snapshot& snapshot);
// What contexts take of the host's memory: per memory of a device the largest of its processors', once. A
// processor without a memory of its own has its context in the host's.
[[nodiscard]] Bytes host_context(const Snapshot& snapshot);

// Indices of the processors of each kind that has several with the same memory, in the order of the snapshot.
[[nodiscard]] std::vector<std::vector<std::size_t>> equal_processors(const Snapshot& snapshot);

// What a variant costs a task in this snapshot, per frame (all regions); times are corrected and in the order
// of Snapshot::processors (0 = not used).
struct VariantCost {
  ShortVector<Seconds, 3> time;  // t_p
  std::optional<Joules> energy;
  std::optional<Watts> power;  // peak of the variant, above idle
  // Absent where unknown; 0 on processors the variant does not use; a device-wide figure is attributed to
  // the processor if the variant uses only one.
  ShortVector<std::optional<Watts>, 3> power_by_processor;
  std::optional<Bytes> memory;  // of the host
  // Per memory of a device (device_memories()): 0 where the variant runs on none of its processors, absent
  // where it does and was not measured. A variant on several memories counts its figure on each.
  ShortVector<std::optional<Bytes>, 1> device_memory;
  double accuracy = 0.0;
  double relative_accuracy = 0.0;  // a / a_best; 1 when the network's best is 0
  [[nodiscard]] Seconds total_time() const;
};
// Of one variant of the task, or of all in profile order. A processor that is in the profile but not in the
// snapshot makes the variant unusable (filter.hpp) and is left out of its cost.
[[nodiscard]] VariantCost variant_cost(const Snapshot& snapshot, const Task& task, std::size_t variant);
[[nodiscard]] std::vector<VariantCost> variant_costs(const Snapshot& snapshot, const Task& task);

}  // namespace saccade::scheduler
