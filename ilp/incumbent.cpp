#include "ilp/incumbent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr int kRounds = 12;          // of the first phase
constexpr double kHair = 1e-12;      // violation that is rounding
constexpr double kLeastLoss = 1e-9;  // so that free changes are compared by what they remove

void change(const Table& table, Selection& selection, std::size_t group, std::uint32_t to) {
  const double* before = table.use_of(selection.at[group]);
  const double* after = table.use_of(to);
  for (std::size_t k = 0; k < table.rows; ++k) selection.spare[k] += before[k] - after[k];
  selection.at[group] = to;
}

double violation_of(const std::vector<double>& spare) {
  double sum = 0.0;
  for (const double amount : spare) sum += std::max(-amount, 0.0);
  return sum;
}

// Visits (group, option) once per class and option now picked: equal groups offer equal changes.
template <class Visit>
void each_change(const Table& table, const Selection& selection, std::vector<std::uint32_t>& seen,
                 Visit visit) {
  seen.assign(table.options(), 0);
  for (std::size_t group = 0; group < selection.at.size(); ++group) {
    const std::uint32_t at = selection.at[group];
    if (seen[at] != 0) continue;
    seen[at] = 1;
    const std::uint32_t c = table.class_of[group];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      if (i != at) visit(group, i);
    }
  }
}

}  // namespace

Selection selection_of(const Table& table, std::vector<std::uint32_t> at) {
  Selection selection{std::move(at), table.capacity};
  for (const std::uint32_t i : selection.at) {
    for (std::size_t k = 0; k < table.rows; ++k) selection.spare[k] -= table.use_of(i)[k];
  }
  return selection;
}

Selection handed_out(const Table& table, Counts counts) {
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

Selection rounded(const Table& table, const Relaxation& relaxation) {
  return handed_out(table, relaxation.counts);
}

bool holds(const Selection& selection) {
  return std::all_of(selection.spare.begin(), selection.spare.end(),
                     [](double amount) { return amount >= -kHair; });
}

std::uint32_t least_loss(const Table& table, const Relaxation& relaxation, std::uint32_t group_class) {
  const double* loss = relaxation.loss.data();
  return static_cast<std::uint32_t>(
      std::min_element(loss + table.first[group_class], loss + table.first[group_class + 1]) - loss);
}

bool repair(const Table& table, const std::vector<double>& loss, Selection& selection,
            const std::function<bool()>& stop) {
  std::vector<std::uint32_t> seen;
  double violation = violation_of(selection.spare);
  while (!holds(selection)) {
    if (stop && stop()) return false;
    double best_score = std::numeric_limits<double>::infinity();
    std::size_t best_group = 0;
    std::uint32_t best = 0;
    each_change(table, selection, seen, [&](std::size_t group, std::uint32_t i) {
      const double* before = table.use_of(selection.at[group]);
      const double* after = table.use_of(i);
      double left = 0.0;
      for (std::size_t k = 0; k < table.rows; ++k) {
        left += std::max(after[k] - before[k] - selection.spare[k], 0.0);
      }
      const double removed = violation - left;
      if (removed <= kHair) return;
      const double cost = loss.empty() ? 0.0 : std::max(loss[i] - loss[selection.at[group]], 0.0);
      const double score = (cost + kLeastLoss) / removed;
      if (score >= best_score) return;
      best_score = score;
      best_group = group;
      best = i;
    });
    if (best_score == std::numeric_limits<double>::infinity()) return false;
    change(table, selection, best_group, best);
    violation = violation_of(selection.spare);
  }
  return true;
}

void fill(const Table& table, Selection& selection, const std::function<bool()>& stop) {
  std::vector<std::uint32_t> seen;
  while (!(stop && stop())) {
    double best_gain = 1e-12;
    std::size_t best_group = 0;
    std::uint32_t best = 0;
    each_change(table, selection, seen, [&](std::size_t group, std::uint32_t i) {
      const double gain = table.value[i] - table.value[selection.at[group]];
      if (gain <= best_gain) return;
      const double* before = table.use_of(selection.at[group]);
      const double* after = table.use_of(i);
      for (std::size_t k = 0; k < table.rows; ++k) {
        if (after[k] - before[k] > selection.spare[k]) return;
      }
      best_gain = gain;
      best_group = group;
      best = i;
    });
    if (best_gain <= 1e-12) return;
    change(table, selection, best_group, best);
  }
}

std::optional<Selection> find_any(const Table& table, const std::function<bool()>& stop) {
  std::vector<double> price(table.rows, 1.0);
  for (int round = 0; round < kRounds; ++round) {
    if (stop && stop()) return std::nullopt;
    std::vector<std::uint32_t> at(table.class_of.size());
    for (std::size_t c = 0; c < table.classes(); ++c) {
      std::uint32_t best = table.first[c];
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
        double cost = 0.0;
        for (std::size_t k = 0; k < table.rows; ++k) cost += price[k] * table.use_of(i)[k];
        if (cost < least) {
          least = cost;
          best = i;
        }
      }
      for (const std::uint32_t group : table.members[c]) at[group] = best;
    }
    Selection selection = selection_of(table, std::move(at));
    const std::vector<double> spare = selection.spare;
    if (repair(table, {}, selection, stop)) return selection;
    for (std::size_t k = 0; k < table.rows; ++k) {
      const double share = spare[k] / table.capacity[k];  // below 0: violated
      price[k] *= std::exp(std::clamp(-share, -1.0, 1.0) / (1.0 + 0.3 * round));
    }
  }
  return std::nullopt;
}

Picks picks_of(const Table& table, const Selection& selection) {
  Picks picks(selection.at.size());
  for (std::size_t group = 0; group < picks.size(); ++group) picks[group] = table.option[selection.at[group]];
  return picks;
}

}  // namespace saccade::ilp
