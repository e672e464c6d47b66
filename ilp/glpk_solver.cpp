#include "ilp/glpk_solver.hpp"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "ilp/certification.hpp"
#include "ilp/integer_program.hpp"
#include "ilp/screening.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr int kIterationsPerPoll = 500;
constexpr int kMostRejected = 10;                      // selections cut off before giving up
constexpr std::int64_t kGlpkCertifyNodes = 1'000'000;  // tens of milliseconds
constexpr std::int64_t kInfeasibleNodes = 20'000;      // below a millisecond

enum class Outcome { solved, infeasible, close_enough, stopped, out_of_work, failed };

// All data of one session with GLPK, owned outside the frames that a longjmp may leave: the functions from
// run() on hold only trivial locals across calls into GLPK.
struct Session {
  const ChoiceProblem& problem;
  const SolveLimits& limits;
  const IntegerProgram& program;
  int memory_limit_megabytes;
  double offset = 0.0;  // problem value = offset + level_scale * value of the program

  Outcome outcome = Outcome::failed;
  std::vector<double> duals = std::vector<double>(program.rows.size(), 0.0);       // for prices
  std::vector<double> open_duals = std::vector<double>(program.rows.size(), 0.0);  // open options only
  bool has_duals = false, has_open_duals = false;
  Picks picks = Picks(problem.groups.size());                   // GLPK's latest selection
  bool has_picks = false;                                       // ... is feasible by evaluate()
  double node_bound = std::numeric_limits<double>::infinity();  // scaled, when stopped early
  SolveStats stats{};
  std::vector<int> cut_columns = std::vector<int>(problem.groups.size() + 1);
  std::vector<double> cut_values = std::vector<double>(problem.groups.size() + 1, 1.0);
  std::int64_t iterations_left = 0;
  Outcome early = Outcome::solved;  // why the callback ended the search
  char text[200] = {};              // GLPK's output before it gave up
};

bool stop_requested(const Session& session) { return session.limits.stop && session.limits.stop(); }

// Every return code of glp_simplex() and glp_intopt().
Outcome translate(int code) {
  switch (code) {
    case 0:
      return Outcome::solved;
    case GLP_ENOPFS:
      return Outcome::infeasible;
    case GLP_ESTOP:
      return Outcome::stopped;
    case GLP_EITLIM:
    case GLP_ETMLIM:
      return Outcome::out_of_work;
    case GLP_EBADB:   // basis: wrong size
    case GLP_ESING:   // basis: singular
    case GLP_ECOND:   // basis: ill-conditioned
    case GLP_EBOUND:  // a double-bounded variable with crossed bounds
    case GLP_EFAIL:   // the solver failed
    case GLP_EOBJLL:  // objective limits, which are not set
    case GLP_EOBJUL:
    case GLP_ENODFS:  // unbounded, which a choice cannot be
    case GLP_EROOT:   // no optimal basis of the root
    case GLP_EMIPGAP:
    default:
      return Outcome::failed;
  }
}

void on_node(glp_tree* tree, void* info) {
  Session& session = *static_cast<Session*>(info);
  if (session.early != Outcome::solved) return;
  if (glp_ios_reason(tree) == GLP_IPREPRO) {
    if (session.stats.nodes >= session.limits.max_nodes) {
      session.early = Outcome::out_of_work;
    } else {
      ++session.stats.nodes;
    }
  }
  if (session.early == Outcome::solved && stop_requested(session)) session.early = Outcome::stopped;
  const int node = glp_ios_best_node(tree);
  if (session.early == Outcome::solved && session.limits.gap > kTolerance && node != 0) {
    glp_prob* lp = glp_ios_get_prob(tree);
    if (glp_mip_status(lp) == GLP_FEAS) {
      const double scale = session.program.level_scale;
      const double value = session.offset + scale * glp_mip_obj_val(lp);
      const double missing = scale * (glp_ios_node_bound(tree, node) + kGlpkTolerance - glp_mip_obj_val(lp));
      if (missing <= session.limits.gap * std::abs(value)) session.early = Outcome::close_enough;
    }
  }
  if (session.early == Outcome::solved) return;
  if (node != 0) session.node_bound = glp_ios_node_bound(tree, node);
  glp_ios_terminate(tree);
}

