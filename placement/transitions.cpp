#include "placement/transitions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

struct Item {
  std::size_t layer;
  double profit;
  std::size_t weight;  // steps of the grid
};

// The items of a 0/1 knapsack with the largest profit; `taken` by index.
std::vector<bool> best_items(const std::vector<Item>& items, std::size_t capacity) {
  std::vector<double> best(capacity + 1, 0.0);
  std::vector<std::vector<bool>> takes(items.size(), std::vector<bool>(capacity + 1, false));
  for (std::size_t k = 0; k < items.size(); ++k) {
    for (std::size_t room = capacity + 1; room-- > items[k].weight;) {
      const double with = best[room - items[k].weight] + items[k].profit;
      if (with <= best[room]) continue;
      best[room] = with;
      takes[k][room] = true;
    }
  }
  std::vector<bool> taken(items.size(), false);
  for (std::size_t k = items.size(), room = capacity; k-- > 0;) {
    if (!takes[k][room]) continue;
    taken[k] = true;
    room -= items[k].weight;
  }
  return taken;
}

// Layers that it pays to move: those that gain time as well go at once, the others are items.
class Moves {
 public:
  Moves(const Costs& costs, std::size_t home, std::size_t other, Profit profit, double spare)
      : assignment_(costs.layers(), home), other_(other), spare_(spare) {
    for (std::size_t i = 0; i < costs.layers(); ++i) {
      if (!costs.runs(other, i, i + 1)) continue;
      const double at_home = costs.energy(home, i, i + 1), there = costs.energy(other, i, i + 1);
      const double gain = profit == Profit::ratio ? at_home / std::max(there, 1e-300) : at_home - there;
      const double longer = costs.time(other, i, i + 1) - costs.time(home, i, i + 1);
      if (gain <= 0.0) continue;
      if (longer <= 0.0) {
        assignment_[i] = other;
        spare_ -= longer;
      } else {
        candidates_.push_back({i, gain, longer});
      }
    }
  }

  [[nodiscard]] double spare() const { return spare_; }

  std::vector<std::size_t> choose(std::size_t grid) {
    if (spare_ <= 0.0) return assignment_;
    std::vector<Item> items;
    for (const Candidate& candidate : candidates_) {
      const double steps = std::ceil(candidate.longer / spare_ * static_cast<double>(grid));
      if (steps > static_cast<double>(grid)) continue;
      items.push_back({candidate.layer, candidate.gain, static_cast<std::size_t>(steps)});
    }
    const std::vector<bool> taken = best_items(items, grid);
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (taken[k]) assignment_[items[k].layer] = other_;
    }
    return assignment_;
  }

 private:
  struct Candidate {
    std::size_t layer;
    double gain, longer;
  };
  std::vector<std::size_t> assignment_;
  std::size_t other_;
  double spare_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Found limited_transitions(const Costs& costs, Seconds target, const LntOptions& options) {
  SACCADE_CHECK(costs.has_energy());
  const Costs believed(options.count_transfers ? costs.chain() : without_transfers(costs.chain()));
  const Aim aim{Objective::energy, target};
  Found found;
  for (std::size_t stages = 1; stages <= std::min(options.max_transitions + 1, costs.layers()); ++stages) {
    for (const Sequence& sequence : sequences(costs.processors(), stages)) {
      CutEnumeration enumeration(believed, sequence);
      found.evaluations += enumeration.run(options.max_evaluations - found.evaluations,
                                           [&](const Totals& totals, const Cuts& cuts) {
                                             const double value = value_of(aim, totals);
                                             if (value >= found.believed) return;
                                             found.believed = value;
                                             found.placement = placement_of(costs, sequence, cuts);
                                           });
    }
  }
  found.complete = found.evaluations < options.max_evaluations;
  return found;
}

Found knapsack(const Costs& costs, Seconds target, std::size_t home, std::size_t other,
               const KnapsackOptions& options) {
  SACCADE_CHECK(costs.has_energy() && home != other && costs.runs(home, 0, costs.layers()));
  Found found;
  Moves moves(costs, home, other, options.profit, target.value() - costs.time(home, 0, costs.layers()));
  if (moves.spare() < 0.0) return found;  // not even what is quickest meets the target
  const std::vector<std::size_t> assignment = moves.choose(options.grid);
  found.evaluations = static_cast<std::int64_t>(costs.layers() * options.grid);
  found.placement = placement_of(assignment);
  found.believed = 0.0;
  for (std::size_t i = 0; i < assignment.size(); ++i) found.believed += costs.energy(assignment[i], i, i + 1);
  return found;
}

}  // namespace saccade::placement
