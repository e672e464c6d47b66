#include "ilp/core/selection.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr double kLeastCost = 1e-9;  // so that changes at no cost are compared by the violation they remove

void change(const Table& table, Selection& selection, std::size_t group, std::uint32_t to) {
  const double* before = table.use_of(selection.option[group]);
  const double* after = table.use_of(to);
  for (std::size_t k = 0; k < table.rows; ++k) selection.slack[k] += before[k] - after[k];
  selection.option[group] = to;
}

double violation_of(const std::vector<double>& slack) {
  double sum = 0.0;
  for (const double amount : slack) sum += std::max(-amount, 0.0);
  return sum;
}

// Visits (group, option) once per class and option selected: identical groups offer identical changes.
template <class Visit>
void each_change(const Table& table, const Selection& selection, std::vector<std::uint32_t>& seen,
                 Visit visit) {
  seen.assign(table.options(), 0);
  for (std::size_t group = 0; group < selection.option.size(); ++group) {
    const std::uint32_t at = selection.option[group];
    if (seen[at] != 0) continue;
    seen[at] = 1;
    const std::uint32_t c = table.class_of[group];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      if (i != at) visit(group, i);
    }
  }
}

}  // namespace

Selection selection_of(const Table& table, std::vector<std::uint32_t> option) {
  Selection selection{std::move(option), table.capacity};
  for (const std::uint32_t i : selection.option) {
    for (std::size_t k = 0; k < table.rows; ++k) selection.slack[k] -= table.use_of(i)[k];
  }
  return selection;
}

Selection distribute(const Table& table, Counts counts) {
  std::vector<std::uint32_t> at(table.class_of.size());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    std::sort(counts[c].begin(), counts[c].end());
    std::size_t member = 0;
    for (const auto& [option, count] : counts[c]) {
      for (std::uint32_t i = 0; i < count; ++i) at[table.members[c][member++]] = option;
    }
  }
  return selection_of(table, std::move(at));
}

Selection round_lp(const Table& table, const LpRelaxation& relaxation) {
  return distribute(table, relaxation.counts);
}

bool is_feasible(const Selection& selection) {
  return std::all_of(selection.slack.begin(), selection.slack.end(),
                     [](double amount) { return amount >= -kSlackTolerance; });
}

std::uint32_t least_reduced_cost(const Table& table, const LpRelaxation& relaxation,
                                 std::uint32_t group_class) {
  const double* reduced_cost = relaxation.reduced_cost.data();
  return static_cast<std::uint32_t>(
      std::min_element(reduced_cost + table.first[group_class], reduced_cost + table.first[group_class + 1]) -
      reduced_cost);
}

bool repair(const Table& table, const std::vector<double>& reduced_cost, Selection& selection,
            const std::function<bool()>& stop) {
  std::vector<std::uint32_t> seen;
  double violation = violation_of(selection.slack);
  while (!is_feasible(selection)) {
    if (stop && stop()) return false;
    double best_score = std::numeric_limits<double>::infinity();
    double most_cost = best_score;  // at it no change has a better score: none removes more than all of it
    std::size_t best_group = 0;
    std::uint32_t best = 0;
    each_change(table, selection, seen, [&](std::size_t group, std::uint32_t i) {
      const double cost =
          reduced_cost.empty() ? 0.0 : std::max(reduced_cost[i] - reduced_cost[selection.option[group]], 0.0);
      if (cost + kLeastCost >= most_cost) return;
      const double* before = table.use_of(selection.option[group]);
      const double* after = table.use_of(i);
      double left = 0.0;
      for (std::size_t k = 0; k < table.rows; ++k) {
        left += std::max(after[k] - before[k] - selection.slack[k], 0.0);
      }
      const double removed = violation - left;
      if (removed <= kSlackTolerance) return;
      const double score = (cost + kLeastCost) / removed;
      if (score >= best_score) return;
      best_score = score;
      most_cost = best_score * violation * (1.0 + kRounding);
      best_group = group;
      best = i;
    });
    if (best_score == std::numeric_limits<double>::infinity()) return false;
    change(table, selection, best_group, best);
    violation = violation_of(selection.slack);
  }
  return true;
}

void improve(const Table& table, Selection& selection, const std::function<bool()>& stop) {
  std::vector<std::uint32_t> seen;
  while (!(stop && stop())) {
    double best_gain = kRounding;
    std::size_t best_group = 0;
    std::uint32_t best = 0;
    each_change(table, selection, seen, [&](std::size_t group, std::uint32_t i) {
      const double gain = table.value[i] - table.value[selection.option[group]];
      if (gain <= best_gain) return;
      const double* before = table.use_of(selection.option[group]);
      const double* after = table.use_of(i);
      for (std::size_t k = 0; k < table.rows; ++k) {
        if (after[k] - before[k] > selection.slack[k]) return;
      }
      best_gain = gain;
      best_group = group;
      best = i;
    });
    if (best_gain <= kRounding) return;
    change(table, selection, best_group, best);
  }
}

Picks picks_of(const Table& table, const Selection& selection) {
  Picks picks(selection.option.size());
  for (std::size_t group = 0; group < picks.size(); ++group)
    picks[group] = table.option[selection.option[group]];
  return picks;
}

}  // namespace saccade::ilp
