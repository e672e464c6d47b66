// Rates while engines are being loaded [paper 004 III-D]. Tasks that already run their target variant get
// the processor time they need. What is left of each processor's budget is divided among the tasks whose
// new engine is not ready, and each continues with its old engine at the rate that fits its share:
//   max_min  max-min fair, capped by what the old engine needs at the task's demand
//   equal    the paper's rule: equal slots, whether or not a task can use all of its slot
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
  std::vector<Seconds> serving_time;  // per processor, per frame, of the serving engine
  bool has_engine = false;            // false: no engine yet, rate 0 until the new one is ready
  bool ready = false;                 // the serving engine is the target variant
  Fps target{0.0};                    // granted by the target plan
  Fps old_need{0.0};                  // the rate the old engine should serve: the demand
};

// The rate of each task until the next engine is ready, in the order of `tasks`.
[[nodiscard]] std::vector<Fps> transition_rates(std::span<const double> budgets,
                                                std::span<const TransitionTask> tasks, Shares shares);

}  // namespace saccade::scheduler