glp_prob* load(const IntegerProgram& program) {
  glp_prob* lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MAX);
  glp_add_rows(lp, static_cast<int>(program.rows.size()) - 1);
  for (std::size_t row = 1; row < program.rows.size(); ++row) {
    glp_set_row_bnds(lp, static_cast<int>(row), program.rows[row].equality ? GLP_FX : GLP_UP,
                     program.rows[row].bound, program.rows[row].bound);
  }
  glp_add_cols(lp, program.columns);
  for (int column = 1; column <= program.columns; ++column) {
    if (column <= program.x_columns) {
      glp_set_col_kind(lp, column, GLP_BV);
      glp_set_obj_coef(lp, column, program.objective[static_cast<std::size_t>(column)]);
    } else {
      glp_set_col_bnds(lp, column, GLP_LO, 0.0, 0.0);
    }
  }
  glp_load_matrix(lp, static_cast<int>(program.entry_value.size()) - 1, program.entry_row.data(),
                  program.entry_column.data(), program.entry_value.data());
  return lp;
}

// Dual simplex, because GLPK's primal simplex is known to cycle. In slices, to poll the stop predicate.
Outcome solve_relaxation(glp_prob* lp, Session& session) {
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.meth = GLP_DUALP;
  parameters.it_lim = kIterationsPerPoll;
  while (true) {
    if (stop_requested(session)) return Outcome::stopped;
    const Outcome outcome = translate(glp_simplex(lp, &parameters));
    if (outcome == Outcome::solved) {
      return glp_get_status(lp) == GLP_OPT ? Outcome::solved : Outcome::infeasible;
    }
    if (outcome != Outcome::out_of_work) return outcome;
    session.iterations_left -= kIterationsPerPoll;
    if (session.iterations_left <= 0) return Outcome::failed;  // cycling
  }
}

void copy_duals(glp_prob* lp, std::vector<double>& duals) {
  for (std::size_t row = 1; row < duals.size(); ++row) {
    const double dual = glp_get_row_dual(lp, static_cast<int>(row));
    duals[row] = dual > 0.0 && std::isfinite(dual) ? dual : 0.0;
  }
}

void close_columns(glp_prob* lp, const IntegerProgram& program) {
  for (int column = 1; column <= program.x_columns; ++column) {
    if (!program.open[static_cast<std::size_t>(column)]) glp_set_col_bnds(lp, column, GLP_FX, 0.0, 0.0);
  }
}

void copy_picks(glp_prob* lp, Session& session) {
  for (std::size_t group = 0; group < session.picks.size(); ++group) {
    const int first = session.program.first_column[group];
    int best = first;
    for (int column = first; column < session.program.first_column[group + 1]; ++column) {
      if (glp_mip_col_val(lp, column) > glp_mip_col_val(lp, best)) best = column;
    }
    session.picks[group] = static_cast<std::size_t>(best - first);
  }
}

// Adds the cut that excludes exactly this selection.
void cut_off_picks(glp_prob* lp, Session& session) {
  const int length = static_cast<int>(session.picks.size());
  for (int i = 1; i <= length; ++i) {
    const auto group = static_cast<std::size_t>(i - 1);
    session.cut_columns[group + 1] =
        session.program.first_column[group] + static_cast<int>(session.picks[group]);
  }
  const int row = glp_add_rows(lp, 1);
  glp_set_row_bnds(lp, row, GLP_UP, 0.0, length - 1.0);
  glp_set_mat_row(lp, row, length, session.cut_columns.data(), session.cut_values.data());
}

