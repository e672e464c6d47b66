#include "ilp/core_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ilp/core/conflict.hpp"
#include "ilp/core/core.hpp"
#include "ilp/core/core_search.hpp"
#include "ilp/core/farkas_search.hpp"
#include "ilp/core/incumbent.hpp"
#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/packing.hpp"
#include "ilp/core/peak_cases.hpp"
#include "ilp/core/row_merging.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/sifting.hpp"
#include "ilp/core/table.hpp"
#include "ilp/core/tie_breaking.hpp"
#include "ilp/glpk_solver.hpp"
#include "ilp/screening.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kManyOptions = 20'000;
constexpr std::int64_t kMostGrace = 30;  // polls after a stop, until a first selection has to be complete
constexpr std::int64_t kGracePasses = 150'000;  // option amounts read in that time, below a millisecond
constexpr std::int64_t kCertifyNodes = 20'000;
constexpr double kMergedGap = 0.25;  // of the gap asked for: what merged problems are solved to
constexpr double kPackedGap = 1e-4;
constexpr std::size_t kFewGroups = 20;
// Shares of the merged capacities, tried in turn.
constexpr double kLeftFree[] = {0.0, 2e-5, 2e-4, 2e-3, 2e-2};

bool stop_requested(const SolveLimits& limits) { return limits.stop && limits.stop(); }

bool peaks_bind(const ChoiceProblem& problem, const OpenOptions& open) {
  if (!problem.peak_capacity || problem.peak_count == 0) return false;
  std::vector<double> most(problem.peak_count, 0.0);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    for (const std::size_t option : open[group]) {
      for (std::size_t p = 0; p < most.size(); ++p) {
        most[p] = std::max(most[p], problem.groups[group].options[option].peak[p]);
      }
    }
  }
  double sum = 0.0;
  for (const double amount : most) sum += amount;
  return !holds(sum, *problem.peak_capacity);
}

// `prices`: of a Farkas certificate; empty = screening found the problem infeasible.
ChoiceResult infeasible(const FlatProblem& flat, const Screening& screening, std::vector<double> prices) {
  ChoiceResult result = infeasible_result(screening);
  if (result.culprits.empty() && !result.peak_is_culprit) {
    result.conflict = find_conflict(flat, screening, std::move(prices));
  }
  return result;
}

// Prices of the table's rows as prices of the problem's.
std::vector<double> problem_prices(const FlatProblem& flat, const Table& table,
                                   const std::vector<double>& prices, double value_scale) {
  std::vector<double> result(flat.rows, 0.0);
  for (std::size_t k = 0; k < table.rows; ++k) {
    result[table.source[k]] = std::max(prices[k], 0.0) * value_scale / table.row_scale[k];
  }
  return result;
}

std::vector<double> duals_of(const FlatProblem& flat, const Table& table, const LpRelaxation& relaxation) {
  std::vector<double> duals = problem_prices(flat, table, relaxation.prices, table.value_scale);
  for (double& dual : duals) {
    if (!std::isfinite(dual)) dual = 0.0;
  }
  return duals;
}

// A feasible selection outweighs a proof of infeasibility, which can only be rounding then.
LpRelaxation solve_relaxation(const Table& table, bool has_selection, const std::function<bool()>& stop) {
  SamplePrices sampled = sample_prices(table, stop);
  LpRelaxation relaxation;
  if (sampled.infeasible && !has_selection) {
    relaxation.farkas = std::move(sampled.farkas);
    relaxation.infeasible = true;
  } else {
    relaxation = sift(table, std::move(sampled.prices), stop);
    relaxation.infeasible = relaxation.infeasible && !has_selection;
  }
  return relaxation;
}

