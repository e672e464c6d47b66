// One simulated run with what its policy decided: the plan in force at every state of the timeline and
// what each decision cost. Everything but the costs is the same on every machine and with any number
// of threads.
// Threads: trials of one policy object may run at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_summary.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

struct Decision {
  scheduler::Plan plan;
  std::vector<scheduler::Processor> processors;  // as the policy was told of them: corrected by what ran
  Seconds cpu{0.0};                              // of the deciding thread
};

struct SimulatedRun {
  runtime::RunSummary summary;
  std::vector<std::optional<Decision>> states;  // by state of the timeline: the last decision made in it
  std::vector<double> cpu_seconds;              // of every decision, in order
  std::string breach;                           // what did not hold although it must; empty = all did
};

[[nodiscard]] SimulatedRun simulate(runtime::RunConfig config, const scheduler::Policy& policy,
                                    Seconds duration, std::uint64_t seed,
                                    const std::optional<runtime::Neighbour>& neighbour = {});

// Nothing that was demanded had to be lowered.
[[nodiscard]] bool fits(const scheduler::Plan& plan);

// Of the plan that runs: the mean relative accuracy of the tasks that are served.
[[nodiscard]] std::optional<double> mean_accuracy(const scheduler::Plan& plan);

// Of one state of the timeline: processed (granted) / demanded per task, then the mean over the tasks.
[[nodiscard]] std::optional<double> achieved_in(const runtime::RunSummary& summary, std::size_t state);
[[nodiscard]] std::optional<double> granted_in(const runtime::RunSummary& summary, std::size_t state);

// Every task at one variant, chosen once (by index), whatever is demanded; time is shared out fairly,
// what small tasks leave is given to the others. What is deployed where nothing adapts.
[[nodiscard]] std::unique_ptr<scheduler::Policy> fixed_choice(std::vector<std::size_t> variants);

}  // namespace saccade::bench
