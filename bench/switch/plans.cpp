#include "bench/switch/plans.hpp"

#include <set>
#include <utility>

#include "config/solvers.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

std::vector<scheduler::Plan> plans_of(const Course& course) {
  const auto solver = config::make_solver(course.config.solver);
  const auto policy = scheduler::make_policy(course.config.policy, *solver);
  std::vector<scheduler::Plan> plans;
  for (const runtime::TimelineState& state : course.config.timeline) {
    scheduler::Snapshot snapshot = state.snapshot;
    for (std::size_t task = 0; !plans.empty() && task < snapshot.tasks.size(); ++task) {
      snapshot.tasks[task].running = plans.back().tasks[task].variant;
      snapshot.tasks[task].running_rate = plans.back().tasks[task].granted;
    }
    plans.push_back(policy->decide(snapshot, {}));
  }
  return plans;
}

std::vector<Used> used_variants(const Course& course) {
  const std::vector<scheduler::Plan> plans = plans_of(course);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::vector<Used> used;
  for (std::size_t state = 0; state < plans.size(); ++state) {
    for (std::size_t task = 0; task < plans[state].tasks.size(); ++task) {
      const std::optional<std::size_t>& variant = plans[state].tasks[task].variant;
      if (!variant || !seen.emplace(task, *variant).second) continue;
      const scheduler::Task& wanted = course.config.timeline[state].snapshot.tasks[task];
      used.push_back({task, *variant, wanted.regions, wanted.profiles});
    }
  }
  return used;
}

runtime::EngineSpec spec_of(const Course& course, const Used& used) {
  runtime::EngineSpec spec = runtime::engine_spec(*used.profiles, used.variant, used.regions);
  const runtime::ProcessorConfig& processor = course.config.processors.front();
  spec.processor = processor.id;
  spec.provider = processor.provider;
  spec.device = processor.device;
  spec.graphs = processor.graphs;
  spec.block = processor.block;
  return spec;
}

Status prime(const Course& course) {
  for (const Used& used : used_variants(course)) {
    const auto loaded = course.backend->load(spec_of(course, used));
    if (!loaded) return loaded.errors();
  }
  return Done{};
}

}  // namespace saccade::bench
