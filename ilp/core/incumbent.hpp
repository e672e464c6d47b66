// The incumbent: the best feasible selection of a problem found so far, and the cutoff above which another
// one is an improvement.
// Threads: one object, one thread. Errors: the problem must be well formed and outlive it.
#pragma once

#include <optional>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/core/table.hpp"
#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

class Incumbent {
 public:
  // `gap`: relative; improvements within it are not wanted. `start`: an initial selection, ignored if
  // infeasible.
  Incumbent(const FlatProblem& flat, double gap, const std::optional<Picks>& start);

  // Takes a selection of the problem if it is feasible by evaluate() and better in level 0.
  void offer(Picks picks);

  [[nodiscard]] bool exists() const { return picks_.has_value(); }
  // The following need it to exist.
  [[nodiscard]] const Picks& picks() const { return *picks_; }
  [[nodiscard]] Evaluation evaluation() const { return evaluate(flat_, *picks_); }
  [[nodiscard]] double value() const { return value_; }

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

  struct Sums {  // the first level and the verdict of evaluate(), from the flat arrays
    double value = 0.0;
    bool feasible = false;
  };
  [[nodiscard]] Sums sums_of(const Picks& picks);

  const FlatProblem& flat_;
  const double gap_;
  std::optional<Picks> picks_;
  double value_ = 0.0;
  std::vector<double> used_;  // memory to work in
};

}  // namespace saccade::ilp
