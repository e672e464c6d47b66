// The limits that look at one variant of one task alone. They need no row in the choice problem; each
// removed variant has the one filter that removed it, so that a task left with nothing can say why.
// A comparison allows the relative tolerance of the rows (ilp::kTolerance).
// What was not measured is not judged: a variant that passes every filter whose measure it has, but
// lacks a measure that a filter, a limit or the objective needs, is neither kept nor removed but
// listed as unmeasured, and validate() refuses the snapshot.
// Paper 004 III-C; the paper prints x > P_th for peak power, its prose and we mean "less than".
// Threads: pure. Order: the snapshot's processors and profiles must be well formed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

enum class Filter {
  excluded,   // failed to load or run
  processor,  // names a processor that the snapshot has not
  min_accuracy,
  min_relative_accuracy,
  max_frame_time,
  max_power,
  max_memory,
  peak_power,  // of the device, where there is one processor: the variant alone is the peak
};
[[nodiscard]] const char* to_string(Filter filter);

struct Removed {
  std::size_t variant = 0;
  Filter filter = Filter::excluded;
};

struct Unmeasured {
  std::size_t variant = 0;
  std::string measure;    // "energy" | "memory" | "power" | "power per processor"
  std::string needed_by;  // pointer, as in validate()
};

struct Filtered {
  std::vector<std::size_t> kept;  // ascending
  std::vector<Removed> removed;   // ascending
  std::vector<Unmeasured> unmeasured;
};

// `costs` are the task's variant_costs().
[[nodiscard]] Filtered filter_variants(const Snapshot& snapshot, const Task& task,
                                       std::span<const VariantCost> costs);

// The two halves of validate(), for who filters anyway: everything but measures, and, when that found
// nothing, the measures that are missing. filtered: one per task of the snapshot, empty when inactive.
[[nodiscard]] Errors validate_form(const Snapshot& snapshot);
[[nodiscard]] Errors validate_measures(const Snapshot& snapshot, std::span<const Filtered> filtered);

// How many variants each filter removed, in the order in which the filters are applied.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_removed(const Filtered& filtered);
// "excluded removes 1, min_accuracy removes 3": why nothing is left.
[[nodiscard]] std::string describe_removed(const Filtered& filtered);

}  // namespace saccade::scheduler
