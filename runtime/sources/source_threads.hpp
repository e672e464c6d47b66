// Detached threads inside a library of cameras: one opens a source, or reads it. Neither can be interrupted,
// so either may outlive who started it. While one runs, the process ends without static destructors
// (runtime/machine/process_end.hpp). Threads: any.
#pragma once

#include <memory>

#include "runtime/machine/thread_count.hpp"

namespace saccade::runtime {

// Those of this process; never destroyed.
[[nodiscard]] const std::shared_ptr<ThreadCount>& source_threads();

}  // namespace saccade::runtime
