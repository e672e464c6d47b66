#include "runtime/real/first_sources.hpp"

#include <utility>
#include <variant>

namespace saccade::runtime {

FirstSources open_first_sources(const RunConfig& config, const SourceOpener& opener, Errors& errors) {
  FirstSources sources(config.tasks.size());
  for (TaskIndex task = 0; task < config.tasks.size(); ++task) {
    const TaskConfig& wanted = config.tasks[task];
    if (wanted.pushed() || !std::holds_alternative<SyntheticSource>(wanted.source)) continue;
    const profiles::ProfileSet& profiles = *config.timeline.front().snapshot.tasks.at(task).profiles;
    auto source = opener(wanted.source, wanted.regions, inputs_of(profiles), profiles.labels);
    if (source.ok()) {
      sources[task] = std::move(source).value();
      continue;
    }
    for (Error error : source.errors()) {
      error.where = wanted.id.str() + ": " + error.where;
      errors.push_back(std::move(error));
    }
  }
  return sources;
}

}  // namespace saccade::runtime