Outcome solve_integers(glp_prob* lp, Session& session) {
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.cb_func = on_node;
  parameters.cb_info = &session;
  parameters.tol_obj = kTolerance;
  ++session.stats.solves;
  const Outcome outcome = translate(glp_intopt(lp, &parameters));
  if (outcome != Outcome::solved && outcome != Outcome::stopped) return outcome;
  const int status = glp_mip_status(lp);
  if (status == GLP_OPT || status == GLP_FEAS) {
    copy_picks(lp, session);
    session.has_picks = evaluate(session.problem, session.picks).feasible;
    if (!session.has_picks) ++session.stats.rejected;
  }
  if (outcome == Outcome::stopped) return session.early;
  return status == GLP_NOFEAS ? Outcome::infeasible : status == GLP_OPT ? Outcome::solved : Outcome::failed;
}

Outcome run(Session& session) {
  glp_prob* lp = load(session.program);
  Outcome outcome = solve_relaxation(lp, session);
  if (outcome == Outcome::solved) {
    copy_duals(lp, session.duals);
    session.has_duals = true;
    close_columns(lp, session.program);
    outcome = solve_relaxation(lp, session);
  }
  if (outcome == Outcome::solved) {
    copy_duals(lp, session.open_duals);
    session.has_open_duals = true;
    outcome = solve_integers(lp, session);
  }
  while (outcome == Outcome::solved && !session.has_picks) {
    if (session.stats.rejected > kMostRejected) {
      outcome = Outcome::failed;
      break;
    }
    cut_off_picks(lp, session);
    outcome = solve_relaxation(lp, session);
    if (outcome == Outcome::solved) outcome = solve_integers(lp, session);
  }
  glp_delete_prob(lp);
  return outcome;
}

int keep_text(void* info, const char* text) {
  Session& session = *static_cast<Session*>(info);
  const std::size_t used = std::strlen(session.text);
  std::strncat(session.text, text, sizeof session.text - used - 1);
  return 1;  // suppresses printing
}

struct Recovery {
  std::jmp_buf frame;
};

void on_abort(void* info) { std::longjmp(static_cast<Recovery*>(info)->frame, 1); }

// GLPK aborts the process on misuse or lack of memory; the hook returns here instead.
void run_guarded(Session& session) {
  Recovery recovery;
  if (setjmp(recovery.frame) != 0) {
    session.outcome = Outcome::failed;
    session.has_picks = false;
    glp_free_env();
    return;
  }
  glp_term_out(GLP_OFF);
  glp_term_hook(keep_text, &session);
  glp_error_hook(on_abort, &recovery);
  glp_mem_limit(session.memory_limit_megabytes);
  session.outcome = run(session);
  glp_free_env();
}

// The level 0 that corresponds to 0 in the program: every group at its best open option.
double offset_of(const ChoiceProblem& problem, const OpenOptions& open) {
  double sum = 0.0;
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    double best = -std::numeric_limits<double>::infinity();
    for (const std::size_t option : open[group]) {
      best = std::max(best, problem.groups[group].options[option].levels.front());
    }
    sum += best;
  }
  return sum;
}

// The bound of the open branch-and-bound nodes, in the problem's units and with GLPK's tolerance.
double bound_of_nodes(const Session& session) {
  return session.offset + (session.node_bound + kGlpkTolerance) * session.program.level_scale;
}

Limit limit_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::solved:
    case Outcome::infeasible:
    case Outcome::close_enough:
      return Limit::none;
    case Outcome::stopped:
      return Limit::stop;
    case Outcome::out_of_work:
      return Limit::work;
    case Outcome::failed:
      return Limit::numerical;
  }
  check_failed("an outcome of the enumeration", __FILE__, __LINE__);
}

// The better one of GLPK's selection and the caller's.
std::optional<Picks> incumbent_of(const ChoiceProblem& problem, const Session& session) {
  std::optional<Picks> picks;
  if (session.has_picks) picks = session.picks;
  if (const auto& start = session.limits.start; start && feasible(problem, *start)) {
    const auto value = [&](const Picks& of) { return evaluate(problem, of).levels.front(); };
    if (!picks || value(*start) > value(*picks)) picks = start;
  }
  return picks;
}

