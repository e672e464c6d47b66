// The limits that concern a single variant of a single task. They need no row in the choice problem. Every
// removed variant is attributed to exactly one filter, so that a task without any remaining variant can be
// explained. Comparisons allow the relative tolerance of the rows (ilp::kTolerance). Absent measures are not
// judged: a variant that passes every filter whose measure it has, but lacks a measure that a filter, a limit
// or the objective needs, is neither kept nor removed but listed as unmeasured, and validate() refuses the
// snapshot.
// Paper 004 III-C, which prints x > P_th for peak power; its prose, followed here, says "less than".
// Threads: pure. Order: the snapshot must pass validate_form().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

class CostTable;

enum class Filter {
  excluded,   // failed to load or run
  processor,  // uses a processor that is not in the snapshot
  min_accuracy,
  min_relative_accuracy,
  max_frame_time,
  max_latency,  // at the demanded rate
  max_power,
  max_memory,
  peak_power,  // of the device, with one processor: the variant alone makes the peak
};
[[nodiscard]] const char* to_string(Filter filter);

struct Removed {
  std::size_t variant = 0;
  Filter filter = Filter::excluded;
};

struct Unmeasured {
  std::size_t variant = 0;
  std::string measure;    // "energy" | "memory" | "device memory" | "power" | "power per processor"
  std::string needed_by;  // JSON pointer, as in validate()
};

struct Filtered {
  std::vector<std::size_t> kept;  // ascending
  std::vector<Removed> removed;   // ascending
  std::vector<Unmeasured> unmeasured;
};

// `costs` are the task's variant_costs(), or its cost table.
[[nodiscard]] Filtered filter_variants(const Snapshot& snapshot, const Task& task,
                                       std::span<const VariantCost> costs);
[[nodiscard]] Filtered filter_variants(const Snapshot& snapshot, const Task& task, const CostTable& costs);

// validate() in two halves, for callers that run the filters anyway: first everything except measures, then,
// if that found nothing, missing measures. filtered: one per task of the snapshot, empty for inactive ones.
[[nodiscard]] Errors validate_form(const Snapshot& snapshot);
// The first half without the variants of active tasks, for a caller that reads them anyway and asks of each
// profile set when it does whether it is sound. If anything is wrong, validate_form() says all that is.
[[nodiscard]] bool valid_but_for_variants(const Snapshot& snapshot);
[[nodiscard]] bool sound(const Snapshot& snapshot, const profiles::ProfileSetPtr& profiles);
[[nodiscard]] Errors validate_measures(const Snapshot& snapshot, std::span<const Filtered> filtered);

// How many variants each filter removed, in the order in which the filters are applied.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_removed(const Filtered& filtered);
// The same in words, for a task without any variant left: "excluded removes 1, min_accuracy removes 3".
[[nodiscard]] std::string describe_removed(const Filtered& filtered);

}  // namespace saccade::scheduler
