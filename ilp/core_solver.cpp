#include "ilp/core_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/branching.hpp"
#include "ilp/conflict.hpp"
#include "ilp/core.hpp"
#include "ilp/core_list.hpp"
#include "ilp/core_search.hpp"
#include "ilp/count_search.hpp"
#include "ilp/glpk_solver.hpp"
#include "ilp/incumbent.hpp"
#include "ilp/refutation.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/screening.hpp"
#include "ilp/settling.hpp"
#include "ilp/sifting.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {
namespace {

constexpr std::int64_t kSearchNodes = 30'000;    // below a millisecond
constexpr std::int64_t kFewNodes = 10'000;       // with one row, where lists do better
constexpr std::int64_t kManyNodes = 20'000'000;  // with many groups, where branching does worse
constexpr std::size_t kManyGroups = 150;
constexpr std::int64_t kCountNodes = 200'000;
constexpr std::int64_t kListStates = 2'000'000;
constexpr std::int64_t kBranchNodes = 5'000;
constexpr double kBranchNanoseconds = 40e6;  // of all nodes together, by a rough estimate of one
constexpr std::size_t kManyOptions = 20'000;
constexpr std::int64_t kMostGrace = 30;  // looks at the stop after it came
constexpr std::int64_t kSettleNodes = 20'000;

// The least number that may be equal_value() to `best` from below.
double least_equal(double best) { return best - 1.01 * kTolerance * std::max(std::abs(best), kTolerance); }

class Solve {
 public:
  Solve(const FlatProblem& flat, const SolveLimits& limits, const OpenOptions& open)
      : problem_(*flat.problem), flat_(flat), limits_(limits), open_(open) {}

  ChoiceResult start_only() {
    offer_start();
    result_.limit = Limit::stop;
    ChoiceResult result = conclude();
    result.bound.reset();  // none is known
    return result;
  }

  ChoiceResult run() {
    offer_start();
    const Table table = make_table(flat_, open_, limits_.gap);
    const Estimate first = estimate(table, limits_.stop);
    // A selection that holds outweighs a refutation: that one can only be rounding then.
    const bool hopeless = first.infeasible && !best_;
    const Relaxation relaxation = hopeless ? Relaxation{} : sift(table, first.prices, limits_.stop);
    if (hopeless || (relaxation.infeasible && !best_)) {
      return refuted(table, hopeless ? first.ray : relaxation.ray);
    }
    bound_ = table.bound(relaxation.bound);
    step_ = table.value_step;
    state_prices(table, relaxation);
    const Selection base = rounded(table, relaxation);
    const Core core = find_first(table, relaxation, base);
    if (relaxation.stopped) {
      result_.limit = Limit::stop;
    } else {
      search(table, core, base);
    }
    if (proven_ && !best_) {
      result_ = {};
      result_.verdict = Verdict::infeasible;
      return std::move(result_);
    }
    if (proven_) settle_ties(table, relaxation);
    return conclude();
  }

 private:
  void offer_start() {
    if (limits_.start && feasible(problem_, *limits_.start)) offer(*limits_.start);
  }

  bool offer(Picks picks) {
    Evaluation evaluation = evaluate(problem_, picks);
    if (!evaluation.feasible) return false;
    if (best_ && evaluation.levels.front() <= evaluation_.levels.front()) return false;
    best_ = std::move(picks);
    evaluation_ = std::move(evaluation);
    return true;
  }

  ChoiceResult refuted(const Table& table, const std::vector<double>& ray) {
    std::vector<double> prices(problem_.capacities.size(), 0.0);
    for (std::size_t k = 0; k < table.rows; ++k) {
      prices[table.source[k]] = std::max(ray[k], 0.0) / table.row_scale[k];
    }
    result_.verdict = Verdict::infeasible;
    result_.conflict = find_conflict(flat_, std::move(prices));
    return std::move(result_);
  }

