// The measures a Pareto selection compares [paper 004 III-B: PO selection].
//   time, memory, energy          accuracy against that measure
//   time+memory, time+energy      the time front, then the memory (energy) front of what it keeps
//   active                        accuracy and exactly the measures used by a row, a filter or the objective;
//                                 the only selection that never loses the optimum
//   none                          keeps every point
// "Time" means the time on every processor. A point without a measure that the selection compares is kept:
// nothing is concluded from absent measures.
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

// One variant; all figures per frame.
struct Point {
  double accuracy = 0.0;
  ShortVector<double, 3> time;  // per processor, 0 where unused; same length for all points
  std::optional<double> energy;
  std::optional<double> memory;
  ShortVector<double, 3> power;               // per processor; empty = unknown or not needed
  ShortVector<double, 1> device_memory = {};  // per limited memory of a device; empty likewise
};

// The measures that `active` compares in addition to accuracy and time.
struct ActiveMeasures {
  bool energy = false;
  bool memory = false;
  bool power = false;
  bool device_memory = false;
};

// Indices kept, ascending; ties and protected points as in front().
[[nodiscard]] std::vector<std::size_t> select(Selection selection, const ActiveMeasures& active,
                                              std::span<const Point> points,
                                              const Preference& preference = nullptr,
                                              std::span<const std::size_t> keep = {});

}  // namespace saccade::pareto
