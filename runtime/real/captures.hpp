// The capture threads, one per task: each asks its source for a frame at every tick of its task. The
// source of a task that is added while the run goes on is opened there, too, however long that takes; one
// that cannot be opened is a lost source, which is tried again (sources/retry.hpp).
// Call order: start() for a task that has none or whose source changed; stop(); join() at the end, once
// Serving has stopped the sources.
// Threads: used by the main loop.
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/frame_source.hpp"
#include "runtime/real/serving.hpp"

namespace saccade::runtime {

class Captures {
 public:
  // `serving` and `queue` outlive this. Captures run on `cpus` (empty: anywhere).
  Captures(Serving& serving, MessageQueue& queue, SourceOpener opener, std::vector<int> cpus);

  // `source` null: it is opened on the capture thread.
  void start(TaskIndex task, const TaskConfig& config, const profiles::ProfileSetPtr& profiles,
             std::unique_ptr<FrameSource> source);
  void stop(TaskIndex task);  // does not wait
  void join();
  // Of the source that the task had last, if it had one; after join().
  [[nodiscard]] std::optional<std::size_t> labelled_images(TaskIndex task) const;

 private:
  struct Capture {
    std::thread thread;
    // Written by the thread. A source lives until its capture is closed or until the end.
    std::unique_ptr<FrameSource> source;
    std::optional<std::size_t> labelled_images;
  };
  Serving& serving_;
  MessageQueue& queue_;
  const SourceOpener opener_;
  const std::vector<int> cpus_;
  std::vector<std::unique_ptr<Capture>> captures_;  // by task
};

}  // namespace saccade::runtime
