// The kinds of lines in log and event stream, and their names there. The names are an interface: programs
// that read --events files or the API's event stream depend on them.
// Threads: pure.
#pragma once

namespace saccade::runtime {

enum class EventKind {
  plan,            // adopted, dropped or requested, and why
  load,            // of an engine begins
  warm,            // an engine's warm-up has ended
  swap,            // an engine begins to serve
  drain,           // the last frame of an engine that was swapped out has ended
  park,            // an engine is kept for later use
  unload,          // an engine is destroyed
  drop,            // of one frame
  fault,           // trouble that the run survives
  exclude,         // a variant is not used for a while, or at all
  infeasible,      // limits cannot be met
  transition_end,  // all engines of the plan serve
  source_back,     // a source that was reported by `fault` delivers again
  loader,          // the loader's priority differs from the configuration
  rule,            // a rule starts or stops being active for a task
  rule_flaps,      // a rule changed too often and is frozen for a while
};
[[nodiscard]] const char* to_string(EventKind kind);

}  // namespace saccade::runtime
