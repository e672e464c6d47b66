// The frames whose pictures are being viewed, each with its result. A view requests a task's pictures for a
// few seconds; meanwhile workers leave references to them, at most two per second and task, and the results
// thread joins each with its result. Nothing is copied here, and a picture is drawn on the viewer's thread.
// Without viewers a frame costs one atomic read. At most two pictures of a task are held, until a result
// arrives some seconds after the last view.
// Threads: any. Time is an argument, always of the same clock. Errors: none.
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
  static constexpr Duration kWanted = std::chrono::seconds(10);            // after a view

  // The drawing of a frame: made once, for any number of viewers.
  class Drawn {
   public:
    // `make` may take long; others that request the same picture wait.
    [[nodiscard]] std::string jpeg(bool boxes, const std::function<std::string()>& make);

   private:
    Mutex mutex_;
    std::string with_boxes_ SACCADE_GUARDED_BY(mutex_);  // empty: not drawn yet
    std::string without_ SACCADE_GUARDED_BY(mutex_);
  };
  struct Taken {
    runtime::PicturePtr picture;
    std::shared_ptr<const results::Result> result;  // of the same frame
    std::shared_ptr<Drawn> drawn;
  };

  // --- viewers: returns the latest and requests the next. Absent: none since the first request.
  [[nodiscard]] std::optional<Taken> look(const std::string& task, TimePoint now);
  void forget(const std::string& task);  // removed

  // --- workers, before the frame's result is handed over
  [[nodiscard]] bool are_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  void offer(const std::string& task, std::int64_t frame, const runtime::PicturePtr& picture, TimePoint now);

  // --- the results thread
  void join(const std::shared_ptr<const results::Result>& result, TimePoint now);

 private:
  struct Slot {
    TimePoint wanted_until{};
    std::optional<TimePoint> offered;  // time of the last picture taken
    runtime::PicturePtr picture;       // waiting for its result
    std::int64_t frame = 0;            // of it
    std::optional<Taken> taken;
  };

  std::atomic<bool> wanted_{false};  // there are slots
  Mutex mutex_;
  std::map<std::string, Slot> slots_ SACCADE_GUARDED_BY(mutex_);  // by task
};

// As JPEG, with or without boxes and labels; takes milliseconds. Empty: it cannot be drawn.
[[nodiscard]] std::string drawn_of(const Snapshots::Taken& taken, bool boxes);

}  // namespace saccade::service
