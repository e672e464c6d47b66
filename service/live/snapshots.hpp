// The frames whose pictures somebody looks at, each with what the network saw in it. A look asks for a task's
// pictures for a few seconds; meanwhile workers leave references to them, at most two a second per task, and
// the thread of the results joins each with its result. Nothing is copied here, and a
// picture is drawn by those who look. Without viewers a
// frame costs one atomic read. At most two pictures of a task are held, until a
// result comes some seconds after the last look.
// Threads: any. Time is an argument and comes from one clock. Errors: none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "results/result.hpp"
#include "runtime/pictures/picture.hpp"

namespace saccade::service {

class Snapshots {
 public:
  static constexpr Duration kLeastPause = std::chrono::milliseconds(500);  // between two pictures of a task
  static constexpr Duration kWanted = std::chrono::seconds(10);            // after a look

  // What was made of a frame: once, however many look.
  class Drawn {
   public:
    // `make` may take its time; who wants the same meanwhile waits.
    [[nodiscard]] std::string jpeg(bool boxes, const std::function<std::string()>& make);

   private:
    Mutex mutex_;
    std::string with_boxes_ SACCADE_GUARDED_BY(mutex_);  // empty: not made
    std::string without_ SACCADE_GUARDED_BY(mutex_);
  };
  struct Taken {
    runtime::PicturePtr picture;
    std::shared_ptr<const results::Result> result;  // of the same frame
    std::shared_ptr<Drawn> drawn;
  };

  // --- viewers: what there is; requests the next. Absent: nothing since somebody looked.
  [[nodiscard]] std::optional<Taken> look(const std::string& task, TimePoint now);
  void forget(const std::string& task);  // it is gone

  // --- workers, before the frame's result is handed over
  [[nodiscard]] bool are_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  void offer(const std::string& task, std::int64_t frame, const runtime::PicturePtr& picture, TimePoint now);

  // --- the thread of the results
  void join(const std::shared_ptr<const results::Result>& result, TimePoint now);

 private:
  struct Slot {
    TimePoint wanted_until{};
    std::optional<TimePoint> offered;  // when a picture was taken last
    runtime::PicturePtr picture;       // that waits for its result
    std::int64_t frame = 0;            // of it
    std::optional<Taken> taken;
  };

  std::atomic<bool> wanted_{false};  // there are slots
  Mutex mutex_;
  std::map<std::string, Slot> slots_ SACCADE_GUARDED_BY(mutex_);  // by task
};

// As JPEG, with boxes and labels or without; takes milliseconds. Empty: it cannot be made.
[[nodiscard]] std::string drawn_of(const Snapshots::Taken& taken, bool boxes);

}  // namespace saccade::service