// A first incumbent from the rounded LP solution, and the core that fixing by it leaves. Work begun before a
// stop is completed if that takes less than a millisecond: a rough plan beats none.
Core find_first(const Table& table, const LpRelaxation& relaxation, const Selection& base,
                const std::function<bool()>& stop, Incumbent& incumbent) {
  const auto pass = static_cast<std::int64_t>(1 + table.options() * (table.rows + 1));
  std::int64_t grace = 1 + std::min(kMostGrace, kGracePasses / pass);
  const std::function<bool()> late = [&] { return stop && stop() && --grace < 0; };
  Selection first = base;
  const bool repaired = repair(table, relaxation.reduced_cost, first, late);
  if (repaired) incumbent.offer(picks_of(table, first));
  Core core = fix_by_reduced_cost(table, relaxation, incumbent.value_in(table));
  std::optional<Selection> part = repaired ? restrict_to(core, first) : std::nullopt;
  if (part) {
    improve(core.table, *part, late);
    incumbent.offer(picks_of(table, core, *part));
  }
  return core;
}

ChoiceResult result_of(const Incumbent& incumbent, double bound, bool proven) {
  ChoiceResult result;
  result.bound = bound;
  if (!incumbent.exists()) return result;
  result.verdict = proven ? Verdict::optimal : Verdict::feasible;
  result.picks = incumbent.picks();
  result.evaluation = incumbent.evaluation();
  result.bound = proven ? incumbent.value() : std::max(bound, incumbent.value());
  return result;
}

ChoiceResult start_only(const Incumbent& incumbent) {
  ChoiceResult result = result_of(incumbent, 0.0, false);
  result.bound.reset();
  result.limit = Limit::stop;
  return result;
}

void break_ties_of(const FlatProblem& flat, const Table& table, const LpRelaxation& relaxation,
                   const Incumbent& incumbent, const SolveLimits& limits, ChoiceResult& result) {
  Certified certified = break_ties(flat, table, relaxation, result.prices, incumbent,
                                   {limits.stop, std::min(limits.max_nodes, kCertifyNodes)});
  result.stats.certify_nodes = certified.nodes;
  result.limit = certified.limit;
  if (*certified.picks == result.picks) return;
  result.picks = std::move(*certified.picks);
  result.evaluation = evaluate(flat, result.picks);
  result.bound = result.evaluation.levels.front();
}

// What the problem with equal rows merged proves.
struct Merged {
  double bound = kInfinite;  // on level 0
  std::vector<double> prices;
};

// Selections of the merged problem, packed: offered to the incumbent. Where one does not pack, a little of
// the merged capacities is left free.
Merged solve_merged(const ChoiceProblem& problem, const OpenOptions& open, const SolveLimits& limits,
                    Incumbent& incumbent) {
  Merged outcome;
  std::optional<MergedRows> merged = merge_rows(problem, open);
  if (!merged) return outcome;
  const std::vector<double> whole = merged->problem.capacities;
  SolveLimits closer = limits;
  closer.gap = std::max(kTolerance, kMergedGap * limits.gap);
  closer.start.reset();
  for (const double share : kLeftFree) {
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const bool equal = merged->source[k].row_class != MergedRows::kOwn;
      merged->problem.capacities[k] = equal ? whole[k] * (1.0 - share) : whole[k];
    }
    const ChoiceResult result = CoreSolver().solve(merged->problem, closer);
    if (share == 0.0) {
      outcome.bound = result.bound.value_or(kInfinite);
      outcome.prices = merged->prices_of(problem, result.prices);
    }
    if (result.picks.empty()) break;
    const std::optional<Picks> packed = pack(problem, *merged, result.picks);
    if (packed) incumbent.offer(*packed);
    if (packed || stop_requested(limits)) break;
  }
  return outcome;
}

