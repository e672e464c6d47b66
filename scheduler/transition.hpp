// The shares of time while engines load [paper 004 III-D]. Tasks that keep their variant get the time
// they need at once. What is left of each processor's budget is divided among the tasks whose new
// engine is not ready: max-min fair, capped by what the task's old engine needs at its target demand
// (`equal`: the paper's rule, the same slot for each whether it can use it or not). Each goes on with
// its old engine at the rate that fits.
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"

namespace saccade::scheduler {

enum class Shares { max_min, equal };
[[nodiscard]] const char* to_string(Shares shares);
[[nodiscard]] std::optional<Shares> shares_from(const std::string& name);

struct TransitionTask {
  std::vector<Seconds> serving_time;  // per processor, per frame, of the engine that serves now
  bool has_engine = false;            // false: nothing serves yet, rate 0 until the new engine is ready
  bool ready = false;                 // serves its target variant already
  Fps target{0.0};                    // granted by the target plan
  Fps old_need{0.0};                  // the rate the old engine would serve if it could: the demand
};

// The rate each task may run at now, in the order of `tasks`.
[[nodiscard]] std::vector<Fps> transition_rates(std::span<const double> budgets,
                                                std::span<const TransitionTask> tasks, Shares shares);

}  // namespace saccade::scheduler
