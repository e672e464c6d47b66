#include "bench/paper/trial.hpp"

#include <utility>

#include "base/check.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "scheduler/heuristics.hpp"

namespace saccade::bench {
namespace {

bool same_wish(const scheduler::Snapshot& a, const scheduler::Snapshot& b) {
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    if (a.tasks[i].demand != b.tasks[i].demand) return false;
  }
  return a.limits.memory == b.limits.memory && a.objective == b.objective;
}

// Decides as the policy does and keeps what was decided, by state of the timeline.
class Recorder final : public scheduler::Policy {
 public:
  Recorder(const scheduler::Policy& policy, const std::vector<runtime::TimelineState>& timeline,
           SimulatedRun& trial)
      : policy_(policy), timeline_(timeline), trial_(trial) {
    trial_.states.resize(timeline.size());
  }
  [[nodiscard]] const char* name() const override { return policy_.name(); }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override {
    const runtime::ThreadCpuClock clock;
    const TimePoint begin = clock.now();
    scheduler::Plan plan = policy_.decide(snapshot, limits);
    const Seconds cpu = to_seconds(clock.now() - begin);
    trial_.cpu_seconds.push_back(cpu.value());
    std::size_t state = state_;
    while (state < timeline_.size() && !same_wish(timeline_[state].snapshot, snapshot)) ++state;
    if (state < timeline_.size()) {
      state_ = state;
      trial_.states[state] = Decision{plan, snapshot.processors, cpu};
    }
    return plan;
  }

 private:
  const scheduler::Policy& policy_;
  const std::vector<runtime::TimelineState>& timeline_;
  SimulatedRun& trial_;
  mutable std::size_t state_ = 0;
};

class FixedChoice final : public scheduler::Policy {
 public:
  explicit FixedChoice(std::vector<std::size_t> variants)
      : variants_(std::move(variants)), shares_(make_heuristic(scheduler::PolicyKind::fair_time)) {}
  [[nodiscard]] const char* name() const override { return "fixed"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override {
    scheduler::Snapshot narrowed = snapshot;
    narrowed.heuristics.redistribute = true;
    for (std::size_t i = 0; i < narrowed.tasks.size(); ++i) {
      scheduler::Task& task = narrowed.tasks[i];
      task.excluded.assign(task.profiles->variants.size(), true);
      task.excluded[variants_[i]] = false;
    }
    return shares_->decide(narrowed, limits);
  }

 private:
  std::vector<std::size_t> variants_;
  std::unique_ptr<scheduler::Policy> shares_;
};

std::optional<double> share_in(const runtime::RunSummary& summary, std::size_t state,
                               std::int64_t runtime::SegmentFrames::*part) {
  if (state >= summary.segments.size()) return std::nullopt;  // the run ended before
  double sum = 0.0, count = 0.0;
  for (const runtime::SegmentFrames& frames : summary.segments[state].tasks) {
    if (frames.demanded == 0) continue;
    sum += static_cast<double>(frames.*part) / static_cast<double>(frames.demanded);
    count += 1.0;
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace

SimulatedRun simulate(runtime::RunConfig config, const scheduler::Policy& policy, Seconds duration,
                      std::uint64_t seed, const std::optional<runtime::Neighbour>& neighbour) {
  SimulatedRun trial;
  const std::vector<runtime::TimelineState> timeline = config.timeline;
  const Recorder recorder(policy, timeline, trial);
  auto shell = runtime::SimulatedShell::open(std::move(config), recorder,
                                             {to_duration(duration), seed, {}, neighbour}, {});
  SACCADE_CHECK(shell.ok());
  runtime::SimulationResult result = shell.value()->run();
  trial.summary = std::move(result.summary);
  if (result.breach) trial.breach = result.breach->invariant + " (" + result.breach->found + ")";
  return trial;
}

bool fits(const scheduler::Plan& plan) {
  return plan.status == scheduler::PlanStatus::optimal || plan.status == scheduler::PlanStatus::feasible;
}

std::optional<double> mean_accuracy(const scheduler::Plan& plan) {
  const scheduler::Plan* runs = scheduler::runnable(plan);
  if (runs == nullptr) return std::nullopt;
  double sum = 0.0, count = 0.0;
  for (const scheduler::Assignment& task : runs->tasks) {
    if (!task.variant) continue;
    sum += task.relative_accuracy;
    count += 1.0;
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> achieved_in(const runtime::RunSummary& summary, std::size_t state) {
  return share_in(summary, state, &runtime::SegmentFrames::processed);
}
std::optional<double> granted_in(const runtime::RunSummary& summary, std::size_t state) {
  return share_in(summary, state, &runtime::SegmentFrames::granted);
}

std::unique_ptr<scheduler::Policy> fixed_choice(std::vector<std::size_t> variants) {
  return std::make_unique<FixedChoice>(std::move(variants));
}

}  // namespace saccade::bench
