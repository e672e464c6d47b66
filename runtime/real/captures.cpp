#include "runtime/real/captures.hpp"

#include <future>
#include <random>

#include "runtime/real/frame_threads.hpp"
#include "runtime/real/thread_settings.hpp"
#include "runtime/sources/retry.hpp"

namespace saccade::runtime {
namespace {

using Opened = Result<std::unique_ptr<FrameSource>>;

constexpr Duration kLook = std::chrono::milliseconds(20);  // whether a source is open by now

// On a thread of its own: opening cannot be interrupted, and nobody waits for it once the capture is
// closed. Absent: it is.
std::optional<Opened> open_elsewhere(const SourceOpener& opener, const TaskConfig& config,
                                     const profiles::ProfileSetPtr& profiles, TaskIndex task, int number,
                                     Serving& serving) {
  std::packaged_task<Opened()> opening([opener, config, profiles] {
    return opener(config.source, config.regions, profiles->input, profiles->labels);
  });
  std::future<Opened> opened = opening.get_future();
  std::thread(std::move(opening)).detach();
  while (opened.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (!serving.pause(task, number, kLook)) return std::nullopt;
  }
  return opened.get();
}

// Null: the capture is closed.
std::unique_ptr<FrameSource> open_at_last(const SourceOpener& opener, const TaskConfig& config,
                                          const profiles::ProfileSetPtr& profiles, TaskIndex task, int number,
                                          Serving& serving, MessageQueue& queue) {
  RetryPause retry(std::random_device{}());
  for (bool told = false;; told = true) {
    std::optional<Opened> opened = open_elsewhere(opener, config, profiles, task, number, serving);
    if (!opened) return nullptr;
    if (opened->ok()) {
      serving.set_connected(task, number, true);
      if (told) queue.post(action::Report{"source_back", config.id.str(), ""});
      return std::move(*opened).value();
    }
    serving.set_connected(task, number, false);
    if (!told) queue.post(action::Report{"fault", config.id.str(), to_string(opened->errors())});
    if (!serving.pause(task, number, retry.next())) return nullptr;
  }
}

}  // namespace

Captures::Captures(Serving& serving, MessageQueue& queue, SourceOpener opener, std::vector<int> cpus)
    : serving_(serving), queue_(queue), opener_(std::move(opener)), cpus_(std::move(cpus)) {}

void Captures::start(TaskIndex task, const TaskConfig& config, const profiles::ProfileSetPtr& profiles,
                     std::unique_ptr<FrameSource> source) {
  if (captures_.size() <= task) captures_.resize(task + 1);
  if (!captures_[task]) captures_[task] = std::make_unique<Capture>();
  Capture& capture = *captures_[task];
  const int number = serving_.open_capture(task);
  // The one before ends first: a task has frame memory for one capture at a time.
  capture.thread = std::thread([this, task, config, profiles, number, &capture, opened = std::move(source),
                                before = std::move(capture.thread)]() mutable {
    if (before.joinable()) before.join();
    name_thread("capture");
    pin_to(cpus_);
    wake_precisely();
    if (!opened) opened = open_at_last(opener_, config, profiles, task, number, serving_, queue_);
    if (!opened) return;
    capture.labelled_images = opened->labelled_images();
    capture.source = std::move(opened);
    runtime::capture(task, number, config, profiles->input, *capture.source, serving_, queue_);
    if (!serving_.capture_open(task, number)) capture.source.reset();  // a camera that another may use now
  });
}

void Captures::stop(TaskIndex task) { serving_.close_capture(task); }

void Captures::join() {
  for (const auto& capture : captures_) {
    if (capture && capture->thread.joinable()) capture->thread.join();
  }
}

std::optional<std::size_t> Captures::labelled_images(TaskIndex task) const {
  const bool captured = task < captures_.size() && captures_[task];
  return captured ? captures_[task]->labelled_images : std::nullopt;
}

}  // namespace saccade::runtime