// Whether the incumbent and the merged bound are all that is asked for, or all that can be had: closer than
// kPackedGap, branching on rows that stand for each other takes too long for many groups.
std::optional<ChoiceResult> packed_result(const ChoiceProblem& problem, const Merged& merged,
                                          const Incumbent& incumbent, const SolveLimits& limits) {
  if (!incumbent.exists() || limits.gap <= kTolerance || merged.bound == kInfinite) return std::nullopt;
  ChoiceResult result = result_of(incumbent, merged.bound, false);
  const double gap = *result.gap();
  const bool many = problem.groups.size() > kFewGroups;
  if (gap > limits.gap && !(many && gap <= kPackedGap)) return std::nullopt;
  if (gap <= kTolerance) result.verdict = Verdict::optimal;
  if (gap > limits.gap) result.limit = Limit::work;
  result.prices = merged.prices;
  return result;
}

ChoiceResult reduce_and_search(const FlatProblem& flat, const Screening& screening, const Merged& merged,
                               Incumbent& incumbent, const SolveLimits& limits) {
  const Table table = make_table(flat, screening.open, limits.gap);
  const LpRelaxation relaxation = solve_relaxation(table, incumbent.exists(), limits.stop);
  if (relaxation.infeasible) {
    return infeasible(flat, screening, problem_prices(flat, table, relaxation.farkas, 1.0));
  }
  const Selection base = round_lp(table, relaxation);
  const Core core = find_first(table, relaxation, base, limits.stop, incumbent);
  CoreOutcome searched;
  searched.limit = Limit::stop;
  if (incumbent.exists() && merged.bound <= incumbent.cutoff(table.value_step)) {
    searched.limit = Limit::none;  // nothing is left to search for
  } else if (!relaxation.stopped) {
    searched = search_core(table, core, base, incumbent, {limits.stop, limits.max_nodes});
  }
  const bool exhausted = searched.limit == Limit::none;
  if (exhausted && !incumbent.exists()) return infeasible_result(screening);

  double bound = std::min({table.bound(relaxation.bound), searched.bound, merged.bound});
  if (exhausted) bound = std::min(bound, incumbent.cutoff(table.value_step));
  const bool proven = exhausted && incumbent.optimal_at_cutoff(table.value_step);
  ChoiceResult result = result_of(incumbent, bound, proven);
  result.limit = searched.limit;
  result.stats.nodes = searched.nodes;
  result.prices = duals_of(flat, table, relaxation);
  if (proven) break_ties_of(flat, table, relaxation, incumbent, limits, result);
  return result;
}

// The best of what is known of a problem whose peak is decided by cases.
class BestOfCases {
 public:
  BestOfCases(const ChoiceProblem& problem, const std::optional<Picks>& start) : problem_(problem) {
    if (start && feasible(problem, *start)) offer(*start);
  }

  [[nodiscard]] const Picks& picks() const { return result_.picks; }
  void stopped() {  // before all cases were solved
    bound_ = kInfinite;
    if (result_.limit == Limit::none) result_.limit = Limit::stop;
  }
  void add(const PeakCase& part, const ChoiceResult& of_case) {
    result_.stats.solves += of_case.stats.solves;
    result_.stats.nodes += of_case.stats.nodes;
    result_.stats.certify_nodes += of_case.stats.certify_nodes;
    if (result_.limit == Limit::none) result_.limit = of_case.limit;
    if (of_case.verdict == Verdict::infeasible) return;
    bound_ = std::max(bound_, of_case.bound.value_or(kInfinite));
    if (!of_case.picks.empty()) offer(part.picks_of(of_case.picks));
  }
  // Without prices. Infeasible where every case is.
  [[nodiscard]] ChoiceResult result(const Screening& screening) && {
    if (result_.picks.empty() && bound_ == -kInfinite) return infeasible_result(screening);
    if (bound_ < kInfinite) result_.bound = bound_;
    if (result_.picks.empty()) return std::move(result_);
    const double value = result_.evaluation.levels.front();
    if (result_.bound) result_.bound = std::max(*result_.bound, value);
    const bool proven = result_.bound && equal_value(*result_.bound, value);
    result_.verdict = proven ? Verdict::optimal : Verdict::feasible;
    return std::move(result_);
  }

