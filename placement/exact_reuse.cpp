#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "placement/exact.hpp"
#include "placement/paths.hpp"

namespace saccade::placement {
namespace {

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

// A share of 1 for each processor's load: the weighted load is never more than the largest.
using Multipliers = std::vector<double>;

// Bounds from multipliers: for each, the least weighted load that is still to come.
class LoadBounds {
 public:
  LoadBounds(const Costs& costs, std::size_t stages) : costs_(costs), stages_(stages) {}

  // The path of these multipliers, whose loads say in which direction to go on.
  std::optional<Placement> add(const Multipliers& multipliers) {
    bounds_.push_back({multipliers, Paths(costs_, {multipliers, 0.0, {}}, stages_)});
    least_ = std::max(least_, bounds_.back().paths.cost());
    return bounds_.back().paths.best();
  }
  // Those that bound best from the start stay; single processors always do.
  void keep(std::size_t count, std::size_t always) {
    std::sort(bounds_.begin() + static_cast<std::ptrdiff_t>(always), bounds_.end(),
              [](const Bound& a, const Bound& b) { return a.paths.cost() > b.paths.cost(); });
    if (bounds_.size() > always + count)
      bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(always + count), bounds_.end());
  }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] std::size_t size() const { return bounds_.size(); }

  [[nodiscard]] bool exceeds(const double* load, std::size_t next, std::size_t p, std::size_t more,
                             double limit) const {
    return std::any_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
      double sum = bound.paths.to_go(next, p, more);
      for (std::size_t q = 0; q < bound.multipliers.size(); ++q) sum += bound.multipliers[q] * load[q];
      return sum * (1.0 + 1e-12) >= limit;
    });
  }

 private:
  struct Bound {
    Multipliers multipliers;
    Paths paths;
  };
  const Costs& costs_;
  std::size_t stages_;
  std::vector<Bound> bounds_;
  double least_ = 0.0;
};

// Keeps the vectors that no other one equals or undercuts in every component. Offered in lexicographic order:
// the first component needs no comparison, and of three the other two form a staircase.
class LoadFront {
 public:
  explicit LoadFront(std::size_t processors) : processors_(processors) {}

  bool add(const double* load) {
    if (processors_ <= 3)
      return add_to_stairs(processors_ > 1 ? load[1] : 0.0, processors_ > 2 ? load[2] : 0.0);
    for (std::size_t k = 0; k < kept_.size(); k += processors_) {
      if (std::equal(load, load + processors_, kept_.begin() + static_cast<std::ptrdiff_t>(k),
                     [](double mine, double other) { return other <= mine; })) {
        return false;
      }
    }
    kept_.insert(kept_.end(), load, load + processors_);
    return true;
  }

 private:
  bool add_to_stairs(double x, double y) {
    const auto after = stairs_.upper_bound(x);
    if (after != stairs_.begin() && std::prev(after)->second <= y) return false;
    auto worse = stairs_.lower_bound(x);
    while (worse != stairs_.end() && worse->second >= y) worse = stairs_.erase(worse);
    stairs_.emplace(x, y);
    return true;
  }

  std::size_t processors_;
  std::vector<double> kept_;
  std::map<double, double> stairs_;  // x ascends, y descends
};

class ReuseSearch {
 public:
  ReuseSearch(const Costs& costs, const ReuseOptions& options)
      : costs_(costs), options_(options), width_(costs.processors()), bounds_(costs, options.max_stages) {}

  Solution solve() {
    find_start();
    if (!best_.placement) return best_;
    const bool complete = run();
    best_.labels = before_.size();
    best_.bound = complete ? best_.value : std::min(bounds_.least(), best_.value);
    return best_;
  }

 private:
  struct Fresh {
    std::uint32_t parent, loads;  // index of the first load in fresh_loads_
    std::uint16_t processor, more;
  };

  void take(const std::optional<Placement>& placement) {
    if (!placement) return;
    const double period = evaluate(costs_, *placement).period.value();
    if (period >= best_.value) return;
    best_.value = period;
    best_.placement = placement;
  }

  // E1, then paths under multipliers that move towards the most loaded processor, then moves of boundaries.
  void find_start() {
    Solution once = least_period_once_each(costs_, options_.max_stages);
    take(once.placement);
    std::size_t always = 0;
    for (std::size_t p = 0; p < width_; ++p) {
      Multipliers unit(width_, 0.0);
      unit[p] = 1.0;
      take(bounds_.add(unit));
      ++always;
    }
    Multipliers multipliers(width_, 1.0 / static_cast<double>(width_));
    constexpr int kSteps = 60;
    for (int step = 0; step < kSteps; ++step) {
      const auto path = bounds_.add(multipliers);
      if (!path) return;
      take(path);
      const Evaluation evaluation = evaluate(costs_, *path);
      const double rate = 2.0 / std::sqrt(1.0 + step);
      double sum = 0.0;
      for (std::size_t p = 0; p < width_; ++p) {
        multipliers[p] *= std::exp(rate * (evaluation.load[p] / evaluation.period - 1.0));
        sum += multipliers[p];
      }
      for (double& share : multipliers) share /= sum;
    }
    constexpr std::size_t kKept = 8;
    bounds_.keep(kKept, always);
    while (move_one_boundary()) {
    }
  }

