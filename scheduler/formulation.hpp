// Paper 004 III-C as a choice problem: one group per active task that has a usable variant, one option
// per variant, for given granted rates. Rows: time of every processor [sum t_p g <= U_p], energy
// [idle + sum e g <= E_th], memory [sum m <= M_th]; with several processors and a peak limit the
// largest power per processor [P_th]. Where we differ from the paper: rates g may be below the demand,
// time is a row per processor, and ties have an order.
// Levels, in order: the objective less the switch penalty; fewest switches; higher sum of w * relative
// accuracy; less energy; less memory. A task with a usable variant that lacks energy (memory) is left
// out of that level: nothing is compared with what was not measured.
// An option stands for an offer: a variant at a rate. At rate 0 a task is off: such an option uses and
// is worth nothing. Where rates are fixed every offer of a task has the same rate; where they are
// decided together with the variants a task is offered several (exact_degradation.hpp).
// Order: Formulation(snapshot) once per decision; menu(), offers() and problem() as often as needed.
// The snapshot must be valid (validate()) and outlive the formulation. With a stop that comes
// meanwhile, the formulation is not whole: stopped() says so, and nothing else of it may be used.
// Threads: const use from several threads.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "pareto/selection.hpp"
#include "scheduler/filter.hpp"
#include "scheduler/question.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct Choice {                        // a task something is chosen for
  std::size_t task = 0;                // index into Snapshot::tasks
  std::span<const VariantCost> costs;  // of all its variants; the formulation's
  std::vector<std::size_t> usable;     // passes the task's filters, ascending
  std::vector<std::size_t> front;      // of the usable ones, ascending
  bool energy_measured = false;        // of every usable variant
  bool memory_measured = false;
};

enum class Resource { time, energy, memory, power };

struct Row {
  Resource resource = Resource::time;
  std::string name;      // "time:<processor>" | "energy" | "memory" | "power"
  double allowed = 0.0;  // as the user set it
  double idle = 0.0;     // what is used before anything is chosen
};
// "time:cpu: 1.2 needed, 0.95 allowed" needs these words.
[[nodiscard]] std::string amount(Resource resource, double value);

struct Offer {
  std::size_t variant = 0;  // means nothing when off
  Fps rate{0.0};            // 0 = the task is off
  [[nodiscard]] bool off() const { return rate <= Fps(0.0); }
};

using Rates = std::vector<Fps>;                      // per choice
using Menu = std::vector<std::vector<std::size_t>>;  // per choice: variants to choose among
using Offers = std::vector<std::vector<Offer>>;      // per choice: what every option stands for
using Selection = std::vector<Offer>;                // per choice: the one that is taken

class Formulation {
 public:
  explicit Formulation(const Snapshot& snapshot, Stop stop = Stop());
  Formulation(const Formulation&) = delete;  // choices look into it
  Formulation& operator=(const Formulation&) = delete;

  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::vector<Choice>& choices() const { return choices_; }
  // Per task of the snapshot; empty for inactive tasks.
  [[nodiscard]] const std::vector<Filtered>& filtered() const { return filtered_; }
  // Of all variants of a task of the snapshot that is active.
  [[nodiscard]] std::span<const VariantCost> costs_of(std::size_t task) const { return costs_of_[task]; }
  // The rows of every problem, in order.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // The joint peak over several processors; it is no row but ChoiceProblem's peak.
  [[nodiscard]] const std::optional<Row>& joint_peak() const { return joint_peak_; }

  [[nodiscard]] Rates demanded() const;

  // True when `rate` is not below the rate that min_time_share protects for this variant:
  // the rate at which it takes min(min_time_share, its time at the demand).
  [[nodiscard]] bool above_time_floor(const Choice& choice, std::size_t variant, Fps rate) const;
  // The lowest rate degradation may reach: min_fps, and a rate at which min_time_share leaves a variant.
  [[nodiscard]] Fps floor(const Choice& choice) const;

