#include "runtime/control/executable.hpp"

namespace saccade::runtime {

std::optional<ProcessorIndex> processor_of(const profiles::Variant& variant,
                                           const scheduler::Snapshot& snapshot) {
  if (variant.frame_time.size() != 1) return std::nullopt;
  for (ProcessorIndex i = 0; i < snapshot.processors.size(); ++i) {
    if (snapshot.processors[i].id == variant.frame_time.begin()->first) return i;
  }
  return std::nullopt;
}

}  // namespace saccade::runtime
