// The order in which engines are exchanged so that old and new fit into memory together.
// A step loads a new engine (which needs `loading` until that is done, `serving` afterwards) and then frees
// the old one. Whether some order fits is decided exactly: steps that free memory first, in ascending order
// of what they need, then the others, in descending order of what is left of it; if that order does not fit,
// none does. Among the orders that fit, the one that follows the given preference is taken, one step at a
// time. If none fits, tasks unload their old engine first, the last in preference before the others, and as
// few as are found to suffice. Threads: pure.
#pragma once

#include <cstddef>
#include <span>

#include "base/quantity.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "runtime/control/options.hpp"

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
    wait,        // memory that is about to be released is needed first
    unload_old,  // the step's old engine has to be unloaded before its new one can be loaded
    never,       // the step's engine does not fit in any order
  };
  Kind kind = Kind::wait;
  std::size_t step = 0;
};

// steps: in order of preference, not empty. coming: memory in use that is about to be released.
[[nodiscard]] NextStep next_step(const MemoryLedger& memory, Bytes coming, std::span<const SwitchStep> steps,
                                 TransitionMode mode);

}  // namespace saccade::runtime
