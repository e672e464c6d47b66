#include "runtime/sources/source_threads.hpp"

#include "runtime/machine/process_end.hpp"

namespace saccade::runtime {

const std::shared_ptr<ThreadCount>& source_threads() {
  static const auto& threads = *new std::shared_ptr<ThreadCount>(std::make_shared<ThreadCount>());
  [[maybe_unused]] static const bool told = [] {
    skip_destructors_while([] { return threads->count() > 0; });
    return true;
  }();
  return threads;
}

}  // namespace saccade::runtime
