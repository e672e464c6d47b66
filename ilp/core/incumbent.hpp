// The incumbent: the best feasible selection of a problem found so far, and the cutoff above which another
// one is an improvement.
// Threads: one object, one thread. Errors: the problem must be valid and outlive it.
#pragma once

#include <optional>

#include "ilp/choice_problem.hpp"
#include "ilp/core/table.hpp"

namespace saccade::ilp {

class Incumbent {
 public:
  // `gap`: relative; improvements within it are not wanted. `start`: an initial selection, ignored if
  // infeasible.
  Incumbent(const ChoiceProblem& problem, double gap, const std::optional<Picks>& start);

  // Takes a selection of the problem if it is feasible by evaluate() and better in level 0.
  void offer(Picks picks);

  [[nodiscard]] bool exists() const { return picks_.has_value(); }
  // The following need it to exist.
  [[nodiscard]] const Picks& picks() const { return *picks_; }
  [[nodiscard]] const Evaluation& evaluation() const { return evaluation_; }
  [[nodiscard]] double value() const { return evaluation_.levels.front(); }

  // The level 0 that an improvement has to exceed: better by more than rounding, and by more than the gap.
  // `step`: the smallest difference of unequal values (Table::value_step).
  [[nodiscard]] double cutoff(double step) const;
  // Whether nothing above the cutoff means that the incumbent is optimal, not merely within the gap.
  [[nodiscard]] bool optimal_at_cutoff(double step) const;

  // In units of the table, rounded down; -infinity without an incumbent.
  [[nodiscard]] double value_in(const Table& table) const;
  [[nodiscard]] double cutoff_in(const Table& table) const;

 private:
  [[nodiscard]] double magnitude() const;
  [[nodiscard]] double allowed_gap() const;
  [[nodiscard]] double least_gain(double step) const;

  const ChoiceProblem& problem_;
  const double gap_;
  std::optional<Picks> picks_;
  Evaluation evaluation_;
};

}  // namespace saccade::ilp
