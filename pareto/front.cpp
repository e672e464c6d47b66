#include "pareto/front.hpp"

#include <algorithm>
#include <numeric>

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

std::vector<std::size_t> front(const Eigen::MatrixXd& costs, std::span<const std::size_t> preference,
                               std::span<const std::size_t> keep) {
  SACCADE_CHECK(costs.allFinite());
  const auto points = static_cast<std::size_t>(costs.rows());
  const auto columns = static_cast<std::size_t>(costs.cols());
  SACCADE_CHECK(preference.empty() || preference.size() == points);
  const Costs copy = costs;
  const auto row = [&copy, columns](std::size_t point) { return copy.data() + point * columns; };

  // Sorted by columns, then preference: who dominates a point, or equals it and is preferred, comes
  // before it.
  std::vector<std::size_t> order(points);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double* const x = row(a);
    const double* const y = row(b);
    for (std::size_t i = 0; i < columns; ++i) {
      if (x[i] != y[i]) return x[i] < y[i];
    }
    if (!preference.empty() && preference[a] != preference[b]) return preference[a] < preference[b];
    return a < b;
  });

  std::vector<std::size_t> kept;
  std::vector<double> front_costs;  // of the points in `kept`, one after the other
  for (const std::size_t point : order) {
    // With two columns the second falls along the front, so that only its last point can dominate.
    const std::size_t first = columns <= 2 && !kept.empty() ? kept.size() - 1 : 0;
    bool dominated = false;
    for (std::size_t i = first; i < kept.size() && !dominated; ++i) {
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
    front_costs.insert(front_costs.end(), row(point), row(point) + columns);
  }
  kept.insert(kept.end(), keep.begin(), keep.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  SACCADE_CHECK(kept.empty() || kept.back() < points);
  return kept;
}

}  // namespace saccade::pareto
