// `--config` of `saccade place SET.json --layers FILE`: the placements that the plan of a configuration lacks
// (column_pricing.hpp), of the tasks that plan with the set's network, at the configuration's first state and
// its demanded rates; and what came of it, for people and machines.
// Threads: the calling one; a plan takes the configuration's solver deadline at most. Errors: of the
// configuration, all at once; a configuration without a task of the network, or without a processor that the
// layers were measured on.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/verbs/column_pricing.hpp"
#include "app/verbs/staged_variants.hpp"

namespace saccade::app {

struct PlacePricing {
  std::string configuration;
  scheduler::Objective objective = scheduler::Objective::max_accuracy;
  std::size_t tasks = 0;  // that are priced for
  std::vector<std::string> variants;
  std::vector<std::size_t> start_sets;  // how many columns each variant had
  Pricing pricing;
};

// `columns`: the start set of each variant of `layers`.
[[nodiscard]] Result<PlacePricing> price_for(const std::string& configuration,
                                             const profiles::ProfileSet& set,
                                             const std::vector<PlacedLayers>& layers,
                                             const std::vector<std::vector<placement::Column>>& columns);

void print_pricing(const PlacePricing& priced, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const PlacePricing& priced);

}  // namespace saccade::app