  // The first selection, and what fixing by it leaves. What is begun when the stop comes is ended as far as a
  // millisecond goes: a rough plan beats none.
  Core find_first(const Table& table, const Relaxation& relaxation, const Selection& base) {
    const auto pass = static_cast<std::int64_t>(1 + table.options() * (table.rows + 1));
    std::int64_t grace = 1 + std::min(kMostGrace, 150'000 / pass);
    const std::function<bool()> late = [&] { return limits_.stop && limits_.stop() && --grace < 0; };
    std::optional<Selection> first = base;
    if (!repair(table, relaxation.loss, *first, late)) first.reset();
    if (first) offer(picks_of(table, *first));
    if (!best_) {
      first = find_any(table, late);
      if (first) offer(picks_of(table, *first));
    }
    Core core = core_of(table, relaxation, known(table));
    std::optional<Selection> part = first ? part_of(core, *first) : std::nullopt;
    if (part) {
      fill(core.table, *part, late);
      offer(picks_of(table, core, *part));
    }
    return core;
  }

  // The best known in units of the table, rounded down.
  [[nodiscard]] double known(const Table& table) const {
    if (!best_) return -std::numeric_limits<double>::infinity();
    return (evaluation_.levels.front() - table.value_offset - table.value_slop) / table.value_scale;
  }

  // The value above which a selection is wanted, in units of the table: better than the best known by
  // more than rounding, or by more than the gap the caller allows.
  [[nodiscard]] double wanted(const Table& table) const {
    if (!best_) return -std::numeric_limits<double>::infinity();
    return (wanted_value() - table.value_offset - table.value_slop) / table.value_scale;
  }
  [[nodiscard]] double wanted_value() const {
    const double magnitude = std::max(std::abs(evaluation_.levels.front()), kTolerance);
    return evaluation_.levels.front() + std::max(allowed_gap(magnitude), least_gain(magnitude));
  }
  [[nodiscard]] double allowed_gap(double magnitude) const {
    return limits_.gap > kTolerance ? 0.999 * limits_.gap * magnitude : 0.0;
  }
  // Nothing is better by less, but for rounding.
  [[nodiscard]] double least_gain(double magnitude) const {
    return step_ > kTolerance * magnitude ? 0.999 * step_ : 0.01 * kTolerance * magnitude;
  }

  void search(const Table& table, const Core& core, const Selection& whole_base) {
    const Table& part = core.table;
    const Relaxation& relaxation = core.relaxation;
    const Selection base = part_of(core, whole_base).value_or(lossless(core));
    const auto still_wanted = [&] { return wanted(table) - core.fixed_value; };
    const std::function<double(const Selection&)> accept = [&](const Selection& selection) {
      offer(picks_of(table, core, selection));
      return still_wanted();
    };
    const std::function<double(const Selection&)> accept_budget = [&](const Selection& selection) {
      return relaxation.bound - accept(selection);
    };
    const bool alike = 2 * part.classes() <= part.class_of.size();  // few counts say all
    result_.limit = Limit::work;
    if (alike) {
      const SearchOutcome counted = search_counts(part, relaxation, relaxation.bound - still_wanted(),
                                                  accept_budget, limits_.stop, at_most(kCountNodes));
      count(counted.nodes, counted.limit);
    }
    if (result_.limit == Limit::work) {
      const SearchOutcome searched = search_core(part, relaxation, base, relaxation.bound - still_wanted(),
                                                 accept_budget, limits_.stop, at_most(search_nodes(part)));
      count(searched.nodes, searched.limit);
    }
    if (work_is_left() && part.rows == 1 && !alike) {
      const ListOutcome listed =
          search_list(part, relaxation, base, still_wanted(), accept, limits_.stop, at_most(kListStates));
      count(listed.states, listed.limit);
    }
    if (work_is_left()) {
      const BranchOutcome branched =
          branch(part, relaxation, still_wanted(), accept, limits_.stop, at_most(branch_nodes(part)));
      count(branched.nodes, branched.limit);
      bound_ = std::min(bound_, table.bound(branched.bound + core.fixed_value));
    }
    finish_search();
  }

  static Selection lossless(const Core& core) {
    std::vector<std::uint32_t> at;
    for (const std::uint32_t c : core.table.class_of) {
      at.push_back(least_loss(core.table, core.relaxation, c));
    }
    return selection_of(core.table, std::move(at));
  }

  // With many groups a node of the branch and bound costs as much as some thousand of this search.
  static std::int64_t search_nodes(const Table& table) {
    if (table.rows == 1) return kFewNodes;
    return table.class_of.size() > kManyGroups ? kManyNodes : kSearchNodes;
  }

  // A node costs some steps over all options of the core.
  static std::int64_t branch_nodes(const Table& table) {
    const double one = 2000.0 + 3.0 * static_cast<double>(table.options() * (table.rows + 1)) +
                       30.0 * static_cast<double>(table.class_of.size());
    return std::clamp(static_cast<std::int64_t>(kBranchNanoseconds / one), std::int64_t{20}, kBranchNodes);
  }

  void count(std::int64_t nodes, Limit limit) {
    result_.stats.nodes += nodes;
    result_.limit = limit;
  }
  [[nodiscard]] std::int64_t at_most(std::int64_t nodes) const {
    return std::min(limits_.max_nodes - result_.stats.nodes, nodes);
  }
  [[nodiscard]] bool work_is_left() const { return result_.limit == Limit::work && at_most(1) > 0; }

  void finish_search() {
    if (result_.limit != Limit::none) return;
    if (best_) bound_ = std::min(bound_, wanted_value());
    const double magnitude = best_ ? std::max(std::abs(evaluation_.levels.front()), kTolerance) : 0.0;
    proven_ = !best_ || allowed_gap(magnitude) <= least_gain(magnitude);
  }

  void state_prices(const Table& table, const Relaxation& relaxation) {
    result_.prices.assign(problem_.capacities.size(), 0.0);
    for (std::size_t k = 0; k < table.rows; ++k) {
      const double price = relaxation.prices[k] * table.value_scale / table.row_scale[k];
      if (std::isfinite(price)) result_.prices[table.source[k]] = price;
    }
  }

  // What can still match the best, as a problem of its own; options keep their order.
  void settle_ties(const Table& table, const Relaxation& relaxation) {
    const double value = evaluation_.levels.front();
    const double most =
        relaxation.bound + (table.value_offset + table.value_slop - least_equal(value)) / table.value_scale;
    ChoiceProblem core;
    core.capacities = problem_.capacities;
    core.level_count = problem_.level_count;
    core.peak_count = problem_.peak_count;
    core.peak_capacity = problem_.peak_capacity;
    std::vector<std::vector<std::uint32_t>> kept(problem_.groups.size());
    Picks start(problem_.groups.size());
    bool alone = true;
    for (std::size_t group = 0; group < kept.size(); ++group) {
      const std::uint32_t c = table.class_of[group];
      Group& reduced = core.groups.emplace_back();
      for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
        if (relaxation.loss[i] > most && table.option[i] != (*best_)[group]) continue;
        if (table.option[i] == (*best_)[group]) start[group] = kept[group].size();
        kept[group].push_back(table.option[i]);
        reduced.options.push_back(problem_.groups[group].options[table.option[i]]);
      }
      alone = alone && kept[group].size() == 1;
    }
    if (alone) return;
    Screening all;
    for (const std::vector<std::uint32_t>& options : kept) {
      std::vector<std::size_t>& open = all.open.emplace_back(options.size());
      for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    }
    const Settled settled = settle(core, all, {result_.prices, {}}, start, limits_.stop,
                                   std::min(limits_.max_nodes, kSettleNodes));
    result_.stats.settling = settled.nodes;
    result_.limit = settled.limit;
    for (std::size_t group = 0; group < kept.size(); ++group) {
      (*best_)[group] = kept[group][(*settled.picks)[group]];
    }
    evaluation_ = evaluate(problem_, *best_);
  }