 private:
  void offer(const Picks& picks) {
    Evaluation evaluation = evaluate(problem_, picks);
    if (!result_.picks.empty()) {
      const double value = evaluation.levels.front();
      const double best = result_.evaluation.levels.front();
      const bool preferred = equal_value(value, best)
                                 ? better(evaluation, picks, result_.evaluation, result_.picks)
                                 : value > best;
      if (!preferred) return;
    }
    result_.picks = picks;
    result_.evaluation = std::move(evaluation);
  }

  const ChoiceProblem& problem_;
  ChoiceResult result_;
  double bound_ = -kInfinite;
};

ChoiceResult solve_by_cases(const ChoiceProblem& problem, const Screening& screening,
                            const std::vector<PeakCaps>& cases, const SolveLimits& limits) {
  BestOfCases best(problem, limits.start);
  for (const PeakCaps& caps : cases) {
    if (stop_requested(limits) && !best.picks().empty()) {
      best.stopped();
      break;
    }
    const PeakCase part = peak_case(problem, screening.open, caps);
    SolveLimits of_case = limits;
    of_case.start = part.case_of(best.picks());
    best.add(part, CoreSolver().solve(part.problem, of_case));
  }
  ChoiceResult result = std::move(best).result(screening);
  if (result.picks.empty() || stop_requested(limits)) return result;
  // Prices are those of the whole problem's LP relaxation.
  const ChoiceResult relaxed = GlpkSolver().solve(problem, {limits.stop, 0});
  result.prices = relaxed.prices;
  result.peak_price = relaxed.peak_price;
  return result;
}

// Of a problem that is well formed; of a framed one without peaks and equal rows.
ChoiceResult solve_flat(const FlatProblem& flat, const SolveLimits& limits) {
  const ChoiceProblem& problem = *flat.problem;
  const Screening screening = screen(flat);
  if (screening.infeasible) return infeasible(flat, screening, {});
  if (peaks_bind(problem, screening.open)) {
    const auto cases = peak_cases(problem, screening.open);
    return cases ? solve_by_cases(problem, screening, *cases, limits) : GlpkSolver().solve(problem, limits);
  }
  if (flat.groups() == 0) return empty_selection(problem);
  Incumbent incumbent(flat, limits.gap, limits.start);
  const bool large = flat.value.size() > kManyOptions;
  if (large && !problem.peak_capacity && !incumbent.exists()) {
    std::vector<double> prices = find_farkas_certificate(flat, screening, limits.stop);
    if (!prices.empty()) return infeasible(flat, screening, std::move(prices));
  }
  // A first selection of a large problem takes more than a millisecond: too long once stopped.
  if (large && stop_requested(limits)) return start_only(incumbent);
  Merged merged;
  if (!problem.equal_rows.empty()) {
    merged = solve_merged(problem, screening.open, limits, incumbent);
    if (auto packed = packed_result(problem, merged, incumbent, limits)) return *std::move(packed);
  }
  return reduce_and_search(flat, screening, merged, incumbent, limits);
}

}  // namespace

ChoiceResult CoreSolver::solve(const ChoiceProblem& problem, const SolveLimits& limits) const {
  const FlatProblem flat = flatten(problem);
  if (!flat.well_formed) return refused(validate(problem));
  return solve_flat(flat, limits);
}

ChoiceResult CoreSolver::solve_framed(const FlatProblem& flat, const SolveLimits& limits) const {
  const ChoiceProblem& frame = *flat.problem;
  const bool direct = flat.framed() && flat.groups() > 0 && frame.peak_count == 0 && !frame.peak_capacity &&
                      frame.equal_rows.empty() && flat_well_formed(flat);
  return direct ? solve_flat(flat, limits) : solve(whole(flat), limits);
}

}  // namespace saccade::ilp
