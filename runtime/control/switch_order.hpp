// The order in which engines are exchanged so that old and new fit into memory together.
// A step loads a new engine (which needs `loading` until that is done, `serving` afterwards) and then frees
// the old one. Whether some order fits is decided exactly: steps that free memory first, in ascending order
// of what they need, then the others, in descending order of what is left of it; if that order does not fit,
// none does. Among the orders that fit, the one that follows the given preference is taken, one step at a
// time. If none fits, tasks unload their old engine first, the last in preference before the others, and as
// few as are found to suffice.
// Where several memories are limited, a step that takes or frees of each is still placed by what is exact for
// any number of them: one that frees (nothing grows) is taken as soon as it fits, one that only takes is put
// last if it fits there. What is left over trades one memory for another; of such steps every order of up to
// kMostTrades is tried, of more only the first found by taking what fits.
// A step whose load has to pause is waited for, and nothing of lower rank delays it. Meanwhile others are
// taken that are of its rank or loaded before its pause is over, if the rest fits in some order after them:
// a load that took the memory of one that pauses would cost a task its engine. Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "runtime/control/options.hpp"

namespace saccade::runtime {

inline constexpr std::size_t kMostTrades = 12;

struct SwitchStep {
  MemoryAmounts loading;  // max(memory, load peak) of the new engine
  MemoryAmounts serving;  // its memory afterwards
  MemoryAmounts old;      // freed by the step
  bool has_old = false;
  Duration pause{0};                   // until the load may begin
  std::optional<Duration> takes = {};  // the load; absent: not measured
  std::size_t rank = 0;                // ascends with the preference; equal: as urgent
};

struct NextStep {
  enum class Kind {
    load,        // reserve and load the step's engine
    wait,        // memory that is about to be released is needed first
    pause,       // the step is next once its pause is over
    unload_old,  // the step's old engine has to be unloaded before its new one can be loaded
    never,       // the step's engine does not fit in any order
  };
  Kind kind = Kind::wait;
  std::size_t step = 0;
};

// steps: in order of preference, not empty. coming: memory in use that is about to be released.
[[nodiscard]] NextStep next_step(const MemoryLedger& memory, const MemoryAmounts& coming,
                                 std::span<const SwitchStep> steps, TransitionMode mode);

}  // namespace saccade::runtime
