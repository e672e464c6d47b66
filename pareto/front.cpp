#include "pareto/front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"

namespace saccade::pareto {
namespace {

// Whether a is no worse than b, which does not come before it: the first column needs no look.
bool no_worse(const double* a, const double* b, std::size_t columns) {
  for (std::size_t i = 1; i < columns; ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

// Where in [begin, end) of the kept points, one after the other, the first that is no worse stands; `end`:
// none. Most points are compared with all of the front, and how each comparison ends is hard to predict:
// eight are made at once, without a branch.
template <std::size_t Columns>
std::size_t find_no_worse(const double* kept, std::size_t begin, std::size_t end, const double* point) {
  constexpr std::size_t kAtOnce = 8;
  for (; begin + kAtOnce <= end; begin += kAtOnce) {
    bool some = false;
    for (std::size_t i = begin; i < begin + kAtOnce; ++i) {
      bool each = true;
      for (std::size_t k = 1; k < Columns; ++k) each &= kept[i * Columns + k] <= point[k];
      some |= each;
    }
    if (some) break;
  }
  while (begin < end && !no_worse(kept + begin * Columns, point, Columns)) ++begin;
  return begin;
}

std::size_t find_no_worse(const double* kept, std::size_t begin, std::size_t end, const double* point,
                          std::size_t columns) {
  if (columns == 3) return find_no_worse<3>(kept, begin, end, point);
  if (columns == 4) return find_no_worse<4>(kept, begin, end, point);
  while (begin < end && !no_worse(kept + begin * columns, point, columns)) ++begin;
  return begin;
}

// The points by columns, then preference: one that dominates another, or equals it and is preferred, precedes
// it.
std::vector<std::size_t> sorted(std::span<const double> costs, std::size_t points, std::size_t columns,
                                const Preference& preference) {
  const auto row = [costs, columns](std::size_t point) { return costs.data() + point * columns; };
  struct Place {  // with the first column, which decides most comparisons
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
  std::vector<std::size_t> result(points);
  std::transform(order.begin(), order.end(), result.begin(), [](const Place& place) { return place.point; });
  return result;
}

}  // namespace

std::vector<std::size_t> front(const Eigen::MatrixXd& costs, const Preference& preference,
                               std::span<const std::size_t> keep) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = costs;
  return front(std::span(rows.data(), static_cast<std::size_t>(rows.size())),
               static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols()), preference,
               keep);
}

std::vector<std::size_t> front(std::span<const double> costs, std::size_t points, std::size_t columns,
                               const Preference& preference, std::span<const std::size_t> keep) {
  SACCADE_CHECK(costs.size() == points * columns);
  SACCADE_CHECK(std::all_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); }));
  const auto row = [costs, columns](std::size_t point) { return costs.data() + point * columns; };

  std::vector<std::size_t> kept;
  std::vector<double> front_costs;  // of the points in `kept`, one after the other
  kept.reserve(points + keep.size());
  front_costs.reserve(points * columns);
  std::vector<double> least(columns, std::numeric_limits<double>::infinity());  // of those, per column
  for (const std::size_t point : sorted(costs, points, columns, preference)) {
    // With two columns the second falls along the front, so that only its last point can dominate.
    const std::size_t first = columns <= 2 && !kept.empty() ? kept.size() - 1 : 0;
    bool dominated = false, undercuts = false;  // what is less in a column than all before is not dominated
    for (std::size_t i = 1; i < columns; ++i) undercuts = undercuts || row(point)[i] < least[i];
    if (!undercuts && first < kept.size()) {
      double* const asked_first = front_costs.data() + first * columns;
      dominated = no_worse(asked_first, row(point), columns);
      if (!dominated) {
        const std::size_t by = find_no_worse(front_costs.data(), first + 1, kept.size(), row(point), columns);
        dominated = by < kept.size();
        // Who dominates one point tends to dominate more: it is asked first from now on.
        if (dominated) {
          std::swap_ranges(asked_first, asked_first + columns, front_costs.data() + by * columns);
          std::swap(kept[first], kept[by]);
        }
      }
    }
    if (dominated) continue;
    kept.push_back(point);
    for (std::size_t i = 0; i < columns; ++i) least[i] = std::min(least[i], row(point)[i]);
    front_costs.insert(front_costs.end(), row(point), row(point) + columns);
  }
  kept.insert(kept.end(), keep.begin(), keep.end());
  std::vector<bool> is_kept(points, false);
  for (const std::size_t point : kept) {
    SACCADE_CHECK(point < points);
    is_kept[point] = true;
  }
  kept.clear();
  for (std::size_t point = 0; point < points; ++point) {
    if (is_kept[point]) kept.push_back(point);
  }
  return kept;
}

}  // namespace saccade::pareto
