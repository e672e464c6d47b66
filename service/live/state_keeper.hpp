// Saves the state of a service, and a change of it only once that change serves: a change that crashes the
// process is not in force after the restart. The newest change replaces a pending one.
//
// Call order: construct; save() the initial state; then keep_once_serving() after every change and serves()
// as the run proceeds. Threads: all functions from any thread; serves() never waits for the disk, a thread of
// its own does. Errors: in notes().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "service/live/state_store.hpp"

namespace saccade::service {

class StateKeeper {
 public:
  // `saved` (may be empty) is called on the keeper's thread with the generation of each change that was
  // saved.
  explicit StateKeeper(std::unique_ptr<StateStore> store, std::function<void(std::uint64_t)> saved = {});
  ~StateKeeper();  // what does not serve by then is not saved
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  void save(const SavedState& state);  // immediately; nothing is pending afterwards
  void keep_once_serving(SavedState state, std::uint64_t generation);
  // All engines of this generation and of all earlier ones serve.
  void serves(std::uint64_t generation);
  void flush();  // returns when nothing that serves is waiting for the disk

  // Of the last attempt to save.
  [[nodiscard]] Errors notes() const;

 private:
  struct Waiting {
    SavedState state;
    std::uint64_t generation = 0;
  };
  [[nodiscard]] bool is_due() const SACCADE_REQUIRES(mutex_) {
    return waiting_ && waiting_->generation <= served_;
  }
  void work();
  void write(const SavedState& state);  // without the lock

  Mutex disk_;  // acquired first
  std::unique_ptr<StateStore> store_ SACCADE_GUARDED_BY(disk_);
  const std::function<void(std::uint64_t)> saved_;

  mutable Mutex mutex_;  // never held during disk I/O
  Condition changed_;
  std::optional<Waiting> waiting_ SACCADE_GUARDED_BY(mutex_);
  std::uint64_t served_ SACCADE_GUARDED_BY(mutex_) = 0;
  bool writing_ SACCADE_GUARDED_BY(mutex_) = false;
  bool ends_ SACCADE_GUARDED_BY(mutex_) = false;
  Errors notes_ SACCADE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace saccade::service
