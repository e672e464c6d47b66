// The capture threads, one per task: each opens its task's source and requests a frame from it at every tick.
// A source that cannot be opened is a lost source, which is retried (sources/retry.hpp); so is one for which
// no thread can be started. If a closed capture still uses a source (a USB camera, for example), it is opened
// once that capture has released it.
//
// Call order: start() for a task without a capture or with a changed source; stop(), and later forget(), when
// the task is removed; look() several times a second; join() at the end, once Serving has stopped the
// sources. Threads: used by the main loop. The capture threads are detached and keep what they use alive, so
// that one that hangs in a driver delays nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/real/serving.hpp"
#include "runtime/sources/frame_source.hpp"
#include "runtime/sources/retry.hpp"

namespace saccade::runtime {

class Captures {
 public:
  // Runs the function on a thread of its own; throws std::system_error if there is none.
  using StartThread = std::function<void(std::function<void()>)>;
  static void start_thread(std::function<void()> body);

  // `clock`: that of serving and queue, kept with them. Captures run on `cpus` (empty: anywhere). `listener`
  // may be null.
  Captures(std::shared_ptr<const Clock> clock, std::shared_ptr<Serving> serving,
           std::shared_ptr<MessageQueue> queue, SourceOpener opener, std::vector<int> cpus,
           std::shared_ptr<ResultListener> listener = nullptr,
           StartThread start_thread = Captures::start_thread);

  // `source` null: it is opened on the capture thread.
  void start(TaskIndex task, const TaskConfig& config, const profiles::ProfileSetPtr& profiles,
             std::unique_ptr<FrameSource> source);
  void stop(TaskIndex task);  // does not wait
  // Number of captures whose source has neither opened nor failed to open yet.
  [[nodiscard]] std::size_t opening() const;
  void look(TimePoint now);  // retries to start threads that could not be started
  // No thread captures for the task any more, and none will before start().
  [[nodiscard]] bool ended(TaskIndex task) const;
  void forget(TaskIndex task);  // its index is reused; requires ended()
  // Waits at most `patience`; false: a source does not return.
  [[nodiscard]] bool join(Duration patience);
  // Whether captures have not returned; may be called after the destruction of this, by any thread.
  [[nodiscard]] std::function<bool()> still_run() const;
  // Of the task's last source; absent: none, or one without labels.
  [[nodiscard]] std::optional<std::size_t> labelled_images(TaskIndex task) const;

 private:
  struct Capture {
    TaskIndex task = 0;
    int number = 0;  // from Serving::open_capture()
    TaskConfig config;
    profiles::ProfileSetPtr profiles;
    std::unique_ptr<FrameSource> source;  // null: to be opened
    bool told_lost = false;
  };
  struct Waiting {  // for a thread
    std::shared_ptr<Capture> capture;
    RetryPause pause;
    TimePoint at{};
  };
  struct Floor;
  static void run(const std::shared_ptr<Floor>& floor, Capture& capture);
  [[nodiscard]] bool begin(const std::shared_ptr<Capture>& capture);

  const std::shared_ptr<Floor> floor_;
  const StartThread start_thread_;
  std::vector<Waiting> waiting_;
};

}  // namespace saccade::runtime
