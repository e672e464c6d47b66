// Which measures a Pareto selection looks at [paper 004 III-B: PO selection].
//   time, memory, energy          accuracy against that measure
//   time+memory, time+energy      the time front, then what of it is on the memory (energy) front
//   active                        accuracy and exactly the measures that a row, a filter or the
//                                 objective uses now; the only selection that never loses the optimum
//   none                          everything
// "Time" means the time on every processor. A point that lacks a measure which a selection needs is
// kept: nothing is concluded from what was not measured.
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/short_vector.hpp"
#include "pareto/preference.hpp"

namespace saccade::pareto {

enum class Selection { active, time, memory, time_memory, energy, time_energy, none };
[[nodiscard]] const char* to_string(Selection selection);
[[nodiscard]] std::optional<Selection> selection_from(const std::string& name);

// One (variant) point; all figures per frame.
struct Point {
  double accuracy = 0.0;
  ShortVector<double, 3> time;  // per processor, 0 where unused; same length for all points
  std::optional<double> energy;
  std::optional<double> memory;
  ShortVector<double, 3> power;  // per processor; empty = unknown or not needed
};

// What `active` has to look at.
struct ActiveMeasures {
  bool energy = false;
  bool memory = false;
  bool power = false;
};

// Indices kept, ascending; ties and protected points as in front().
[[nodiscard]] std::vector<std::size_t> select(Selection selection, const ActiveMeasures& active,
                                              std::span<const Point> points,
                                              const Preference& preference = nullptr,
                                              std::span<const std::size_t> keep = {});

}  // namespace saccade::pareto
