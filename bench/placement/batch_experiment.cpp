#include <algorithm>

#include "bench/placement/experiments.hpp"
#include "bench/placement/made_networks.hpp"
#include "placement/exact.hpp"
#include "placement/transitions.hpp"

namespace saccade::bench {
namespace {

// Over all networks, with four targets each.
struct BatchScore {
  int cases = 0, met = 0;
  int dearer = 0;  // than the GPU alone
  void add(const placement::Costs& costs, const placement::Found& found, Seconds target) {
    ++cases;
    if (!found.placement) return;
    const placement::Evaluation evaluation = placement::evaluate(costs, *found.placement);
    met += evaluation.latency <= target ? 1 : 0;
    dearer += evaluation.energy->value() > costs.energy(0, 0, costs.layers()) * (1.0 + 1e-12) ? 1 : 0;
  }
  [[nodiscard]] std::string met_of_four() const { return fixed(4.0 * met / cases); }
};

struct BatchScores {
  BatchScore limited[3], knapsack, exact;
  [[nodiscard]] std::string dearer() const {
    int all = knapsack.cases, found = knapsack.dearer;
    for (const BatchScore& score : limited) {
      all += score.cases;
      found += score.dearer;
    }
    return std::to_string(found) + " of " + std::to_string(all);
  }
};

BatchScores batch_scores(std::uint64_t networks, std::size_t layers, int batch, bool counted) {
  BatchScores scores;
  for (std::uint64_t seed = 1; seed <= networks; ++seed) {
    const placement::Costs costs(resnet_batch_on_orin(seed, layers, batch));
    const double alone = costs.time(0, 0, costs.layers());
    for (const double factor : {1.2, 1.5, 2.0, 2.8}) {
      const Seconds target(alone * factor);
      for (std::size_t n = 0; n < 3; ++n)
        scores.limited[n].add(costs, placement::limited_transitions(costs, target, {n + 1, counted}), target);
      scores.knapsack.add(costs, placement::knapsack(costs, target, 0, 1), target);
      const placement::Solution best = placement::least_energy(costs, target);
      scores.exact.add(costs, {best.placement, best.value, 1, true}, target);
    }
  }
  return scores;
}

}  // namespace

std::vector<PlacementTable> batch_tables(const PlacementSizes& sizes) {
  Sheet sheet{{"groups", "batch", "transitions", "LNT, at most 1: met of 4", "at most 2", "at most 3",
               "Knapsack", "the paper", "dearer than the GPU", "exact (E3): met of 4", "dearer"},
              3};
  const struct {
    std::size_t layers;
    int batch;
    const char* paper;
  } kinds[] = {{17, 1, "4/3/1/3"}, {17, 2, "4/3/2/2"}, {17, 4, "4/3/2/1"},
               {53, 1, "4/3/3/2"}, {53, 2, "4/3/3/3"}, {53, 4, "4/4/4/3"}};
  const std::uint64_t fine = std::max<std::uint64_t>(1, sizes.networks / 5);
  for (const auto& [layers, batch, paper] : kinds) {
    if (layers > 17 && sizes.quick) break;
    for (const bool counted : {true, false}) {
      const BatchScores scores = batch_scores(layers > 17 ? fine : sizes.networks, layers, batch, counted);
      sheet.rows.push_back({std::to_string(layers), std::to_string(batch), counted ? "counted" : "ignored",
                            scores.limited[0].met_of_four(), scores.limited[1].met_of_four(),
                            scores.limited[2].met_of_four(), scores.knapsack.met_of_four(), paper,
                            scores.dearer(), scores.exact.met_of_four(),
                            std::to_string(scores.exact.dearer)});
    }
  }
  return {
      {"paper 002, batches",
       "Paper 002 at batches 1, 2 and 4: made-up profiles of ResNet50 in the paper's ranges of time and "
       "energy, " +
           std::to_string(sizes.networks) + " of them with coarse and " + std::to_string(fine) +
           " with fine groups, four targets each (1.2 to 2.8 times the GPU's time of the batch). What a "
           "batch "
           "gains on either device and what a transition costs (1 % of the GPU's time and energy) are "
           "**assumed**. Of the four targets, how many are met on average when LNT counts transitions and "
           "when "
           "it ignores them (Knapsack always does); the paper's counts of LNT with at most 1, 2, 3 and of "
           "Knapsack, each of one run. *Dearer*: placements of LNT and Knapsack that take more energy than "
           "the "
           "GPU alone; the paper reports that of fine groups, never of coarse ones.",
       std::move(sheet)}};
}

}  // namespace saccade::bench
