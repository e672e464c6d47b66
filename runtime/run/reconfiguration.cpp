#include "runtime/run/reconfiguration.hpp"

#include <algorithm>
#include <set>

#include "runtime/control/executable.hpp"

namespace saccade::runtime {
namespace {

// A snapshot's processors are the configuration's with what a plan needs to know of them.
bool same_processors(const scheduler::Snapshot& a, const scheduler::Snapshot& b) {
  return std::equal(a.processors.begin(), a.processors.end(), b.processors.begin(), b.processors.end(),
                    [](const scheduler::Processor& x, const scheduler::Processor& y) {
                      return x.id == y.id && x.capacity == y.capacity && x.guard == y.guard &&
                             x.memory == y.memory && x.context == y.context &&
                             x.device_context == y.device_context;
                    });
}

}  // namespace

Errors fixed_parts(const RunConfig& running, const RunConfig& wanted) {
  const struct {
    const char* pointer;
    const char* what;
    bool same;
  } parts[] = {
      {"/processors", "the processors cannot change while the service runs",
       running.processors == wanted.processors &&
           same_processors(running.timeline.front().snapshot, wanted.timeline.front().snapshot)},
      {"/policy", "the policy cannot change while the service runs", running.policy == wanted.policy},
      {"/solver", "the solver and its deadline cannot change while the service runs",
       running.solver == wanted.solver && running.solver_deadline == wanted.solver_deadline},
      {"/runtime", "the runtime's options cannot change while the service runs",
       running.runtime == wanted.runtime},
      {"/engine", "the engine backend cannot change while the service runs",
       running.backend == wanted.backend && running.graph_cache == wanted.graph_cache &&
           running.engine_library == wanted.engine_library},
  };
  Errors errors;
  for (const auto& part : parts) {
    if (!part.same) errors.push_back({part.pointer, part.what, kRestartHint});
  }
  return errors;
}

Errors cannot_take_over(const RunConfig& running, const RunConfig& wanted) {
  if (wanted.timeline.empty() || wanted.timeline.front().at != Duration(0)) {
    return {{"/timeline", "the first state is not at 0", ""}};
  }
  Errors errors = fixed_parts(running, wanted);
  std::set<TaskId> ids;
  for (const TaskConfig& task : wanted.tasks) {
    if (!ids.insert(task.id).second) errors.push_back({"/tasks/" + task.id.str(), "is there twice", ""});
  }
  for (const TimelineState& state : wanted.timeline) {
    if (state.snapshot.tasks.size() != wanted.tasks.size()) {
      errors.push_back({"/timeline", "a state has other tasks than the configuration", ""});
      return errors;
    }
    const Errors of_state = scheduler::validate(state.snapshot);
    errors.insert(errors.end(), of_state.begin(), of_state.end());
  }
  const Errors no_engines = not_executable(wanted);
  errors.insert(errors.end(), no_engines.begin(), no_engines.end());
  return errors;
}

Errors not_executable(const RunConfig& config) {
  Errors errors;
  for (const scheduler::Task& task : config.timeline.front().snapshot.tasks) {
    const auto& variants = task.profiles->variants;
    const bool some = std::any_of(variants.begin(), variants.end(), [&](const profiles::Variant& variant) {
      return variant.frame_time.empty() || is_executable(variant, task.regions);
    });
    if (some) continue;
    errors.push_back(
        {task.id.str(), "every variant of this task's network uses several processors at once",
         "name variants that run on one processor, or that have stages (`saccade place`); a task "
         "of several regions needs the former"});
  }
  return errors;
}

}  // namespace saccade::runtime
