// Paper 004 III-C as a choice problem: one group per choice (menus.hpp), one option per offer, i.e. per
// variant and granted rate g; an offer at rate 0 means that the task is off, uses nothing and is worth
// nothing. Where rates are given, all offers of a task have the same rate; where rates and variants are
// decided together, a task has offers at several (exact_degradation.hpp).
// Rows: time of every processor [sum t_p g <= U_p], energy [idle + sum e g <= E_th], memory
// [sum m <= M_th] and, beyond the paper, one of every memory of a device that is limited; with several
// processors and a peak limit also the sum over processors of the largest power on each [P_th]. Beyond the
// paper: rates g may be below the demand, time is a row per processor, and ties are broken in a fixed order.
// Levels, in lexicographic order: the objective less the switch penalty; fewest switches; higher sum of
// w * relative accuracy; less energy; less memory. A task with a usable variant whose energy (memory) was
// not measured does not count in that level.
// Order: the menus must not be stopped() when a problem is built, and must outlive the builder.
// Threads: const members from several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/flat_problem.hpp"
#include "scheduler/menus.hpp"

namespace saccade::scheduler {

enum class Resource { time, energy, memory, device_memory, power };

struct Row {
  Resource resource = Resource::time;
  std::string name;        // "time:<processor>" | "energy" | "memory" | "memory:<device memory>" | "power"
  double allowed = 0.0;    // the limit as configured, SI
  double idle = 0.0;       // used before anything is chosen
  std::size_t memory = 0;  // Resource::device_memory: its place in device_memories()
};
// With the unit of the resource: "time:cpu: 1.2 s/s needed, 0.95 s/s allowed".
[[nodiscard]] std::string amount(Resource resource, double value);
// How much of a row (of the joint peak) the choices may use.
[[nodiscard]] double capacity_of(const Row& row);

struct Offer {
  std::size_t variant = 0;  // meaningless when off
  Fps rate{0.0};            // 0 = the task is off
  [[nodiscard]] bool off() const { return rate <= Fps(0.0); }
};

using Offers = std::vector<std::vector<Offer>>;  // per choice: what every option stands for
using Selection = std::vector<Offer>;            // per choice: the offer that is taken

// Every variant of the menu at its task's rate; a task at rate 0 has the single offer to be off.
[[nodiscard]] Offers offers_at(const Menu& menu, const Rates& rates);
// The same of the menu at these rates, which is not built.
[[nodiscard]] Offers offers_at(const Menus& menus, const Rates& rates);

class ProblemBuilder {
 public:
  explicit ProblemBuilder(const Menus& menus);

  [[nodiscard]] const Menus& menus() const { return menus_; }
  // The rows of every problem, in order: those of the processors first.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // The joint peak over several processors: ChoiceProblem::peak_capacity, not a row.
  [[nodiscard]] const std::optional<Row>& joint_peak() const { return joint_peak_; }

  // Offers: per choice of the menus.
  [[nodiscard]] ilp::ChoiceProblem problem(const Offers& offers) const;
  // The same problem framed, for very many offers: its frame, which has no groups, and what solvers scan of
  // it. Only if may_be_flat(): no joint peak, no equal processors, all amounts in cost tables. The offers and
  // the frame have to outlive it.
  [[nodiscard]] bool may_be_flat() const { return may_be_flat_; }
  [[nodiscard]] ilp::ChoiceProblem frame() const { return frame(kLevels); }
  [[nodiscard]] ilp::FlatProblem flat(const Offers& offers, const ilp::ChoiceProblem& frame) const;
  // The same rows with a single level of zeros: only whether anything fits.
  [[nodiscard]] ilp::ChoiceProblem feasibility(const Offers& offers) const;
  // The first level of an offer.
  [[nodiscard]] double value(const Choice& choice, const Offer& offer) const;
  // How much of one row an offer uses.
  [[nodiscard]] double use(const Choice& choice, const Offer& offer, std::size_t row) const;
  // The option of an offer, without levels.
  [[nodiscard]] ilp::Option option(const Choice& choice, const Offer& offer) const;

  // The `variants` that are not dominated in what rows and joint peak count. At any single rate they
  // suffice to decide whether anything fits.
  [[nodiscard]] std::vector<std::size_t> leanest(const Choice& choice,
                                                 const std::vector<std::size_t>& variants) const;
  [[nodiscard]] Menu leanest(const Menu& menu) const;

 private:
  static constexpr std::size_t kLevels = 5;
  using Levels = ShortVector<double, kLevels>;
  // To an option without levels.
  void add_levels(const Choice& choice, const Offer& offer, Levels& levels) const;
  [[nodiscard]] ilp::ChoiceProblem frame(std::size_t level_count) const;
  template <class AddLevels>
  [[nodiscard]] ilp::ChoiceProblem assemble(const Offers& offers, std::size_t level_count,
                                            AddLevels add) const;
  // value() and use() of an offer that is not off.
  [[nodiscard]] double value_of(const Choice& choice, const Offer& offer) const;
  [[nodiscard]] double use_of(const Choice& choice, const Offer& offer, std::size_t row) const;
  void add_device_memories();
  // Sets the uses and peaks of an empty option.
  void put(const Choice& choice, const Offer& offer, ilp::Option& option) const;
  struct Amount {  // of a row: a column of a cost table times a factor, per frame or at any rate
    std::size_t column;
    double factor;
    bool per_frame;
  };
  // Per row; if may_be_flat().
  [[nodiscard]] ShortVector<Amount, 5> amounts_in(const CostTable& costs) const;
  void add_flat(const Choice& choice, const std::vector<Offer>& offers, ilp::FlatProblem& flat) const;

  const Menus& menus_;
  const Snapshot& snapshot_;
  std::vector<Row> rows_;
  std::optional<Row> joint_peak_;
  bool may_be_flat_ = false;
  std::vector<std::vector<ilp::EqualRow>> equal_rows_;  // of processors of one kind
  double total_weight_ = 0.0;  // over all active tasks, including those without a usable variant
};

// What the picks of a problem over these offers stand for, and the inverse; absent when an offer of the
// selection is not among the offers.
[[nodiscard]] Selection taken(const Offers& offers, const ilp::Picks& picks);
[[nodiscard]] std::optional<ilp::Picks> picks_of(const Selection& selection, const Offers& offers);

// For every row the least total over all selections, each row by itself.
[[nodiscard]] std::vector<double> least_use(const ilp::ChoiceProblem& problem);
// True if some row cannot hold even by itself, or a group is empty. Much cheaper than a solve.
[[nodiscard]] bool refuted(const ilp::ChoiceProblem& problem);

// The penalty per switched task in the unit of the snapshot's objective.
[[nodiscard]] double switch_penalty(const Snapshot& snapshot);

}  // namespace saccade::scheduler
