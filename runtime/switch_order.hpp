// In which order engines are exchanged so that old and new fit beside each other in memory.
// A step loads a new engine (it needs `loading` while that lasts, `serving` afterwards) and then frees
// the old one. Which order fits is decided exactly: steps that free memory in ascending order of what
// they need, then the others in descending order of what is left of it; if that order does not fit,
// none does. Among the orders that fit, the one that follows the given preference is taken, one step
// at a time. When none fits, tasks let go of their old engine first, the last in preference before the
// others, and as few as are found to be enough.
// Threads: pure.
#pragma once

#include <cstddef>
#include <span>

#include "base/quantity.hpp"
#include "runtime/memory_ledger.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

struct SwitchStep {
  Bytes loading{0.0};  // max(memory, load peak) of the new engine
  Bytes serving{0.0};  // its memory afterwards
  Bytes old{0.0};      // freed by the step
  bool has_old = false;
};

struct NextStep {
  enum class Kind {
    load,        // reserve and load the step's engine
    wait,        // memory that is being given back is needed first
    unload_old,  // the step's old engine has to go before its new one can be loaded
    never,       // the step's engine does not fit however it is turned
  };
  Kind kind = Kind::wait;
  std::size_t step = 0;
};

// steps: in order of preference, not empty. coming: memory in use that is being given back already.
[[nodiscard]] NextStep next_step(const MemoryLedger& memory, Bytes coming, std::span<const SwitchStep> steps,
                                 TransitionMode mode);

}  // namespace saccade::runtime