  // The variants to choose among at these rates: usable, above the time floor, on the front. None for
  // a task that is off.
  [[nodiscard]] Menu menu(const Rates& rates) const;
  [[nodiscard]] std::vector<std::size_t> menu(const Choice& choice, Fps rate) const;
  // True when some task has a min_time_share: then quick variants drop out as rates fall.
  [[nodiscard]] bool menu_depends_on_rates() const;
  // A menu that contains menu(rates) for every rates: what is infeasible with it is infeasible with
  // each of them. Equal to them unless menu_depends_on_rates().
  [[nodiscard]] Menu widest_menu() const;

  // Those of `variants` for which no other of them needs less of everything that a row counts. At any one
  // rate they are enough to tell whether anything fits.
  [[nodiscard]] std::vector<std::size_t> leanest(const Choice& choice,
                                                 const std::vector<std::size_t>& variants) const;
  [[nodiscard]] Menu leanest(const Menu& menu) const;

  // Every variant of the menu at its task's rate; a task at rate 0 is offered to be off.
  [[nodiscard]] static Offers offers(const Menu& menu, const Rates& rates);

  [[nodiscard]] ilp::ChoiceProblem problem(const Offers& offers) const;
  // The same rows with one level of zeros: only whether anything fits.
  [[nodiscard]] ilp::ChoiceProblem feasibility(const Offers& offers) const;
  // What an offer is worth by level 0.
  [[nodiscard]] double value(const Choice& choice, const Offer& offer) const;
  // What an offer uses of one row, and as an option; the option has no levels yet.
  [[nodiscard]] double use(const Choice& choice, const Offer& offer, std::size_t row) const;
  [[nodiscard]] ilp::Option option(const Choice& choice, const Offer& offer) const;

 private:
  [[nodiscard]] std::vector<std::size_t> on_front(const Choice& choice,
                                                  const std::vector<std::size_t>& variants) const;
  // What tasks with the same profile set have in common is computed once.
  void filter(std::size_t task, const std::vector<std::size_t>& same_profiles);
  void find_fronts(Stop& stop);
  static constexpr std::size_t kLevels = 5;
  using Levels = ShortVector<double, kLevels>;
  [[nodiscard]] Levels levels(const Choice& choice, const Offer& offer) const;
  template <class LevelsOf>
  [[nodiscard]] ilp::ChoiceProblem assemble(const Offers& offers, std::size_t level_count,
                                            LevelsOf levels_of) const;
  // Uses and peaks of an empty option.
  void put(const Choice& choice, const Offer& offer, ilp::Option& option) const;

  const Snapshot& snapshot_;
  bool stopped_ = false;
  std::deque<std::vector<VariantCost>> costs_;          // they stay where they are
  std::vector<std::span<const VariantCost>> costs_of_;  // per task
  std::vector<Filtered> filtered_;
  std::vector<Choice> choices_;
  std::vector<Row> rows_;
  std::optional<Row> joint_peak_;
  double total_weight_ = 0.0;  // over all active tasks, those that are off included
};

// What the picks of a problem over these offers stand for, and back; absent when it is not offered.
[[nodiscard]] Selection taken(const Offers& offers, const ilp::Picks& picks);
[[nodiscard]] std::optional<ilp::Picks> picks_of(const Selection& selection, const Offers& offers);

// How much of a row (of the joint peak) the choices may use.
[[nodiscard]] double capacity_of(const Row& row);

// The least total of every row over all selections, each row for itself.
[[nodiscard]] std::vector<double> least_use(const ilp::ChoiceProblem& problem);
// True when some row cannot hold even by itself, or a group is empty. Much cheaper than a solve.
[[nodiscard]] bool refuted(const ilp::ChoiceProblem& problem);

// The penalty per switched task in the unit of the snapshot's objective.
[[nodiscard]] double switch_penalty(const Snapshot& snapshot);

}  // namespace saccade::scheduler
