#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "placement/exact.hpp"
#include "placement/paths.hpp"
#include "placement/thriftier.hpp"

namespace saccade::placement {
namespace {

constexpr std::uint32_t kNoLabel = ~std::uint32_t{0};
// Multipliers that bound, as shares of the best one.
constexpr std::array kAround = {0.9, 1.1, 0.7, 1.4, 0.4, 2.5};

struct EnergyLabel {
  double time, energy;
  std::uint32_t before;
  std::uint16_t processor, more;  // stages that may still begin
};

// Energy + multiplier * latency as weights of a path.
PathWeights weighed(const Costs& costs, double energy, double multiplier) {
  return {std::vector<double>(costs.processors(), multiplier), energy, {}};
}

// Labels of latency and energy, layer by layer; a label is dropped when another in the same state is no worse
// in both, or when a bound says that it leads to nothing better.
class EnergySearch {
 public:
  EnergySearch(const Costs& costs, double latency, const EnergyOptions& options)
      : costs_(costs),
        latency_(latency),
        options_(options),
        limited_(options.max_stages > 0),
        slots_(limited_ ? options.max_stages : 1),
        fastest_(costs, weighed(costs, 0.0, 1.0), options.max_stages),
        thriftiest_(costs, weighed(costs, 1.0, 0.0), options.max_stages) {}

  // The best of a few weighted sums that meet the limit. The last multiplier bounds best what keeps to the
  // best path's pace; others near it bound what is ahead of it or behind it, whose rest has another price.
  void find_start() {
    if (thriftiest_.cost() == kImpossible) return;
    bound_ = std::max(bound_, thriftiest_.cost());
    take(thriftiest_.best());
    take(fastest_.best());
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 40 && !try_multiplier(high, 0); ++i) low = high, high *= 4.0;
    for (int i = 0; i < 24; ++i) {
      const double middle = 0.5 * (low + high);
      (try_multiplier(middle, 0) ? high : low) = middle;
    }
    std::size_t slot = 1;
    for (const double factor : kAround) (void)try_multiplier(factor * high, slot++);
    if (start_.placement)
      take(thriftier(costs_, *start_.placement, Seconds(latency_),
                     limited_ ? StageCount::must_not_grow : StageCount::may_grow));
  }

  [[nodiscard]] const Solution& start() const { return start_; }
  [[nodiscard]] double bound() const { return bound_; }
  [[nodiscard]] std::size_t labels() const { return labels_.size(); }

  // Whether it ran to the end.
  bool run() {
    lists_.assign(costs_.processors() * slots_, {});
    for (std::size_t p = 0; p < costs_.processors(); ++p) {
      if (costs_.runs(p, 0, 1)) {
        push(p, slots_ - 1, 0, {costs_.time(p, 0, 1), costs_.energy(p, 0, 1), kNoLabel, 0, 0});
      }
    }
    settle();
    for (std::size_t i = 1; i < costs_.layers(); ++i) {
      advance(i);
      if (labels_.size() > options_.max_labels) return false;
    }
    return true;
  }

  // Non-dominated labels at the end: latency ascends.
  [[nodiscard]] std::vector<std::uint32_t> last() const {
    std::vector<std::uint32_t> all;
    for (const auto& list : lists_) all.insert(all.end(), list.begin(), list.end());
    std::sort(all.begin(), all.end(),
              [&](std::uint32_t a, std::uint32_t b) { return before(labels_[a], labels_[b]); });
    double least = kImpossible;
    std::erase_if(all, [&](std::uint32_t k) {
      if (labels_[k].energy >= least) return true;
      least = labels_[k].energy;
      return false;
    });
    return all;
  }
  [[nodiscard]] const EnergyLabel& label(std::uint32_t k) const { return labels_[k]; }

  [[nodiscard]] Placement trace(std::uint32_t k) const {
    std::vector<std::size_t> assignment;
    for (; k != kNoLabel; k = labels_[k].before) assignment.push_back(labels_[k].processor);
    std::reverse(assignment.begin(), assignment.end());
    return placement_of(assignment);
  }

 private:
  static bool before(const EnergyLabel& a, const EnergyLabel& b) {
    return a.time < b.time || (a.time == b.time && a.energy < b.energy);
  }

  void take(const std::optional<Placement>& placement) {
    if (!placement) return;
    const Evaluation evaluation = evaluate(costs_, *placement);
    if (evaluation.latency.value() > latency_ || evaluation.energy->value() >= start_.value) return;
    start_.value = evaluation.energy->value();
    start_.placement = placement;
  }

  // Whether the path of this multiplier meets the limit; it bounds in this slot from now on.
  bool try_multiplier(double multiplier, std::size_t slot) {
    bounding_[slot].emplace(costs_, weighed(costs_, 1.0, multiplier), options_.max_stages);
    multipliers_[slot] = multiplier;
    bound_ = std::max(bound_, bounding_[slot]->cost() - multiplier * latency_);
    const auto path = bounding_[slot]->best();
    take(path);
    return path && evaluate(costs_, *path).latency.value() <= latency_;
  }

