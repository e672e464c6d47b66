#include "service/live/state_keeper.hpp"

#include <algorithm>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::service {

StateKeeper::StateKeeper(std::unique_ptr<StateStore> store, std::function<void(std::uint64_t)> saved)
    : store_(std::move(store)), saved_(std::move(saved)) {
  thread_ = std::thread([this] {
    runtime::name_thread("state-keeper");
    work();
  });
}

StateKeeper::~StateKeeper() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StateKeeper::save(const SavedState& state) {
  {
    const Lock lock(mutex_);
    waiting_.reset();
  }
  write(state);
}

void StateKeeper::keep_once_serving(SavedState state, std::uint64_t generation) {
  const Lock lock(mutex_);
  waiting_ = Waiting{std::move(state), generation};
  changed_.notify_all();
}

void StateKeeper::serves(std::uint64_t generation) {
  const Lock lock(mutex_);
  served_ = std::max(served_, generation);
  if (is_due()) changed_.notify_all();
}

void StateKeeper::flush() {
  Lock lock(mutex_);
  changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return !is_due() && !writing_; });
}

Errors StateKeeper::notes() const {
  const Lock lock(mutex_);
  return notes_;
}

void StateKeeper::work() {
  Lock lock(mutex_);
  while (true) {
    changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return ends_ || is_due(); });
    if (!is_due()) return;
    const Waiting due = *std::exchange(waiting_, std::nullopt);
    writing_ = true;
    lock.unlock();
    write(due.state);
    lock.lock();
    writing_ = false;
    changed_.notify_all();
    if (!saved_ || !notes_.empty()) continue;
    lock.unlock();
    saved_(due.generation);
    lock.lock();
  }
}

void StateKeeper::write(const SavedState& state) {
  const Lock disk(disk_);
  const Status saved = store_->save(state);
  Errors notes;
  if (!saved) {
    for (Error error : saved.errors()) {
      error.what = "the state is not saved and would be lost in a restart: " + error.what;
      notes.push_back(std::move(error));
    }
  }
  const Lock lock(mutex_);
  notes_ = std::move(notes);
}

}  // namespace saccade::service
