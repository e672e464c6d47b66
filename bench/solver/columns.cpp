#include "bench/solver/columns.hpp"

#include <algorithm>

namespace saccade::bench {

Columns columns_of(const ilp::ChoiceProblem& problem) {
  Columns columns;
  columns.groups = static_cast<int>(problem.groups.size());
  columns.rows = columns.groups + static_cast<int>(problem.capacities.size());
  columns.start.push_back(0);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    columns.first.push_back(columns.count());
    for (const ilp::Option& option : problem.groups[group].options) {
      columns.objective.push_back(option.levels.front());
      columns.row.push_back(static_cast<int>(group));
      columns.value.push_back(1.0);
      for (std::size_t row = 0; row < option.use.size(); ++row) {
        if (option.use[row] == 0.0) continue;
        columns.row.push_back(columns.groups + static_cast<int>(row));
        columns.value.push_back(option.use[row]);
      }
      columns.start.push_back(static_cast<int>(columns.row.size()));
    }
  }
  columns.first.push_back(columns.count());
  return columns;
}

ilp::Picks picks_of(const Columns& columns, const std::vector<double>& values) {
  ilp::Picks picks;
  for (std::size_t group = 0; group + 1 < columns.first.size(); ++group) {
    const auto begin = values.begin() + columns.first[group];
    const auto end = values.begin() + columns.first[group + 1];
    picks.push_back(static_cast<std::size_t>(std::max_element(begin, end) - begin));
  }
  return picks;
}

}  // namespace saccade::bench
