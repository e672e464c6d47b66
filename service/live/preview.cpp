#include "service/live/preview.hpp"

#include <algorithm>

#include "runtime/frames/decoding_load.hpp"

namespace saccade::service {
namespace {

// Whether the task goes on with what runs under its id, as runtime/run/task_roster.hpp decides.
bool goes_on(const runtime::TaskOutline& running, const runtime::TaskConfig& config,
             const scheduler::Task& task) {
  return running.id == task.id && running.regions == config.regions &&
         (running.profiles == task.profiles || *running.profiles == *task.profiles);
}

bool same_source(const runtime::RunConfig& now, const runtime::TaskConfig& wanted) {
  return std::any_of(now.tasks.begin(), now.tasks.end(), [&](const runtime::TaskConfig& task) {
    return task.id == wanted.id && task.source == wanted.source;
  });
}

}  // namespace

Result<scheduler::Snapshot> preview(const LiveConfig& live, std::string_view patch, Duration at,
                                    const runtime::RunOutline& run,
                                    const std::vector<rules::Holding>& holding) {
  Result<Candidate> candidate = live.patched(patch, at);
  if (!candidate) return candidate.errors();
  runtime::RunConfig& wanted = candidate.value().loaded.run;
  scheduler::Snapshot state = std::move(wanted.timeline.front().snapshot);  // what was due is folded into it
  scheduler::Snapshot laid = state;
  rules::lay_over(rules::overlay_of(candidate.value().loaded.rules, live.loaded().rules, holding), laid);
  if (scheduler::validate(laid).empty()) state = std::move(laid);
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    scheduler::Task& task = state.tasks[i];
    for (const runtime::TaskOutline& running : run.tasks) {
      if (!goes_on(running, wanted.tasks[i], task)) continue;
      if (running.variant) {
        task.running = task.profiles->index_of(running.profiles->variants.at(*running.variant).id);
        task.running_rate = running.granted;
      }
      if (!running.source_connected && same_source(live.loaded().run, wanted.tasks[i])) {
        task.demand = Fps(0.0);
      }
    }
  }
  for (std::size_t p = 0; p < state.processors.size() && p < run.corrections.size(); ++p) {
    state.processors[p].correction = run.corrections[p];
    if (p < run.guards.size()) state.processors[p].guard = run.guards[p];
    if (p >= run.decoding.size()) continue;
    scheduler::Processor& processor = state.processors[p];
    processor.capacity -=
        runtime::decoding_charge(processor.capacity, processor.guard, processor.correction, run.decoding[p]);
  }
  return state;
}

}  // namespace saccade::service