// Proves GLPK's claim and breaks ties, as far as the work limit goes. Fills verdict, limit, bound, message.
void prove(const ChoiceProblem& problem, const OpenOptions& open, const Session& session,
           const Multipliers& multipliers, std::optional<Picks>& picks, ChoiceResult& result) {
  const bool claims_infeasible = session.outcome == Outcome::infeasible;
  if (picks) {
    const double claimed = evaluate(problem, *picks).levels.front();
    result.bound = std::min(*result.bound, claimed + 2.0 * kGlpkTolerance * session.program.level_scale *
                                                         static_cast<double>(problem.groups.size()));
  }
  const Certified certified =
      certify(problem, open, multipliers, std::move(picks),
              {session.limits.stop, claims_infeasible ? kInfeasibleNodes : kGlpkCertifyNodes});
  result.stats.certify_nodes = certified.nodes;
  picks = certified.picks;
  if (!picks && (claims_infeasible || certified.limit == Limit::none)) {
    result.verdict = Verdict::infeasible;
    result.limit = Limit::none;
    result.prices.clear();
    result.peak_price = 0.0;
    result.bound.reset();
    return;
  }
  if (session.outcome != Outcome::failed || certified.limit == Limit::none) result.limit = certified.limit;
  if (certified.best_value) {
    result.verdict = Verdict::optimal;
    result.bound = *certified.best_value;
    if (certified.limit != Limit::none) result.message = "ties are not broken";
  } else if (session.outcome == Outcome::solved) {
    result.message = "proven to the tolerance of GLPK only";
  }
}

ChoiceResult conclude(const ChoiceProblem& problem, const OpenOptions& open, const Session& session) {
  ChoiceResult result;
  result.stats = session.stats;
  result.limit = limit_of(session.outcome);
  result.message = session.text;
  std::replace(result.message.begin(), result.message.end(), '\n', ' ');
  if (session.outcome == Outcome::failed && result.message.empty()) {
    result.message = "GLPK gave no answer that plain arithmetic accepts";
  }
  if (session.has_duals) {
    result.prices = multipliers_of(problem, session.program, session.duals).rows;
    result.peak_price = peak_price_of(problem, session.program, session.duals);
  }
  Multipliers multipliers{std::vector<double>(problem.capacities.size(), 0.0), {}};
  if (session.has_open_duals) multipliers = multipliers_of(problem, session.program, session.open_duals);
  result.bound = lagrangian_bound(problem, open, multipliers);
  std::optional<Picks> picks = incumbent_of(problem, session);
  if (session.outcome == Outcome::solved || session.outcome == Outcome::failed ||
      session.outcome == Outcome::infeasible) {
    prove(problem, open, session, multipliers, picks, result);
    if (result.verdict == Verdict::infeasible) return result;
  } else if (std::isfinite(session.node_bound)) {
    result.bound = std::min(*result.bound, bound_of_nodes(session));
  }
  if (!picks) return result;
  if (result.verdict == Verdict::unknown) result.verdict = Verdict::feasible;
  result.picks = *picks;
  result.evaluation = evaluate(problem, *picks);
  result.bound = std::max(*result.bound, result.evaluation.levels.front());
  return result;
}

}  // namespace

ChoiceResult GlpkSolver::solve(const ChoiceProblem& problem, const SolveLimits& limits) const {
  if (std::string complaint = validate(problem); !complaint.empty()) return refused(std::move(complaint));
  const Screening screening = screen(problem);
  if (screening.infeasible) return infeasible_result(screening);
  if (problem.groups.empty()) return empty_selection(problem);

  const IntegerProgram program = make_integer_program(problem, screening.open);
  Session session{problem, limits, program, options_.memory_limit_megabytes};
  session.offset = offset_of(problem, screening.open);
  session.iterations_left = 100 * (static_cast<std::int64_t>(program.rows.size()) + program.columns) + 10'000;
  run_guarded(session);
  return conclude(problem, screening.open, session);
}

}  // namespace saccade::ilp
