#include "pareto/front.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"

namespace saccade::pareto {
namespace {

// A row-major copy: the scan reads whole points.
using Costs = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Whether a is no worse than b, which does not come before it: the first column needs no look.
bool no_worse(const double* a, const double* b, std::size_t columns) {
  for (std::size_t i = 1; i < columns; ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> front(const Eigen::MatrixXd& costs, const Preference& preference,
                               std::span<const std::size_t> keep) {
  SACCADE_CHECK(costs.allFinite());
  const auto points = static_cast<std::size_t>(costs.rows());
  const auto columns = static_cast<std::size_t>(costs.cols());
  const Costs copy = costs;
  const auto row = [&copy, columns](std::size_t point) { return copy.data() + point * columns; };

  // Sorted by columns, then preference: who dominates a point, or equals it and is preferred, comes
  // before it. The first column is kept beside the index: it decides most comparisons.
  struct Place {
    double first;
    std::size_t point;
  };
  std::vector<Place> order(points);
  for (std::size_t i = 0; i < points; ++i) order[i] = {columns > 0 ? *row(i) : 0.0, i};
  std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    if (a.first != b.first) return a.first < b.first;
    const double* const x = row(a.point);
    const double* const y = row(b.point);
    for (std::size_t i = 1; i < columns; ++i) {
      if (x[i] != y[i]) return x[i] < y[i];
    }
    if (preference && a.point != b.point) {
      if (preference(a.point, b.point)) return true;
      if (preference(b.point, a.point)) return false;
    }
    return a.point < b.point;
  });

  std::vector<std::size_t> kept;
  std::vector<double> front_costs;  // of the points in `kept`, one after the other
  std::vector<double> least(columns, std::numeric_limits<double>::infinity());  // of those, per column
  for (const auto [cost, point] : order) {
    // With two columns the second falls along the front, so that only its last point can dominate.
    const std::size_t first = columns <= 2 && !kept.empty() ? kept.size() - 1 : 0;
    bool dominated = false, undercuts = false;  // what is less in a column than all before is not dominated
    for (std::size_t i = 1; i < columns; ++i) undercuts = undercuts || row(point)[i] < least[i];
    for (std::size_t i = first; i < kept.size() && !dominated && !undercuts; ++i) {
      dominated = no_worse(front_costs.data() + i * columns, row(point), columns);
      // Who dominates one point tends to dominate more: it is asked first from now on.
      if (dominated && i > first) {
        double* const asked_first = front_costs.data() + first * columns;
        std::swap_ranges(asked_first, asked_first + columns, front_costs.data() + i * columns);
        std::swap(kept[first], kept[i]);
      }
    }
    if (dominated) continue;
    kept.push_back(point);
    for (std::size_t i = 0; i < columns; ++i) least[i] = std::min(least[i], row(point)[i]);
    front_costs.insert(front_costs.end(), row(point), row(point) + columns);
  }
  kept.insert(kept.end(), keep.begin(), keep.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  SACCADE_CHECK(kept.empty() || kept.back() < points);
  return kept;
}

}  // namespace saccade::pareto
