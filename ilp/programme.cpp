#include "ilp/programme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr double kLargestRatio = 1e6;  // of an amount to what is spare; beyond, nothing fits anyway

class ProgrammeBuilder {
 public:
  ProgrammeBuilder(const ChoiceProblem& problem, const Screening& screening)
      : problem_(problem), screening_(screening) {}

  Programme build() {
    programme_.rows.push_back({});  // GLPK counts from 1
    programme_.objective.push_back(0.0);
    programme_.open.push_back(0);
    programme_.entry_row.push_back(0);
    programme_.entry_column.push_back(0);
    programme_.entry_value.push_back(0.0);
    add_columns();
    add_choice_rows();
    for (std::size_t row = 0; row < problem_.capacities.size(); ++row) add_use_row(row);
    if (problem_.peak_count > 0) add_peak_rows();
    return std::move(programme_);
  }

 private:
  // The objective is shifted per group (its best open option is worth 0) and scaled to ranges <= 1.
  void add_columns() {
    double range = 0.0;
    std::vector<double> best;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      double most = -std::numeric_limits<double>::infinity(), least = -most;
      for (const std::size_t option : screening_.open[group]) {
        const double value = problem_.groups[group].options[option].levels.front();
        most = std::max(most, value);
        least = std::min(least, value);
      }
      best.push_back(most);
      range = std::max(range, most - least);
    }
    if (range > 0.0) programme_.level_scale = range;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      programme_.first_column.push_back(++programme_.columns);
      for (const Option& option : problem_.groups[group].options) {
        const double shifted = (option.levels.front() - best[group]) / programme_.level_scale;
        programme_.objective.push_back(std::clamp(shifted, -kLargestRatio, kLargestRatio));
      }
      programme_.columns += static_cast<int>(problem_.groups[group].options.size()) - 1;
    }
    programme_.x_columns = programme_.columns;
    programme_.first_column.push_back(programme_.columns + 1);
    programme_.open.resize(programme_.objective.size(), 0);
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (const std::size_t option : screening_.open[group]) {
        programme_.open[static_cast<std::size_t>(column(group, option))] = 1;
      }
    }
  }

  void add_choice_rows() {
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      const int row = add_row(true, 1.0);
      for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) add(row, column(group, i), 1.0);
    }
  }

  // Every group uses at least its least: the row is about what comes on top. Without this the LP code
  // would have to see small differences between large numbers.
  void add_use_row(std::size_t row) {
    std::vector<double> least;
    double least_sum = 0.0, range_sum = 0.0;
    for (const Group& group : problem_.groups) {
      const auto [low, high] =
          std::minmax_element(group.options.begin(), group.options.end(),
                              [row](const Option& a, const Option& b) { return a.use[row] < b.use[row]; });
      least.push_back(low->use[row]);
      least_sum += low->use[row];
      range_sum += high->use[row] - low->use[row];
    }
    const double tolerance = kTolerance * problem_.capacities[row];
    const double spare = problem_.capacities[row] - least_sum;
    double scale = std::max(spare, tolerance);
    if (scale <= 0.0) scale = std::max(range_sum, std::numeric_limits<double>::min());
    const bool can_bind = range_sum > spare;
    programme_.use_scale.push_back(scale);
    programme_.use_row.push_back(can_bind ? add_row(false, std::max(spare + tolerance, 0.0) / scale) : 0);
    if (!can_bind) return;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) {
        const double ratio = (problem_.groups[group].options[i].use[row] - least[group]) / scale;
        add(programme_.use_row.back(), column(group, i), std::min(ratio, kLargestRatio));
      }
    }
  }

  void add_peak_rows() {
    std::vector<double> most(problem_.peak_count, 0.0);
    double largest = 0.0, sum = 0.0;
    for (const Group& group : problem_.groups) {
      for (const Option& option : group.options) {
        for (std::size_t peak = 0; peak < most.size(); ++peak)
          most[peak] = std::max(most[peak], option.peak[peak]);
      }
    }
    for (const double amount : most) {
      largest = std::max(largest, amount);
      sum += amount;
    }
    const double capacity = *problem_.peak_capacity;
    if (sum <= capacity) return;
    programme_.peak_scale = capacity > 0.0 ? capacity : largest;
    const int first_y = programme_.columns + 1;
    programme_.columns += static_cast<int>(problem_.peak_count);
    programme_.first_peak_row = static_cast<int>(programme_.rows.size());
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (std::size_t peak = 0; peak < problem_.peak_count; ++peak) {
        const int row = add_row(false, 0.0);
        for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) {
          const double ratio = problem_.groups[group].options[i].peak[peak] / programme_.peak_scale;
          add(row, column(group, i), std::min(ratio, kLargestRatio));
        }
        add(row, first_y + static_cast<int>(peak), -1.0);
      }
    }
    const int total = add_row(false, capacity / programme_.peak_scale);
    for (std::size_t peak = 0; peak < problem_.peak_count; ++peak) {
      add(total, first_y + static_cast<int>(peak), 1.0);
    }
  }

  [[nodiscard]] int column(std::size_t group, std::size_t option) const {
    return programme_.first_column[group] + static_cast<int>(option);
  }
  int add_row(bool equality, double bound) {
    programme_.rows.push_back({equality, bound});
    return static_cast<int>(programme_.rows.size()) - 1;
  }
  void add(int row, int column, double value) {
    if (value == 0.0) return;
    programme_.entry_row.push_back(row);
    programme_.entry_column.push_back(column);
    programme_.entry_value.push_back(value);
  }

  const ChoiceProblem& problem_;
  const Screening& screening_;
  Programme programme_;
};

}  // namespace

Programme make_programme(const ChoiceProblem& problem, const Screening& screening) {
  return ProgrammeBuilder(problem, screening).build();
}

Multipliers multipliers_of(const ChoiceProblem& problem, const Programme& programme,
                           const std::vector<double>& duals) {
  Multipliers multipliers;
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    const double dual =
        programme.use_row[row] == 0 ? 0.0 : duals[static_cast<std::size_t>(programme.use_row[row])];
    const double price = dual * programme.level_scale / programme.use_scale[row];
    multipliers.rows.push_back(std::isfinite(price) ? price : 0.0);
  }
  if (programme.first_peak_row == 0) return multipliers;
  const double unit = programme.level_scale / programme.peak_scale;
  for (std::size_t i = 0; i < problem.groups.size() * problem.peak_count; ++i) {
    multipliers.peaks.push_back(duals[static_cast<std::size_t>(programme.first_peak_row) + i] * unit);
  }
  return multipliers;
}

double peak_price_of(const ChoiceProblem& problem, const Programme& programme,
                     const std::vector<double>& duals) {
  if (programme.first_peak_row == 0) return 0.0;
  const std::size_t sum =
      static_cast<std::size_t>(programme.first_peak_row) + problem.groups.size() * problem.peak_count;
  const double price = duals[sum] * programme.level_scale / programme.peak_scale;
  return std::isfinite(price) ? price : 0.0;
}

}  // namespace saccade::ilp
