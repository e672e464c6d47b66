#include "pareto/front.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

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
// eight are made at once, without a branch, if the number of columns is known at compile time (else 0).
template <std::size_t kColumns>
std::size_t find_no_worse(const double* kept, std::size_t begin, std::size_t end, const double* point,
                          std::size_t columns) {
  constexpr std::size_t kAtOnce = 8;
  for (; kColumns > 0 && begin + kAtOnce <= end; begin += kAtOnce) {
    bool some = false;
    for (std::size_t i = begin; i < begin + kAtOnce; ++i) {
      bool each = true;
      for (std::size_t k = 1; k < kColumns; ++k) each &= kept[i * kColumns + k] <= point[k];
      some |= each;
    }
    if (some) break;
  }
  while (begin < end && !no_worse(kept + begin * columns, point, columns)) ++begin;
  return begin;
}

// The points, which are in the order of their first column, by columns, then preference: one that dominates
// another, or equals it and is preferred, precedes it.
void sort_equal(std::vector<Place>& order, std::span<const double> costs, std::size_t columns,
                const Preference& preference) {
  const auto row = [costs, columns](std::size_t point) { return costs.data() + point * columns; };
  const auto precedes = [&](const Place& a, const Place& b) {  // equal in the first column
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
  };
  for (auto begin = order.begin(); begin != order.end();) {
    auto end = begin + 1;
    while (end != order.end() && end->first == begin->first) ++end;
    if (end - begin > 1) std::sort(begin, end, precedes);
    begin = end;
  }
}

// Those of the points in this order that none before them dominates. kColumns as above.
template <std::size_t kColumns>
std::vector<std::size_t> not_dominated(const std::vector<Place>& order, std::span<const double> costs,
                                       std::size_t any_columns) {
  const std::size_t columns = kColumns > 0 ? kColumns : any_columns;
  std::vector<std::size_t> kept;
  kept.reserve(order.size());
  std::vector<double> front_costs;  // of the points in `kept`, one after the other
  front_costs.reserve(order.size() * columns);
  std::vector<double> least(columns, std::numeric_limits<double>::infinity());  // of those, per column
  for (const Place& place : order) {
    const double* const point = costs.data() + place.point * columns;
    // With two columns the second falls along the front, so that only its last point can dominate.
    const std::size_t first = columns <= 2 && !kept.empty() ? kept.size() - 1 : 0;
    bool dominated = false, undercuts = false;  // what is less in a column than all before is not dominated
    for (std::size_t i = 1; i < columns; ++i) undercuts |= point[i] < least[i];
    if (!undercuts && first < kept.size()) {
      double* const asked_first = front_costs.data() + first * columns;
      dominated = no_worse(asked_first, point, columns);
      if (!dominated) {
        const std::size_t by =
            find_no_worse<kColumns>(front_costs.data(), first + 1, kept.size(), point, columns);
        dominated = by < kept.size();
        // Who dominates one point tends to dominate more: it is asked first from now on.
        if (dominated) {
          std::swap_ranges(asked_first, asked_first + columns, front_costs.data() + by * columns);
          std::swap(kept[first], kept[by]);
        }
      }
    }
    if (dominated) continue;
    front_costs.insert(front_costs.end(), point, point + columns);
    kept.push_back(place.point);
    for (std::size_t i = 0; i < columns; ++i) least[i] = std::min(least[i], point[i]);
  }
  return kept;
}

std::vector<std::size_t> not_dominated(const std::vector<Place>& order, std::span<const double> costs,
                                       std::size_t columns) {
  switch (columns) {
    case 2:
      return not_dominated<2>(order, costs, columns);
    case 3:
      return not_dominated<3>(order, costs, columns);
    case 4:
      return not_dominated<4>(order, costs, columns);
    default:
      return not_dominated<0>(order, costs, columns);
  }
}

// Ascending, each once.
void put_in_order(std::vector<std::size_t>& kept, std::size_t points) {
  constexpr std::size_t kFew = 64;
  if (points <= kFew) {
    std::uint64_t is_kept = 0;
    for (const std::size_t point : kept) is_kept |= std::uint64_t{1} << point;
    kept.clear();
    for (; is_kept != 0; is_kept &= is_kept - 1) {
      kept.push_back(static_cast<std::size_t>(std::countr_zero(is_kept)));
    }
    return;
  }
  std::vector<bool> is_kept(points, false);
  for (const std::size_t point : kept) is_kept[point] = true;
  kept.clear();
  for (std::size_t point = 0; point < points; ++point) {
    if (is_kept[point]) kept.push_back(point);
  }
}

std::vector<std::size_t> unordered_front(std::vector<Place> order, std::span<const double> costs,
                                         std::size_t columns, const Preference& preference) {
  SACCADE_CHECK(std::all_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); }));
  sort_equal(order, costs, columns, preference);
  return not_dominated(order, costs, columns);
}

}  // namespace

std::vector<std::size_t> front(const Eigen::MatrixXd& costs, const Preference& preference,
                               std::span<const std::size_t> keep) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = costs;
  return front(std::span(rows.data(), static_cast<std::size_t>(rows.size())),
               static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols()), preference,
               keep);
}

std::vector<Place> by_first(std::span<const double> costs, std::size_t points, std::size_t columns) {
  // With the column itself, which decides most comparisons.
  std::vector<Place> order(points);
  for (std::size_t i = 0; i < points; ++i) {
    order[i] = {columns > 0 ? costs[i * columns] : 0.0, i};
    SACCADE_CHECK(std::isfinite(order[i].first));
  }
  std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) { return a.first < b.first; });
  return order;
}

std::vector<std::size_t> front(std::span<const double> costs, std::size_t points, std::size_t columns,
                               const Preference& preference, std::span<const std::size_t> keep) {
  SACCADE_CHECK(costs.size() == points * columns);
  std::vector<std::size_t> kept =
      unordered_front(by_first(costs, points, columns), costs, columns, preference);
  kept.insert(kept.end(), keep.begin(), keep.end());
  SACCADE_CHECK(std::all_of(kept.begin(), kept.end(), [&](std::size_t point) { return point < points; }));
  put_in_order(kept, points);
  return kept;
}

std::vector<std::size_t> front(std::vector<Place> order, std::span<const double> costs, std::size_t columns,
                               const Preference& preference) {
  SACCADE_CHECK(costs.size() == order.size() * columns);
  const std::size_t points = order.size();
  std::vector<std::size_t> kept = unordered_front(std::move(order), costs, columns, preference);
  put_in_order(kept, points);
  return kept;
}

}  // namespace saccade::pareto
