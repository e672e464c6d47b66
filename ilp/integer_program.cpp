#include "ilp/integer_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr double kLargestRatio = 1e6;  // of an amount to the slack; beyond, nothing fits anyway

class IntegerProgramBuilder {
 public:
  IntegerProgramBuilder(const ChoiceProblem& problem, const OpenOptions& open)
      : problem_(problem), open_(open) {}

  IntegerProgram build() {
    program_.rows.push_back({});  // GLPK counts from 1
    program_.objective.push_back(0.0);
    program_.open.push_back(0);
    program_.entry_row.push_back(0);
    program_.entry_column.push_back(0);
    program_.entry_value.push_back(0.0);
    add_columns();
    add_choice_rows();
    for (std::size_t row = 0; row < problem_.capacities.size(); ++row) add_use_row(row);
    if (problem_.peak_count > 0) add_peak_rows();
    return std::move(program_);
  }

 private:
  // The objective is shifted per group (its best open option is worth 0) and scaled to ranges <= 1.
  void add_columns() {
    double range = 0.0;
    std::vector<double> best;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      double most = -std::numeric_limits<double>::infinity(), least = -most;
      for (const std::size_t option : open_[group]) {
        const double value = problem_.groups[group].options[option].levels.front();
        most = std::max(most, value);
        least = std::min(least, value);
      }
      best.push_back(most);
      range = std::max(range, most - least);
    }
    if (range > 0.0) program_.level_scale = range;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      program_.first_column.push_back(++program_.columns);
      for (const Option& option : problem_.groups[group].options) {
        const double shifted = (option.levels.front() - best[group]) / program_.level_scale;
        program_.objective.push_back(std::clamp(shifted, -kLargestRatio, kLargestRatio));
      }
      program_.columns += static_cast<int>(problem_.groups[group].options.size()) - 1;
    }
    program_.x_columns = program_.columns;
    program_.first_column.push_back(program_.columns + 1);
    program_.open.resize(program_.objective.size(), 0);
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (const std::size_t option : open_[group]) {
        program_.open[static_cast<std::size_t>(column(group, option))] = 1;
      }
    }
  }

  void add_choice_rows() {
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      const int row = add_row(true, 1.0);
      for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) add(row, column(group, i), 1.0);
    }
  }

  // Counts the use above the minimum of each group: otherwise the LP code would have to resolve small
  // differences of large numbers.
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
    const double slack = problem_.capacities[row] - least_sum;
    double scale = std::max(slack, tolerance);
    if (scale <= 0.0) scale = std::max(range_sum, std::numeric_limits<double>::min());
    const bool can_bind = range_sum > slack;
    program_.use_scale.push_back(scale);
    program_.use_row.push_back(can_bind ? add_row(false, std::max(slack + tolerance, 0.0) / scale) : 0);
    if (!can_bind) return;
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) {
        const double ratio = (problem_.groups[group].options[i].use[row] - least[group]) / scale;
        add(program_.use_row.back(), column(group, i), std::min(ratio, kLargestRatio));
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
    program_.peak_scale = capacity > 0.0 ? capacity : largest;
    const int first_y = program_.columns + 1;
    program_.columns += static_cast<int>(problem_.peak_count);
    program_.first_peak_row = static_cast<int>(program_.rows.size());
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      for (std::size_t peak = 0; peak < problem_.peak_count; ++peak) {
        const int row = add_row(false, 0.0);
        for (std::size_t i = 0; i < problem_.groups[group].options.size(); ++i) {
          const double ratio = problem_.groups[group].options[i].peak[peak] / program_.peak_scale;
          add(row, column(group, i), std::min(ratio, kLargestRatio));
        }
        add(row, first_y + static_cast<int>(peak), -1.0);
      }
    }
    const int total = add_row(false, capacity / program_.peak_scale);
    for (std::size_t peak = 0; peak < problem_.peak_count; ++peak) {
      add(total, first_y + static_cast<int>(peak), 1.0);
    }
  }

  [[nodiscard]] int column(std::size_t group, std::size_t option) const {
    return program_.first_column[group] + static_cast<int>(option);
  }
  int add_row(bool equality, double bound) {
    program_.rows.push_back({equality, bound});
    return static_cast<int>(program_.rows.size()) - 1;
  }
  void add(int row, int column, double value) {
    if (value == 0.0) return;
    program_.entry_row.push_back(row);
    program_.entry_column.push_back(column);
    program_.entry_value.push_back(value);
  }

  const ChoiceProblem& problem_;
  const OpenOptions& open_;
  IntegerProgram program_;
};

}  // namespace

IntegerProgram make_integer_program(const ChoiceProblem& problem, const OpenOptions& open) {
  return IntegerProgramBuilder(problem, open).build();
}

Multipliers multipliers_of(const ChoiceProblem& problem, const IntegerProgram& program,
                           const std::vector<double>& duals) {
  Multipliers multipliers;
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    const double dual =
        program.use_row[row] == 0 ? 0.0 : duals[static_cast<std::size_t>(program.use_row[row])];
    const double price = dual * program.level_scale / program.use_scale[row];
    multipliers.rows.push_back(std::isfinite(price) ? price : 0.0);
  }
  if (program.first_peak_row == 0) return multipliers;
  const double unit = program.level_scale / program.peak_scale;
  for (std::size_t i = 0; i < problem.groups.size() * problem.peak_count; ++i) {
    multipliers.peaks.push_back(duals[static_cast<std::size_t>(program.first_peak_row) + i] * unit);
  }
  return multipliers;
}

double peak_price_of(const ChoiceProblem& problem, const IntegerProgram& program,
                     const std::vector<double>& duals) {
  if (program.first_peak_row == 0) return 0.0;
  const std::size_t sum =
      static_cast<std::size_t>(program.first_peak_row) + problem.groups.size() * problem.peak_count;
  const double price = duals[sum] * program.level_scale / program.peak_scale;
  return std::isfinite(price) ? price : 0.0;
}

}  // namespace saccade::ilp