  ChoiceResult conclude() {
    result_.bound = bound_;
    if (!best_) return std::move(result_);
    result_.verdict = proven_ ? Verdict::optimal : Verdict::feasible;
    result_.picks = std::move(*best_);
    result_.evaluation = std::move(evaluation_);
    const double value = result_.evaluation.levels.front();
    result_.bound = proven_ ? value : std::max(bound_, value);
    return std::move(result_);
  }

  const ChoiceProblem& problem_;
  const FlatProblem& flat_;
  const SolveLimits& limits_;
  const OpenOptions& open_;
  std::optional<Picks> best_;
  Evaluation evaluation_;
  double bound_ = std::numeric_limits<double>::infinity();
  double step_ = 0.0;  // see Table::value_step
  bool proven_ = false;
  ChoiceResult result_;
};

bool peaks_bind(const ChoiceProblem& problem, const Screening& screening) {
  if (!problem.peak_capacity || problem.peak_count == 0) return false;
  std::vector<double> most(problem.peak_count, 0.0);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    for (const std::size_t option : screening.open[group]) {
      for (std::size_t p = 0; p < most.size(); ++p) {
        most[p] = std::max(most[p], problem.groups[group].options[option].peak[p]);
      }
    }
  }
  double sum = 0.0;
  for (const double amount : most) sum += amount;
  return !holds(sum, *problem.peak_capacity);
}

}  // namespace

ChoiceResult CoreSolver::solve(const ChoiceProblem& problem, const SolveLimits& limits) const {
  const FlatProblem flat = flatten(problem);
  if (!flat.well_formed) return refused(validate(problem));
  OpenOptions open;
  if (problem.peak_capacity) {
    const Screening screening = screen(problem);
    if (screening.infeasible) {
      ChoiceResult result = infeasible_result(screening);
      if (result.culprits.empty() && !result.peak_is_culprit) result.conflict = find_conflict(flat, {});
      return result;
    }
    if (peaks_bind(problem, screening)) return GlpkSolver().solve(problem, limits);
    for (const std::vector<std::size_t>& options : screening.open) {
      open.emplace_back(options.begin(), options.end());
    }
  } else {
    FlatScreening screening = screen(flat);
    if (screening.infeasible) {
      ChoiceResult result;
      result.verdict = Verdict::infeasible;
      result.culprits = std::move(screening.culprits);
      if (result.culprits.empty()) result.conflict = find_conflict(flat, {});
      return result;
    }
    // A selection to start from outweighs a refutation: that one can only be rounding then.
    if (flat.value.size() > kManyOptions && !(limits.start && feasible(problem, *limits.start))) {
      std::vector<double> prices = find_refutation(flat, screening, limits.stop);
      if (!prices.empty()) {
        ChoiceResult result;
        result.verdict = Verdict::infeasible;
        result.conflict = find_conflict(flat, std::move(prices));
        return result;
      }
    }
    open = std::move(screening.open);
  }
  if (problem.groups.empty()) return empty_selection(problem);
  Solve solve(flat, limits, open);
  // Far from a millisecond to a first selection, a stop leaves no time for one.
  if (flat.value.size() > kManyOptions && limits.stop && limits.stop()) return solve.start_only();
  return solve.run();
}

}  // namespace saccade::ilp
