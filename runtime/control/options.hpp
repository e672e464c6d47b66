// How engines are exchanged and how many frames wait: the `runtime` part of the configuration. The defaults
// are defined here, once.
// Threads: plain values.
#pragma once

#include <cstddef>

#include "base/quantity.hpp"
#include "scheduler/transition.hpp"

namespace saccade::runtime {

// Maximum number of loading threads: the first, and one that replaces it while a load of the first hangs.
inline constexpr std::size_t kLoaders = 2;

enum class TransitionMode {
  keep_old,  // old engines serve until the new ones are ready, in an order of loads that fits if there is one
  unload_first,  // no such search: an engine that does not fit next to the old one replaces it
};
[[nodiscard]] const char* to_string(TransitionMode mode);

struct RuntimeOptions {
  // What happens if old and new engines do not fit into memory together. unload_first is the simpler rule,
  // for comparisons; it loses frames that keep_old serves.
  TransitionMode transition = TransitionMode::keep_old;

  // How processor time is divided among tasks while engines load (scheduler/transition.hpp). `equal` is the
  // paper's rule, for comparisons; it leaves unused what a task cannot use of its share.
  scheduler::Shares shares = scheduler::Shares::max_min;

  // Memory for engines that no longer serve but stay loaded, so that switching back takes no load. It counts
  // towards the memory limit; parked engines make room when memory is needed. 0: none is kept. Raise it where
  // tasks switch back and forth and memory is left.
  Bytes warm_cache{0.0};

  // A load with its warm-up that takes longer has failed: the engine is abandoned, its variant excluded for a
  // while. Raise it for large models on slow storage.
  Seconds load_timeout{30.0};

  // An inference that takes longer than this, and longer than ten times its profiled time, is considered
  // hung: its engine is abandoned. Raise it for inferences that take seconds.
  Seconds inference_timeout{2.0};

  // Niceness of the loader while no frame waits for a load, 0 to 19. High values protect frames from loads on
  // the same core; 0 makes these switches faster at the cost of frames.
  int loader_nice = 19;

  // A load that takes longer than this gets normal priority, so that a busy machine cannot starve it.
  Seconds loader_boost{2.0};

  // Frames of a task that may wait for a processor, 1 to 64. Each is one more frame of latency and memory;
  // more than two help only where frames arrive in bursts.
  std::size_t gate_frames = 2;

  // After a solve has started, the next starts no earlier than this; changes in between are gathered into it.
  // Raise it where many small changes arrive one by one. 0: gathers only while a solve is in flight.
  Seconds coalesce{0.05};

  bool operator==(const RuntimeOptions&) const = default;
};

}  // namespace saccade::runtime
