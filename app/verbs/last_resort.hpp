// Ends the process if its orderly shutdown takes too long because an engine or a driver hangs: persistent
// state was saved when it changed. Threads: any; one of its own once armed.
#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace saccade::app {

class LastResort {
 public:
  LastResort(Duration patience, int exit_code) : patience_(patience), exit_code_(exit_code) {}
  ~LastResort() {
    const Lock lock(shared_->mutex);
    shared_->over = true;
    shared_->changed.notify_all();
  }
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  void arm() {
    std::thread([shared = shared_, patience = patience_, exit_code = exit_code_] {
      Lock lock(shared->mutex);
      const auto over = [&]() SACCADE_REQUIRES(shared->mutex) { return shared->over; };
      if (!shared->changed.wait_for(shared->mutex, patience, over)) std::_Exit(exit_code);
    }).detach();
  }

 private:
  struct Shared {
    Mutex mutex;
    Condition changed;
    bool over SACCADE_GUARDED_BY(mutex) = false;
  };
  const Duration patience_;
  const int exit_code_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace saccade::app