  // Whether moving one boundary of the best placement by one layer made it better.
  bool move_one_boundary() {
    const Placement current = *best_.placement;
    const double value = best_.value;
    for (std::size_t k = 1; k < current.size(); ++k) {
      for (const bool forwards : {true, false}) {
        Placement moved = current;
        const std::size_t b = forwards ? moved[k].first + 1 : moved[k].first - 1;
        moved[k - 1].last = moved[k].first = b;
        if (complaints(costs_, moved).empty()) take(moved);
      }
    }
    return best_.value < value;
  }

  [[nodiscard]] const double* load(std::uint32_t k) const { return &loads_[k * width_]; }

  bool run() {
    const std::vector<double> none(width_, 0.0);
    for (std::size_t p = 0; p < width_; ++p) {
      if (costs_.runs(p, 0, 1)) extend(none.data(), kNoParent, 0, p, p, options_.max_stages - 1);
    }
    settle();
    for (std::size_t i = 1; i < costs_.layers(); ++i) {
      for (std::uint32_t k = from_; k < to_; ++k) {
        const std::vector<double> loads(load(k), load(k) + width_);
        for (std::size_t q = 0; q < width_; ++q) extend(loads.data(), k, i, processor_[k], q, more_[k]);
      }
      settle();
      if (before_.size() > options_.max_labels) return false;
    }
    finish();
    return true;
  }

  // Layer i on q after p.
  void extend(const double* loads, std::uint32_t parent, std::size_t i, std::size_t p, std::size_t q,
              std::size_t more) {
    if (!costs_.runs(q, i, i + 1)) return;
    if (p != q && (more == 0 || !costs_.may_cross(i, p, q))) return;
    const std::size_t begin = fresh_loads_.size();
    fresh_loads_.insert(fresh_loads_.end(), loads, loads + width_);
    double* fresh = &fresh_loads_[begin];
    fresh[q] += costs_.time(q, i, i + 1);
    if (p != q) {
      fresh[p] += costs_.send(i, p, q);
      fresh[q] += costs_.receive(i, p, q);
      --more;
    }
    if (bounds_.exceeds(fresh, i + 1, q, more, best_.value)) {
      fresh_loads_.resize(begin);
      return;
    }
    fresh_.push_back({parent, static_cast<std::uint32_t>(begin), static_cast<std::uint16_t>(q),
                      static_cast<std::uint16_t>(more)});
  }

  void settle() {
    const auto loads_of = [&](const Fresh& label) { return &fresh_loads_[label.loads]; };
    std::sort(fresh_.begin(), fresh_.end(), [&](const Fresh& a, const Fresh& b) {
      if (a.processor != b.processor) return a.processor < b.processor;
      if (a.more != b.more) return a.more < b.more;
      const double *x = loads_of(a), *y = loads_of(b);
      return std::lexicographical_compare(x, x + width_, y, y + width_);
    });
    from_ = static_cast<std::uint32_t>(before_.size());
    LoadFront front(width_);
    for (std::size_t k = 0; k < fresh_.size(); ++k) {
      const Fresh& label = fresh_[k];
      if (k > 0 && (fresh_[k - 1].processor != label.processor || fresh_[k - 1].more != label.more)) {
        front = LoadFront(width_);
      }
      if (!front.add(loads_of(label))) continue;
      before_.push_back(label.parent);
      processor_.push_back(label.processor);
      more_.push_back(label.more);
      loads_.insert(loads_.end(), loads_of(label), loads_of(label) + width_);
    }
    to_ = static_cast<std::uint32_t>(before_.size());
    fresh_.clear();
    fresh_loads_.clear();
  }

  void finish() {
    std::uint32_t best = kNoParent;
    double least = best_.value;
    for (std::uint32_t k = from_; k < to_; ++k) {
      const double largest = *std::max_element(load(k), load(k) + width_);
      if (largest < least) least = largest, best = k;
    }
    if (best == kNoParent) return;
    std::vector<std::size_t> assignment;
    for (std::uint32_t k = best; k != kNoParent; k = before_[k]) assignment.push_back(processor_[k]);
    std::reverse(assignment.begin(), assignment.end());
    take(placement_of(assignment));
  }

  const Costs& costs_;
  ReuseOptions options_;
  std::size_t width_;  // loads of a label
  LoadBounds bounds_;
  Solution best_;
  std::vector<double> loads_, fresh_loads_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint16_t> processor_, more_;
  std::vector<Fresh> fresh_;
  std::uint32_t from_ = 0, to_ = 0;  // labels of the latest layer
};

}  // namespace

Solution least_period(const Costs& costs, const ReuseOptions& options) {
  SACCADE_CHECK(options.max_stages >= 1);
  return ReuseSearch(costs, options).solve();
}

}  // namespace saccade::placement
