#include "placement/two_stage.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

// The period of n layers on `first`, the rest on `second`, with all that crosses.
class TwoStages {
 public:
  TwoStages(const Costs& costs, std::size_t first, std::size_t second)
      : costs_(costs), first_(first), second_(second) {
    totals_.load.assign(costs.processors(), 0.0);
  }

  // Null: not possible.
  const Totals* at(std::size_t n) {
    const std::size_t all = costs_.layers();
    if (!costs_.runs(first_, 0, n) || !costs_.runs(second_, n, all)) return nullptr;
    double ahead = costs_.time(first_, 0, n), behind = costs_.time(second_, n, all);
    totals_.energy = costs_.energy(first_, 0, n) + costs_.energy(second_, n, all);
    if (n < all) {
      if (!costs_.may_cross(n, first_, second_)) return nullptr;
      ahead += costs_.send(n, first_, second_);
      behind += costs_.receive(n, first_, second_);
      totals_.energy += costs_.transfer_energy(n, first_, second_);
    }
    totals_.load[first_] = ahead;
    totals_.load[second_] = behind;
    totals_.latency = ahead + behind;
    return &totals_;
  }

 private:
  const Costs& costs_;
  std::size_t first_, second_;
  Totals totals_;
};

}  // namespace

Placement split_after(const Costs& costs, std::size_t layers, std::size_t first, std::size_t second) {
  SACCADE_CHECK(layers <= costs.layers());
  if (layers == 0) return whole_on(costs, second);
  if (layers == costs.layers()) return whole_on(costs, first);
  return {{0, layers, first, 1}, {layers, costs.layers(), second, 1}};
}

Found two_stage(const Costs& costs, const Aim& aim) {
  Found found;
  const auto offer = [&](double value, std::size_t n, std::size_t first, std::size_t second) {
    ++found.evaluations;
    if (value >= found.believed) return;
    found.believed = value;
    found.placement = split_after(costs, n, first, second);
  };
  for (std::size_t first = 0; first < costs.processors(); ++first) {
    for (std::size_t second = 0; second < costs.processors(); ++second) {
      if (first == second && costs.processors() > 1) continue;
      TwoStages stages(costs, first, second);
      const std::size_t least = first == second ? costs.layers() : 1;
      for (std::size_t n = least; n <= costs.layers(); ++n) {
        if (const Totals* totals = stages.at(n)) offer(value_of(aim, *totals), n, first, second);
      }
    }
  }
  return found;
}

Found k_stage(const Costs& costs, const Aim& aim, const KStageOptions& options) {
  Found found;
  double previous = kImpossible;  // of one stage less
  for (std::size_t stages = 1; stages <= std::min(options.max_stages, costs.layers()); ++stages) {
    double best = kImpossible;  // of this number of stages
    for (const Sequence& sequence : sequences(costs.processors(), stages)) {
      CutEnumeration enumeration(costs, sequence);
      found.evaluations += enumeration.run(options.max_evaluations - found.evaluations,
                                           [&](const Totals& totals, const Cuts& cuts) {
                                             const double value = value_of(aim, totals);
                                             best = std::min(best, value);
                                             if (value >= found.believed) return;
                                             found.believed = value;
                                             found.placement = placement_of(costs, sequence, cuts);
                                           });
      if (found.evaluations >= options.max_evaluations) {
        found.complete = false;
        return found;
      }
    }
    if (options.stop_without_gain && stages > 1 && best >= previous) break;
    previous = best;
  }
  return found;
}

DynamicCut dynamic_cut(const Costs& costs, std::size_t first, std::size_t second, std::size_t layers,
                       Measure& measure, CutAverages& averages, const DynamicCutOptions& options) {
  averages.resize(costs.layers() + 1);
  DynamicCut result;
  const auto period_at = [&](std::size_t n) {
    const double now = measure.measure(split_after(costs, n, first, second)).period;
    std::optional<double>& average = averages[n];
    average = average ? (1.0 - options.smoothing) * *average + options.smoothing * now : now;
    result.tried.push_back(n);
    return *average;
  };
  result.layers = layers;
  result.period = period_at(layers);
  const auto better = [&](std::size_t n) {
    const double period = period_at(n);
    if (period >= result.period * (1.0 - options.hysteresis)) return false;
    result.layers = n;
    result.period = period;
    return true;
  };
  for (std::size_t n = layers; n < costs.layers() && better(n + 1);) ++n;
  if (result.layers != layers) return result;
  for (std::size_t n = layers; n > 0 && better(n - 1);) --n;
  return result;
}

}  // namespace saccade::placement