  // Whether nothing better than the start can come of it; `next` is the layer after it.
  [[nodiscard]] bool hopeless(const EnergyLabel& label, std::size_t next, std::size_t p,
                              std::size_t more) const {
    constexpr double kSlack = 1.0 + 1e-12;
    if (label.time + fastest_.to_go(next, p, more) > latency_ * kSlack) return true;
    if (start_.value == kImpossible) return false;
    if ((label.energy + thriftiest_.to_go(next, p, more)) * kSlack >= start_.value) return true;
    for (std::size_t k = 0; k < bounding_.size(); ++k) {
      if (!bounding_[k]) continue;
      const double least =
          label.energy + multipliers_[k] * (label.time - latency_) + bounding_[k]->to_go(next, p, more);
      if (least * kSlack >= start_.value) return true;
    }
    return false;
  }

  void push(std::size_t p, std::size_t more, std::size_t layer, EnergyLabel label) {
    if (hopeless(label, layer + 1, p, more)) return;
    label.processor = static_cast<std::uint16_t>(p);
    label.more = static_cast<std::uint16_t>(more);
    fresh_.push_back(label);
  }

  void advance(std::size_t i) {
    for (const auto& list : lists_) {
      for (const std::uint32_t k : list) {
        const EnergyLabel from = labels_[k];
        for (std::size_t q = 0; q < costs_.processors(); ++q) extend(from, k, i, q);
      }
    }
    settle();
  }

  void extend(const EnergyLabel& from, std::uint32_t k, std::size_t i, std::size_t q) {
    if (!costs_.runs(q, i, i + 1)) return;
    EnergyLabel label{from.time + costs_.time(q, i, i + 1), from.energy + costs_.energy(q, i, i + 1), k, 0,
                      0};
    const std::size_t p = from.processor;
    std::size_t more = from.more;
    if (q != p) {
      if ((limited_ && more == 0) || !costs_.may_cross(i, p, q)) return;
      label.time += costs_.send(i, p, q) + costs_.receive(i, p, q);
      label.energy += costs_.transfer_energy(i, p, q);
      if (limited_) --more;
    }
    push(q, more, i, label);
  }

  // The fresh labels that are not dominated become the lists.
  void settle() {
    std::sort(fresh_.begin(), fresh_.end(), [](const EnergyLabel& a, const EnergyLabel& b) {
      if (a.processor != b.processor) return a.processor < b.processor;
      return a.more != b.more ? a.more < b.more : before(a, b);
    });
    for (auto& list : lists_) list.clear();
    std::size_t slot = ~std::size_t{0};
    double least = kImpossible;
    for (const EnergyLabel& label : fresh_) {
      const std::size_t now = label.processor * slots_ + label.more;
      if (now != slot) slot = now, least = kImpossible;
      if (label.energy >= least) continue;
      least = label.energy;
      lists_[slot].push_back(static_cast<std::uint32_t>(labels_.size()));
      labels_.push_back(label);
    }
    fresh_.clear();
  }

  const Costs& costs_;
  double latency_;
  EnergyOptions options_;
  bool limited_;
  std::size_t slots_;
  Paths fastest_, thriftiest_;
  std::array<std::optional<Paths>, 1 + kAround.size()> bounding_;
  std::array<double, 1 + kAround.size()> multipliers_{};
  double bound_ = 0.0;
  Solution start_;
  std::vector<EnergyLabel> labels_, fresh_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace

Solution least_energy(const Costs& costs, Seconds latency, const EnergyOptions& options) {
  SACCADE_CHECK(costs.has_energy());
  EnergySearch search(costs, latency.value(), options);
  search.find_start();
  const bool complete = search.run();
  Solution result = search.start();
  result.labels = search.labels();
  result.bound = search.bound();
  if (!complete) return result;
  for (const std::uint32_t k : search.last()) {
    const EnergyLabel& label = search.label(k);
    if (label.time > latency.value() || label.energy >= result.value) continue;
    result.value = label.energy;
    result.placement = search.trace(k);
  }
  result.bound = result.value;
  return result;
}

Front energy_front(const Costs& costs, const EnergyOptions& options) {
  SACCADE_CHECK(costs.has_energy());
  EnergySearch search(costs, kImpossible, options);
  Front front;
  front.complete = search.run();
  if (!front.complete) return front;
  for (const std::uint32_t k : search.last()) {
    const EnergyLabel& label = search.label(k);
    front.points.push_back({Seconds(label.time), Joules(label.energy), search.trace(k)});
  }
  return front;
}

}  // namespace saccade::placement
