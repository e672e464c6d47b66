// What each Pareto selection keeps of one profile set, computed as in the planner: costs per frame on every
// processor of the device, ties to less energy, less memory, then the order of the file. Limits and floors
// that a configuration would add are unknown here; the measures that the selection `active` compares are
// therefore given.
// Threads: pure. Errors: none; the set is valid.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pareto/selection.hpp"
#include "profiles/profile_set.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::app {

struct SelectionView {
  pareto::Selection selection = pareto::Selection::none;
  std::vector<std::string> measures;    // measures it compares, accuracy first; empty for `none`
  std::vector<std::size_t> kept;        // variants, ascending; never empty
  std::vector<std::size_t> unmeasured;  // of them, those kept because a measure is absent
  std::size_t fastest = 0;              // of them, by the time summed over processors
  std::size_t most_accurate = 0;        // of them
};

struct SetView {
  std::vector<scheduler::VariantCost> costs;  // per frame of `regions` inferences, by variant
  std::vector<SelectionView> selections;
};

[[nodiscard]] SetView view_selections(const profiles::ProfileSetPtr& set,
                                      const std::vector<pareto::Selection>& selections,
                                      const pareto::ActiveMeasures& active, int regions);

}  // namespace saccade::app
