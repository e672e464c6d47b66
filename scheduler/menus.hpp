// The choices, per active task with a usable variant: the costs of its variants (cost_table.hpp), those that
// pass its filters (filter.hpp), the Pareto front among them (pareto/selection.hpp), and the variants left at
// a given rate. The choice problem over them is built by ProblemBuilder (problem_builder.hpp). Costs, filters
// and fronts that several tasks have in common are computed once.
// Order: Menus(snapshot) once per decision, then any const member. The snapshot must be valid (validate())
// and outlive the menus. If the stop predicate fires during construction, stopped() is true and no other
// member may be used.
// Threads: const members from several threads.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pareto/selection.hpp"
#include "scheduler/cost_table.hpp"
#include "scheduler/filter.hpp"
#include "scheduler/question.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct Choice {                      // an active task with at least one usable variant
  std::size_t task = 0;              // index into Snapshot::tasks
  const CostTable* costs = nullptr;  // of all its variants; owned by the menus
  std::vector<std::size_t> usable;   // variants that pass the task's filters, ascending
  std::vector<std::size_t> front;    // of the usable ones, ascending
  bool energy_measured = false;      // for every usable variant
  bool memory_measured = false;
};

using Rates = std::vector<Fps>;                      // per choice
using Menu = std::vector<std::vector<std::size_t>>;  // per choice: variants to choose among

class Menus {
 public:
  explicit Menus(const Snapshot& snapshot, Stop stop = Stop()) : Menus(snapshot, std::move(stop), false) {}
  // For a snapshot that is valid_but_for_variants(): if a profile set is not sound(), sound() is false and no
  // other member may be used. Each variant is read once instead of twice.
  [[nodiscard]] static Menus checked(const Snapshot& snapshot, Stop stop) {
    return Menus(snapshot, std::move(stop), true);
  }
  Menus(const Menus&) = delete;  // choices refer to its costs
  Menus& operator=(const Menus&) = delete;

  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::vector<Choice>& choices() const { return choices_; }
  // Per task of the snapshot; empty for inactive tasks.
  [[nodiscard]] const std::vector<Filtered>& filtered() const { return filtered_; }
  // Of all variants of an active task of the snapshot.
  [[nodiscard]] const CostTable& costs_of(std::size_t task) const { return *costs_of_[task]; }

  [[nodiscard]] Rates demanded() const;

  // True if `rate` is at least the rate that min_time_share protects for this variant: the rate at which
  // the variant takes min(min_time_share, its time share at the demand).
  [[nodiscard]] bool above_time_floor(const Choice& choice, std::size_t variant, Fps rate) const;
  // The lowest rate degradation may reach: min_fps, and a rate at which min_time_share leaves a variant.
  [[nodiscard]] Fps floor(const Choice& choice) const;

  // The variants to choose among at these rates: usable, above the time floor, on the front. None for a
  // task at rate 0.
  [[nodiscard]] Menu menu(const Rates& rates) const;
  [[nodiscard]] std::vector<std::size_t> menu(const Choice& choice, Fps rate) const;
  // The same of a task above rate 0 where it is its front, which is then not copied; else null.
  [[nodiscard]] const std::vector<std::size_t>* whole_front(const Choice& choice, Fps rate) const {
    const Task& task = snapshot_.tasks[choice.task];
    const bool whole = rate > Fps(0.0) && (task.min_time_share == 0.0 || rate >= task.demand);
    return whole ? &choice.front : nullptr;
  }
  // True if some task has a min_time_share: fast variants then drop out as its rate falls.
  [[nodiscard]] bool menu_depends_on_rates() const;
  // A superset of menu(rates) for all rates: what is infeasible with it is infeasible with each of them.
  // Equal to them unless menu_depends_on_rates().
  [[nodiscard]] Menu widest_menu() const;

 private:
  Menus(const Snapshot& snapshot, Stop stop, bool check);
  using Alike = ShortVector<std::size_t, 2>;  // tasks or choices; seldom more than one
  // `same_profiles`: the earlier tasks with the same profile set.
  void filter(std::size_t task, const Alike& same_profiles);
  void add_choice(std::size_t task);
  using SameCosts = std::unordered_map<const CostTable*, Alike>;  // choices so far
  struct Points {                                                 // memory to work in
    std::vector<pareto::Point> all;
    std::vector<double> costs;
  };
  void find_front(std::size_t choice, SameCosts& same_costs, Points& points);
  [[nodiscard]] std::vector<std::size_t> on_front(const Choice& choice,
                                                  const std::vector<std::size_t>& variants,
                                                  Points& points) const;
  // `processor`: the only one that all these variants use; absent: they are compared on all.
  [[nodiscard]] std::vector<std::size_t> front_among(const Choice& choice,
                                                     const std::vector<std::size_t>& variants,
                                                     std::optional<std::size_t> processor,
                                                     Points& points) const;
  // The same for the selection `active` where only accuracy, time and these two are compared, of variants
  // of which they were measured.
  [[nodiscard]] std::vector<std::size_t> plain_front(const Choice& choice,
                                                     const std::vector<std::size_t>& variants,
                                                     std::optional<std::size_t> processor, bool energy,
                                                     bool memory, std::vector<double>& costs) const;

  const Snapshot& snapshot_;
  const bool check_;
  const bool has_equal_processors_;
  const MemoryPlaces places_;
  const std::vector<std::size_t> limited_memories_;  // places in device_memories()
  bool stopped_ = false;
  bool sound_ = true;
  std::deque<CostTable> costs_;             // a deque: pointers into it stay valid
  std::vector<const CostTable*> costs_of_;  // per task
  std::vector<Filtered> filtered_;
  std::vector<Choice> choices_;
};

// True if the task is served by another variant now, so that choosing `variant` switches it.
[[nodiscard]] bool switches(const Task& task, std::size_t variant);
// True if peak power is a limit on the sum over several processors rather than a filter of variants.
[[nodiscard]] bool has_joint_peak(const Snapshot& snapshot);

}  // namespace saccade::scheduler
