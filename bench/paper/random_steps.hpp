// Random demands and limits: what every contestant did at every step, on the same steps.
// Threads: run_contestants() uses the workers it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/report/plot.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::bench {

struct Contestant {
  std::string name;
  scheduler::PolicyKind kind = scheduler::PolicyKind::transprecision;
  pareto::Selection selection = pareto::Selection::active;
  scheduler::Objective objective = scheduler::Objective::max_accuracy;
  scheduler::Degrade degrade = scheduler::Degrade::exact;
  std::shared_ptr<const scheduler::Policy> policy = nullptr;  // instead of the kind's own
};

struct Step {
  bool planned = false;   // a plan of this step came into force
  bool fits = false;      // nothing had to be lowered
  bool feasible = false;  // not infeasible: no fallback
  double gap = 0.0;       // of the plan; 1 when none is known
  double achieved = 0.0;
  double granted = 0.0;            // of the ticks, those before the plan was there included
  double promised = 0.0;           // by the plan: granted rate / demand, mean over the tasks
  std::optional<double> accuracy;  // mean relative accuracy of what serves
  double time = 0.0;               // planned share of the processor
  std::optional<double> memory;    // bytes
  std::optional<double> energy;    // J/s above idle
  bool breaks_limits = false;      // any limit or floor of the step, by the frame times that were known
};

struct Outcome {
  std::vector<Step> steps;
  double achieved = 0.0;  // over the whole run
  double accuracy = 0.0;
  double delivered = 0.0;
  std::size_t switches = 0;
  std::int64_t granted = 0;
  std::int64_t lost_to_switching = 0;
  double overhead = 0.0;
  std::vector<double> load_seconds;  // of every switch, with warm-up
  std::vector<double> decide_cpu_seconds;
  std::string breach;
};

[[nodiscard]] std::vector<Outcome> run_contestants(const Context& context, const RandomRanges& ranges,
                                                   const std::vector<Contestant>& contestants);

using StepValue = std::function<std::optional<double>(const Step&)>;  // a member of Step, for one
// What `value` gives of the steps for which `counts` says yes, and its spread.
[[nodiscard]] std::vector<double> values_of(const std::vector<Step>& steps, const std::vector<bool>& counts,
                                            const StepValue& value);
[[nodiscard]] Spread spread_in(const Outcome& outcome, const std::vector<bool>& counts,
                               const StepValue& value);
// Share of the steps that count whose plan breaks a limit or a floor.
[[nodiscard]] double broken_share(const Outcome& outcome, const std::vector<bool>& counts);
[[nodiscard]] std::vector<bool> steps_that_fit(const Outcome& outcome);
[[nodiscard]] std::size_t count_of(const std::vector<bool>& flags);

struct CurveLabels {
  std::string title;
  std::string x;  // "share of the steps (%)"
  std::string y;
};
// One curve per contestant: the values of the steps that count, sorted, times `factor`.
[[nodiscard]] app::Chart sorted_chart(const CurveLabels& labels, const std::vector<Contestant>& contestants,
                                      const std::vector<Outcome>& outcomes, const std::vector<bool>& counts,
                                      const StepValue& value, double factor);

void collect_breaches(const std::vector<Contestant>& contestants, const std::vector<Outcome>& outcomes,
                      Finding& finding);
// "2000 steps of 5 s; rates 2 to 24 frames/s, ..."
[[nodiscard]] std::string ranges_words(const RandomRanges& ranges);

}  // namespace saccade::bench
