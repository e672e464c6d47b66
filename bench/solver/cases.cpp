#include "bench/solver/cases.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "bench/solver/snapshots.hpp"
#include "pareto/front.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/prepared_set.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

constexpr double kExact = ilp::kTolerance;
constexpr double kFine = 1e-6;
constexpr double kCoarse = 1e-4;
constexpr double kStepSeconds = 10.0;  // for the step rule, which is only compared with
constexpr double kUnhurried = 2.0;     // s, what an answer gets
constexpr double kDeadline = 0.1;      // s, what a decision gets when nothing else is configured

constexpr InstanceShape shape(std::size_t tasks, std::size_t variants, std::size_t rows,
                              double tightness = 0.5, bool filtered = true) {
  return {.groups = tasks, .options = variants, .rows = rows, .tightness = tightness, .filtered = filtered};
}
constexpr Asked kQuick{.median_ms = 0.2, .worst_ms = 5.0, .gap = kExact};
constexpr Asked kLarge{.median_ms = 10.0};
constexpr Asked kVerdict{.worst_ms = 5.0, .verdict = true};

const Case kCases[] = {
    {"standard-5", Subject::solve, Family::standard, shape(5, 60, 3), kExact, kUnhurried, kQuick},
    {"standard-10", Subject::solve, Family::standard, shape(10, 60, 3), kExact, kUnhurried, kQuick},
    {"standard-10-tight", Subject::solve, Family::standard, shape(10, 60, 3, 0.15), kExact, kUnhurried,
     kQuick},
    {"standard-10-loose", Subject::solve, Family::standard, shape(10, 60, 3, 0.85), kExact, kUnhurried,
     kQuick},
    {"unfiltered-5",
     Subject::decide,
     Family::standard,
     shape(5, 600, 3, 0.5, false),
     kExact,
     kUnhurried,
     {.median_ms = 2.0, .gap = kExact}},
    {"standard-20", Subject::solve, Family::standard, shape(20, 60, 3), kExact, kUnhurried, {}},
    {"standard-100",
     Subject::solve,
     Family::standard,
     shape(100, 60, 3),
     kFine,
     kUnhurried,
     {.median_ms = 3.0, .gap = kFine}},
    {"standard-100-coarse",
     Subject::solve,
     Family::standard,
     shape(100, 60, 3),
     kCoarse,
     kUnhurried,
     {.gap = kCoarse, .times_faster = 50.0}},
    {"standard-1000",
     Subject::solve,
     Family::standard,
     shape(1000, 60, 3),
     kFine,
     kUnhurried,
     {.median_ms = 20.0, .gap = kFine}},
    {"decision-1000", Subject::decide, Family::standard, shape(1000, 60, 3), kFine, kUnhurried, kLarge},
    {"decision-1000-new-sets", Subject::decide, Family::standard, shape(1000, 60, 3), kFine, kUnhurried,
     kLarge, true},
    {"time-only-1000",
     Subject::solve,
     Family::standard,
     shape(1000, 60, 1),
     kExact,
     kUnhurried,
     {.median_ms = 15.0, .gap = kExact}},
    {"identical-10",
     Subject::solve,
     Family::identical,
     shape(10, 60, 3),
     kFine,
     kUnhurried,
     {.worst_ms = 50.0, .gap = kFine}},
    {"identical-100",
     Subject::solve,
     Family::identical,
     shape(100, 60, 3),
     kFine,
     kUnhurried,
     {.worst_ms = 50.0, .gap = kFine}},
    {"identical-1000",
     Subject::solve,
     Family::identical,
     shape(1000, 60, 3),
     kFine,
     kUnhurried,
     {.worst_ms = 50.0, .gap = kFine}},
    {"correlated-5",
     Subject::solve,
     Family::correlated,
     shape(5, 60, 1),
     kExact,
     kUnhurried,
     {.median_ms = 50.0, .gap = kExact}},
    {"correlated-20",
     Subject::solve,
     Family::correlated,
     shape(20, 60, 1),
     kExact,
     kUnhurried,
     {.median_ms = 50.0, .gap = kExact}},
    {"correlated-100",
     Subject::solve,
     Family::correlated,
     shape(100, 60, 1),
     kExact,
     kUnhurried,
     {.median_ms = 50.0, .gap = kExact}},
    {"processors-10",
     Subject::solve,
     Family::processors,
     shape(10, 60, 5),
     kExact,
     kUnhurried,
     {.median_ms = 5.0, .worst_ms = 150.0, .gap = kExact}},
    {"equal-processors-5", Subject::solve, Family::equal_processors, shape(5, 60, 3), kExact, kUnhurried, {}},
    {"equal-processors-100",
     Subject::solve,
     Family::equal_processors,
     shape(100, 60, 3),
     kCoarse,
     kUnhurried,
     {.median_ms = 20.0, .gap = kCoarse}},
    {"decision-equal-processors-100",
     Subject::decide,
     Family::equal_processors,
     shape(100, 60, 3),
     kCoarse,
     kDeadline,
     {.median_ms = 20.0, .gap = kCoarse}},
    {"min-memory-10", Subject::solve, Family::min_memory, shape(10, 60, 3), kExact, kUnhurried, {}},
    {"infeasible-row-10", Subject::solve, Family::infeasible_row, shape(10, 60, 3), kExact, kUnhurried,
     kVerdict},
    {"infeasible-row-1000", Subject::solve, Family::infeasible_row, shape(1000, 60, 3), kExact, kUnhurried,
     kVerdict},
    {"infeasible-relaxation-10", Subject::solve, Family::infeasible_relaxation, shape(10, 60, 3), kExact,
     kUnhurried, kVerdict},
    {"infeasible-relaxation-100", Subject::solve, Family::infeasible_relaxation, shape(100, 60, 3), kExact,
     kUnhurried, kVerdict},
    {"infeasible-relaxation-1000", Subject::solve, Family::infeasible_relaxation, shape(1000, 60, 3), kExact,
     kUnhurried, kVerdict},
    {"infeasible-integer-20",
     Subject::solve,
     Family::infeasible_integer,
     shape(20, 60, 3),
     kExact,
     kDeadline,
     {.median_ms = 5.0}},
    {"degrade-5",
     Subject::lower,
     Family::elastic,
     shape(5, 60, 3),
     kExact,
     kDeadline,
     {.median_ms = 1.0, .loss = true}},
    {"degrade-20",
     Subject::lower,
     Family::elastic,
     shape(20, 60, 3),
     kExact,
     kDeadline,
     {.median_ms = 10.0, .loss = true}},
    // More work than the time limit allows, at least occasionally: an answer is at most 5 ms late.
    {"deadline-processors-10",
     Subject::solve,
     Family::processors,
     shape(10, 60, 5),
     kExact,
     0.001,
     {.worst_ms = 6.0}},
    {"deadline-standard-1000",
     Subject::solve,
     Family::standard,
     shape(1000, 60, 3),
     kExact,
     0.02,
     {.worst_ms = 25.0}},
    {"deadline-decision-1000",
     Subject::decide,
     Family::standard,
     shape(1000, 60, 3),
     kExact,
     kDeadline,
     {.worst_ms = 105.0}},
    {"deadline-degrade-100",
     Subject::lower,
     Family::elastic,
     shape(100, 60, 3),
     kExact,
     0.01,
     {.worst_ms = 15.0, .loss = true}},
    {"front-3000",
     Subject::front,
     Family::standard,
     shape(1, 3'000, 4),
     kExact,
     kUnhurried,
     {.median_ms = 2.0}},
    {"front-100000-2",
     Subject::front,
     Family::standard,
     shape(1, 100'000, 2),
     kExact,
     kUnhurried,
     {.median_ms = 60.0}},
    {"front-100000-4",
     Subject::front,
     Family::standard,
     shape(1, 100'000, 4),
     kExact,
     kUnhurried,
     {.median_ms = 60.0}},
};

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

Trial solve_trial(const Case& which, std::uint64_t seed) {
  Trial trial;
  trial.problem = make_problem(make_tables(which.family, which.shape, seed));
  trial.comparable = true;
  trial.ours = [&which, problem = *trial.problem] {
    return answer_of(product_solver(), {problem, which.gap, which.seconds});
  };
  return trial;
}

Answer answer_of(const scheduler::Plan& plan) {
  Answer answer;
  answer.gap = plan.gap;
  switch (plan.status) {
    case scheduler::PlanStatus::optimal:
      answer.verdict = ilp::Verdict::optimal;
      break;
    case scheduler::PlanStatus::feasible:
    case scheduler::PlanStatus::degraded:
      answer.verdict = ilp::Verdict::feasible;
      break;
    case scheduler::PlanStatus::infeasible:
      answer.verdict = ilp::Verdict::infeasible;
      answer.culprit = !plan.relaxations.empty();
      break;
    case scheduler::PlanStatus::unknown:
      break;
  }
  return answer;
}

scheduler::Plan decide(const scheduler::Snapshot& snapshot, double seconds) {
  return scheduler::Transprecision(product_solver()).decide(snapshot, {.stop = stop_after(seconds)});
}

// The first difference, highest class first, tasks that are off before frames.
bool loses_more(const std::vector<scheduler::ClassLoss>& a, const std::vector<scheduler::ClassLoss>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    for (const auto member : {&scheduler::ClassLoss::weight_off, &scheduler::ClassLoss::weighted_fps}) {
      if (!ilp::equal_value(a[i].*member, b[i].*member)) return a[i].*member > b[i].*member;
    }
  }
  return false;
}

// A decision; its plan is kept to be checked after the clock.
struct Decision {
  Instance instance;
  scheduler::Snapshot snapshot;
  std::vector<profiles::ProfileSet> new_sets;  // one per task, or none
  scheduler::Plan plan;
};

void look_at_plan(const Decision& decision, Answer& answer) {
  const std::vector<scheduler::Violation> violations =
      scheduler::check_plan(decision.snapshot, decision.plan);
  if (!violations.empty()) answer.note = violations.front().what;
  for (const scheduler::Assignment& task : decision.plan.tasks) {
    answer.picks.push_back(task.variant.value_or(0));
  }
}

void look_at_loss(const Decision& decision, Answer& answer) {
  look_at_plan(decision, answer);
  answer.picks.clear();
  answer.gap = decision.plan.loss_gap;
  if (decision.plan.loss_gap.value_or(1.0) <= kExact && decision.plan.gap.value_or(1.0) <= kExact) {
    answer.verdict = ilp::Verdict::optimal;
  }
  const scheduler::Plan step =
      decide(make_snapshot(decision.instance, scheduler::Degrade::step, true), kStepSeconds);
  if (loses_more(decision.plan.loss, step.loss)) answer.note = "more is lost than under the step rule";
}

Trial decide_trial(const Case& which, std::uint64_t seed) {
  const bool lowers = which.subject == Subject::lower;
  const auto decision = std::make_shared<Decision>();
  decision->instance = make_tables(which.family, which.shape, seed);
  decision->snapshot = make_snapshot(decision->instance,
                                     lowers ? scheduler::Degrade::exact : scheduler::Degrade::refuse, lowers);
  Trial trial;
  trial.problem = make_problem(decision->instance);
  trial.comparable = !lowers;  // the one-shot form weighs the classes instead of ordering them
  if (which.new_sets) {
    for (scheduler::Task& task : decision->snapshot.tasks)
      decision->new_sets.push_back(*std::exchange(task.profiles, nullptr));
  }
  trial.ours = [decision, seconds = which.seconds] {
    for (std::size_t i = 0; i < decision->new_sets.size(); ++i) {
      decision->snapshot.tasks[i].profiles = scheduler::prepare(std::move(decision->new_sets[i]));
    }
    decision->plan = decide(decision->snapshot, seconds);
    return answer_of(decision->plan);
  };
  trial.look = [decision, lowers](Answer& answer) {
    lowers ? look_at_loss(*decision, answer) : look_at_plan(*decision, answer);
  };
  return trial;
}

Trial front_trial(const Case& which, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto costs = std::make_shared<Eigen::MatrixXd>(static_cast<Eigen::Index>(which.shape.options),
                                                       static_cast<Eigen::Index>(which.shape.rows));
  for (Eigen::Index i = 0; i < costs->size(); ++i) {
    costs->data()[i] = static_cast<double>(random() >> 11U) * 0x1.0p-53;
  }
  Trial trial;
  trial.ours = [costs] {
    return Answer{pareto::front(*costs).empty() ? ilp::Verdict::unknown : ilp::Verdict::optimal, {}, 0.0};
  };
  return trial;
}

}  // namespace

std::span<const Case> cases() { return kCases; }

std::string describe(const Case& which) {
  const InstanceShape& at = which.shape;
  if (which.subject == Subject::front) {
    return number(static_cast<double>(at.options)) + " uniform points, " +
           number(static_cast<double>(at.rows)) + " measures";
  }
  std::string text = std::string(to_string(which.family)) + ", " + std::to_string(at.groups) + " x " +
                     std::to_string(at.options) + ", " + std::to_string(at.rows) +
                     (at.rows == 1 ? " limit" : " limits");
  if (at.tightness < 0.3) text += ", tight";
  if (at.tightness > 0.7) text += ", loose";
  if (which.subject == Subject::decide) text += ", whole decision";
  if (which.new_sets) text += " of new profile sets";
  if (which.subject == Subject::lower) text += ", whole decision by priority class";
  if (which.gap > kExact) text += ", to a gap of " + number(which.gap);
  if (which.seconds < kUnhurried) text += ", in " + number(which.seconds * 1e3) + " ms";
  return text;
}

std::string describe(const Asked& asked) {
  std::vector<std::string> parts;
  if (asked.gap) parts.push_back(*asked.gap <= kExact ? "exact" : "gap <= " + number(*asked.gap));
  if (asked.verdict) parts.emplace_back("verdict with culprit");
  if (asked.loss) parts.emplace_back("never loses more than step");
  if (asked.median_ms) parts.push_back("median < " + number(*asked.median_ms) + " ms");
  if (asked.worst_ms) parts.push_back("worst < " + number(*asked.worst_ms) + " ms");
  if (asked.times_faster) parts.push_back(">= " + number(*asked.times_faster) + " x plain GLPK");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

Trial make_trial(const Case& which, std::uint64_t seed) {
  switch (which.subject) {
    case Subject::solve:
      return solve_trial(which, seed);
    case Subject::decide:
    case Subject::lower:
      return decide_trial(which, seed);
    case Subject::front:
      return front_trial(which, seed);
  }
  check_failed("a subject of the enumeration", __FILE__, __LINE__);
}

}  // namespace saccade::bench
