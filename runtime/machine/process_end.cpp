#include "runtime/machine/process_end.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace saccade::runtime {
namespace {

struct Left {
  Mutex mutex;
  std::vector<std::function<bool()>> threads SACCADE_GUARDED_BY(mutex);
};

// Never destroyed: exit() asks it.
Left& left() {
  static Left& all = *new Left;
  return all;
}

void at_exit(int exit_code, void* /*unused*/) { end_now_if_threads_run(exit_code); }

}  // namespace

void end_now_if_threads_run(int exit_code) {
  {
    const Lock lock(left().mutex);
    if (std::none_of(left().threads.begin(), left().threads.end(), [](const auto& run) { return run(); }))
      return;
  }
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  ::_exit(exit_code);
}

void skip_destructors_while(std::function<bool()> threads_run) {
  {
    const Lock lock(left().mutex);
    left().threads.push_back(std::move(threads_run));
  }
  // Each time: what is registered last runs first, so before the destructors of everything that exists now.
  ::on_exit(at_exit, nullptr);
}

}  // namespace saccade::runtime
