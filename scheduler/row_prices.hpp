// What the rows of a decision are worth at the demanded rates: the dual prices of its linear relaxation, in
// which a task may be shared among variants, and with them what a variant would have to cost to make the plan
// better. For a caller that can make more variants (column generation; Dantzig & Wolfe 1960): a variant
// improves the relaxation only if its worth, its value less what it uses at these prices, is above that of
// the task's best variant. Whatever the prices, bound() with the worth of the best variant that could be made
// holds for every plan at the demanded rates (Geoffrion 1974).
// Values are larger where better: those of the objective, negated where it is minimised; or, where the demand
// does not fit, one for each task that is served.
// A joint limit of peak power and memories of devices are left out of what a variant that could be made
// costs, and so are the task's own limits but for those on accuracy: bounds hold then too, and are weaker.
// Order: the snapshot must be valid, without running variants. Threads: pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "ilp/choice_solver.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

enum class Priced {
  objective,  // every task at its demanded rate
  serving,    // every task at its demanded rate or off; the value is the number of tasks that are served
};

struct TaskPrices {
  std::size_t task = 0;  // of the snapshot
  double best = 0.0;     // worth of the best of its variants; Priced::serving: or of being off
  // By variant of its set: the value of one as accurate, but for what it costs. Absent where limits on
  // accuracy or an exclusion keep such a variant out.
  std::vector<std::optional<double>> value;
  // What a variant's figures take of that: its frame time by processor of the snapshot, uncorrected as in the
  // profile, its energy per frame, and its memory of the host.
  std::vector<double> per_second;
  double per_joule = 0.0;
  double per_byte = 0.0;
};

struct RowPrices {
  double capacities = 0.0;        // what all rows together are worth
  std::vector<TaskPrices> tasks;  // the active ones with a usable variant
  [[nodiscard]] double bound() const;
};

// Absent: with Priced::objective the variants do not fit even when shared; or the solver gave no prices or
// was stopped. Wants a solver whose prices are those of the relaxation over all variants
// (ilp/glpk_solver.hpp).
[[nodiscard]] std::optional<RowPrices> price_rows(const Snapshot& snapshot, Priced priced,
                                                  const ilp::ChoiceSolver& solver,
                                                  const std::function<bool()>& stop = nullptr);

}  // namespace saccade::scheduler
