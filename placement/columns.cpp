#include "placement/columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placement/exact.hpp"
#include "placement/two_stage.hpp"

namespace saccade::placement {
namespace {

using Point = std::vector<double>;

Point point_of(const Evaluation& evaluation) {
  Point point;
  for (const Seconds load : evaluation.load) point.push_back(load.value());
  for (const Bytes bytes : evaluation.memory) point.push_back(bytes.value());
  point.push_back(evaluation.latency.value());
  if (evaluation.energy) point.push_back(evaluation.energy->value());
  return point;
}

bool no_worse(const Point& a, const Point& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

class Collection {
 public:
  explicit Collection(const Costs& costs) : costs_(costs) {}

  void offer(const std::optional<Placement>& placement) {
    if (!placement || !complaints(costs_, *placement).empty()) return;
    Column column{*placement, evaluate(costs_, *placement)};
    const Point point = point_of(column.evaluation);
    for (const Point& other : points_) {
      if (no_worse(other, point)) return;
    }
    for (std::size_t k = points_.size(); k-- > 0;) {
      if (!no_worse(point, points_[k])) continue;
      points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(k));
      columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    points_.push_back(point);
    columns_.push_back(std::move(column));
  }

  // The best by each measure, then again and again the one that lies farthest from those that are kept.
  [[nodiscard]] std::vector<Column> spread(std::size_t most) const {
    if (columns_.size() <= most) return columns_;
    std::vector<double> scales(points_.front().size(), 0.0);
    for (const Point& point : points_) {
      for (std::size_t c = 0; c < scales.size(); ++c) scales[c] = std::max(scales[c], point[c]);
    }
    std::vector<double> distance(columns_.size(), kImpossible);
    std::vector<std::size_t> kept;
    const auto keep = [&](std::size_t k) {
      if (distance[k] == 0.0) return;
      kept.push_back(k);
      for (std::size_t j = 0; j < columns_.size(); ++j)
        distance[j] = std::min(distance[j], apart(j, k, scales));
      distance[k] = 0.0;
    };
    for (std::size_t c = 0; c < points_.front().size() && kept.size() < most; ++c) keep(least_by(c));
    while (kept.size() < most) {
      const auto farthest = std::max_element(distance.begin(), distance.end());
      if (*farthest == 0.0) break;
      keep(static_cast<std::size_t>(farthest - distance.begin()));
    }
    std::sort(kept.begin(), kept.end());
    std::vector<Column> chosen;
    chosen.reserve(kept.size());
    for (const std::size_t k : kept) chosen.push_back(columns_[k]);
    return chosen;
  }

 private:
  [[nodiscard]] std::size_t least_by(std::size_t c) const {
    const auto least = std::min_element(points_.begin(), points_.end(),
                                        [&](const Point& a, const Point& b) { return a[c] < b[c]; });
    return static_cast<std::size_t>(least - points_.begin());
  }
  // The largest difference of a measure, as a share of the measure's largest value.
  [[nodiscard]] double apart(std::size_t a, std::size_t b, const std::vector<double>& scales) const {
    double largest = 0.0;
    for (std::size_t c = 0; c < scales.size(); ++c) {
      if (scales[c] > 0.0) largest = std::max(largest, std::abs(points_[a][c] - points_[b][c]) / scales[c]);
    }
    return largest;
  }

  const Costs& costs_;
  std::vector<Column> columns_;
  std::vector<Point> points_;
};

void offer_thrifty(const Costs& costs, Collection& collection) {
  const Paths thrifty(costs, {std::vector<double>(costs.processors(), 0.0), 1.0, {}});
  const Paths quick(costs, {std::vector<double>(costs.processors(), 1.0), 0.0, {}});
  const auto slowest = thrifty.best(), quickest = quick.best();
  collection.offer(slowest);
  if (!slowest || !quickest) return;
  const Seconds least = evaluate(costs, *quickest).latency, most = evaluate(costs, *slowest).latency;
  constexpr int kDeadlines = 4;
  for (int k = 1; k <= kDeadlines; ++k) {
    collection.offer(least_energy(costs, least + (most - least) * (k / (kDeadlines + 1.0))).placement);
  }
}

// Paper 003's options A and B with partial network duplication, at every cut, or at so many of each that are
// evenly spread: on neighbours that are alike, `gpu` last.
void offer_copies(const Costs& costs, std::size_t first, std::size_t copies, std::size_t gpu,
                  std::size_t max_stages, Collection& collection) {
  constexpr std::size_t kCuts = 30;
  const std::size_t step = (costs.layers() + kCuts - 1) / kCuts;
  for (std::size_t end = step; end < costs.layers(); end += step) {
    collection.offer(Placement{{0, end, first, copies}, {end, costs.layers(), gpu, 1}});
    for (std::size_t begin = step; begin < end && max_stages > 2; begin += step) {
      collection.offer(
          Placement{{0, begin, gpu, 1}, {begin, end, first, copies}, {end, costs.layers(), gpu, 1}});
    }
  }
}

// On the first of each run of neighbours; with one processor of each kind behind them: others cost as much.
void offer_copies(const Costs& costs, std::size_t max_stages, Collection& collection) {
  for (std::size_t first = 0; first < costs.processors(); ++first) {
    const std::size_t kind = costs.kind_of(first);
    if (first > 0 && costs.kind_of(first - 1) == kind) continue;
    for (std::size_t next = first + 1; next < costs.processors() && costs.kind_of(next) == kind; ++next) {
      std::vector<std::size_t> seen;
      for (std::size_t gpu = 0; gpu < costs.processors(); ++gpu) {
        if (gpu >= first && gpu <= next) continue;
        if (std::find(seen.begin(), seen.end(), costs.kind_of(gpu)) != seen.end()) continue;
        seen.push_back(costs.kind_of(gpu));
        offer_copies(costs, first, next - first + 1, gpu, max_stages, collection);
      }
    }
  }
}

}  // namespace

std::vector<Column> start_set(const Costs& costs, const ColumnOptions& options) {
  Collection collection(costs);
  for (std::size_t p = 0; p < costs.processors(); ++p) collection.offer(whole_on(costs, p));
  collection.offer(Paths(costs, {std::vector<double>(costs.processors(), 1.0), 0.0, {}}).best());
  if (costs.has_energy()) offer_thrifty(costs, collection);
  for (std::size_t stages = 2; stages <= options.max_stages; ++stages) {
    collection.offer(least_period_once_each(costs, stages).placement);
    ReuseOptions reuse;
    reuse.max_stages = stages;
    collection.offer(least_period(costs, reuse).placement);
  }
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    for (std::size_t q = 0; q < costs.processors(); ++q) {
      if (p == q) continue;
      for (std::size_t n = 1; n < costs.layers(); ++n) collection.offer(split_after(costs, n, p, q));
    }
  }
  if (options.max_stages > 1) offer_copies(costs, options.max_stages, collection);
  return collection.spread(options.most);
}

std::optional<Priced> price(const Costs& costs, const PathWeights& duals, double value) {
  const Paths paths(costs, duals);
  auto placement = paths.best();
  if (!placement) return std::nullopt;
  return Priced{*std::move(placement), paths.cost() - value};
}

}  // namespace saccade::placement
