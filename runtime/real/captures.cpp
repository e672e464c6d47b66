#include "runtime/real/captures.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <map>
#include <random>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/real/frame_threads.hpp"
#include "runtime/sources/source_threads.hpp"
#include "runtime/sources/told_reasons.hpp"

namespace saccade::runtime {
namespace {

using Opened = Result<std::unique_ptr<FrameSource>>;

constexpr Duration kLook = std::chrono::milliseconds(20);  // whether a source is open, or let go of, by now
constexpr Duration kRelease = std::chrono::seconds(5);     // for a capture of another task to let go of it

}  // namespace

// Shared with the threads, so that one left behind keeps what it uses alive.
struct Captures::Floor {
  std::shared_ptr<const Clock> clock;  // serving and queue refer to it
  std::shared_ptr<Serving> serving;
  std::shared_ptr<MessageQueue> queue;
  SourceOpener opener;
  std::vector<int> cpus;
  std::shared_ptr<ResultListener> listener;  // null: nobody

  mutable Mutex mutex;  // guards what follows
  Condition one_ended;
  struct Running {
    TaskIndex task = 0;
    int number = 0;
    SourceConfig source;
    bool opening = true;
  };
  std::map<std::pair<TaskIndex, int>, Running> running
      SACCADE_GUARDED_BY(mutex);  // threads that have not ended, by task and number
  std::map<TaskIndex, std::size_t> labelled SACCADE_GUARDED_BY(mutex);

  [[nodiscard]] std::optional<Opened> open_elsewhere(const Capture& capture) const;
  [[nodiscard]] bool open_at_last(Capture& capture);
  [[nodiscard]] bool wait_for_source(const Capture& capture) const;
  void tried(const Capture& capture);
  void ended(const Capture& capture);
};

// On a thread of its own: opening cannot be interrupted, and nothing waits for it once the capture is
// closed. Absent: it is.
std::optional<Opened> Captures::Floor::open_elsewhere(const Capture& capture) const {
  std::packaged_task<Opened()> opening(
      [opener = opener, config = capture.config, profiles = capture.profiles]() -> Opened {
        try {
          return opener(config.source, config.regions, inputs_of(*profiles), profiles->labels);
        } catch (const std::exception& error) {  // threads or memory ran out
          return Error{"source", std::string("cannot be opened: ") + error.what(), ""};
        }
      });
  std::future<Opened> opened = opening.get_future();
  try {
    ThreadCount::start(source_threads(), std::move(opening));
  } catch (const std::system_error& error) {
    return Error{"source", std::string("no thread to open it: ") + error.what(), ""};
  }
  while (opened.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (!serving->pause(capture.task, capture.number, kLook)) return std::nullopt;
  }
  return opened.get();
}

// False: the capture is closed.
bool Captures::Floor::open_at_last(Capture& capture) {
  RetryPause retry(std::random_device{}());
  ToldReasons told;
  const std::string& id = capture.config.id.str();
  for (;;) {
    const TimePoint tried_at = clock->now();
    std::optional<Opened> opened = open_elsewhere(capture);
    if (!opened) return false;
    if (opened->ok()) {
      serving->set_connected(capture.task, capture.number, true);
      if (capture.told_lost) queue->post(action::Report{EventKind::source_back, id, ""});
      capture.source = std::move(*opened).value();
      return true;
    }
    const std::string reason = to_string(opened->errors());
    serving->set_connected(capture.task, capture.number, false, reason);
    capture.told_lost = true;
    if (told.is_new(reason)) queue->post(action::Report{EventKind::fault, id, reason});
    tried(capture);
    const Duration pause = retry.next(clock->now() - tried_at);
    if (!serving->pause(capture.task, capture.number, pause)) return false;
  }
}

// A task has frame memory for one capture at a time, so an older one of the same task has to end first; a
// closed one of another task gets a while to let go of the same source. False: this one is closed, too.
bool Captures::Floor::wait_for_source(const Capture& capture) const {
  for (Duration waited{0};; waited += kLook) {
    bool same_task = false;
    bool same_source = false;
    {
      const Lock lock(mutex);
      for (const auto& [key, other] : running) {
        if (other.task == capture.task) {
          same_task = same_task || other.number < capture.number;
        } else if (other.source == capture.config.source) {
          same_source = same_source || !serving->capture_open(other.task, other.number);
        }
      }
    }
    if (!same_task && (!same_source || waited >= kRelease)) return true;
    if (!serving->pause(capture.task, capture.number, kLook)) return false;
  }
}

void Captures::Floor::tried(const Capture& capture) {
  {
    const Lock lock(mutex);
    running.at({capture.task, capture.number}).opening = false;
  }
  queue->post(SourceTried{});
}

void Captures::Floor::ended(const Capture& capture) {
  {
    const Lock lock(mutex);
    running.erase({capture.task, capture.number});
    one_ended.notify_all();
  }
  queue->post(SourceTried{});
}

Captures::Captures(std::shared_ptr<const Clock> clock, std::shared_ptr<Serving> serving,
                   std::shared_ptr<MessageQueue> queue, SourceOpener opener, std::vector<int> cpus,
                   std::shared_ptr<ResultListener> listener, StartThread start_thread)
    : floor_(std::make_shared<Floor>()), start_thread_(std::move(start_thread)) {
  floor_->clock = std::move(clock);
  floor_->serving = std::move(serving);
  floor_->queue = std::move(queue);
  floor_->opener = std::move(opener);
  floor_->cpus = std::move(cpus);
  floor_->listener = std::move(listener);
}

void Captures::start_thread(std::function<void()> body) { std::thread(std::move(body)).detach(); }

void Captures::start(TaskIndex task, const TaskConfig& config, const profiles::ProfileSetPtr& profiles,
                     std::unique_ptr<FrameSource> source) {
  auto capture = std::make_shared<Capture>();
  capture->task = task;
  capture->number = floor_->serving->open_capture(task);
  capture->config = config;
  capture->profiles = profiles;
  capture->source = std::move(source);
  if (begin(capture)) return;
  constexpr const char* kNoThread = "no thread can be started for its source";
  floor_->serving->set_connected(task, capture->number, false, kNoThread);
  capture->told_lost = true;
  floor_->queue->post(action::Report{EventKind::fault, config.id.str(), kNoThread});
  waiting_.push_back({std::move(capture), RetryPause(std::random_device{}()), {}});
}

// False: threads have run out.
bool Captures::begin(const std::shared_ptr<Capture>& capture) {
  const std::pair key{capture->task, capture->number};
  {
    const Lock lock(floor_->mutex);
    floor_->running[key] = {capture->task, capture->number, capture->config.source, true};
  }
  try {
    start_thread_([floor = floor_, capture] {
      run(floor, *capture);
      capture->source.reset();  // a camera that another capture may use now
      floor->ended(*capture);
    });
    return true;
  } catch (const std::system_error&) {
    const Lock lock(floor_->mutex);
    floor_->running.erase(key);
    return false;
  }
}

void Captures::run(const std::shared_ptr<Floor>& floor, Capture& capture) {
  if (!floor->wait_for_source(capture)) return;
  name_thread("capture");
  pin_to(floor->cpus);
  wake_precisely();
  if (!capture.source) {
    if (!floor->open_at_last(capture)) return;
  } else if (capture.told_lost) {
    floor->serving->set_connected(capture.task, capture.number, true);
    floor->queue->post(action::Report{EventKind::source_back, capture.config.id.str(), ""});
  }
  if (const auto images = capture.source->labelled_images()) {
    const Lock lock(floor->mutex);
    floor->labelled[capture.task] = *images;
  }
  floor->tried(capture);
  runtime::capture(capture.task, capture.number, capture.config, *capture.source, *floor->serving,
                   *floor->queue, floor->listener.get());
}

void Captures::stop(TaskIndex task) {
  floor_->serving->close_capture(task);
  std::erase_if(waiting_, [&](const Waiting& each) { return each.capture->task == task; });
}

std::size_t Captures::opening() const {
  const Lock lock(floor_->mutex);
  return static_cast<std::size_t>(std::count_if(floor_->running.begin(), floor_->running.end(),
                                                [](const auto& each) { return each.second.opening; }));
}

void Captures::look(TimePoint now) {
  std::erase_if(waiting_, [&](Waiting& each) {
    if (!floor_->serving->capture_open(each.capture->task, each.capture->number)) return true;
    if (now < each.at) return false;
    each.at = now + each.pause.next();
    return begin(each.capture);
  });
}

bool Captures::ended(TaskIndex task) const {
  const Lock lock(floor_->mutex);
  const auto first = floor_->running.lower_bound({task, 0});
  const bool runs = first != floor_->running.end() && first->first.first == task;
  return !runs && std::none_of(waiting_.begin(), waiting_.end(),
                               [&](const Waiting& each) { return each.capture->task == task; });
}

void Captures::forget(TaskIndex task) {
  SACCADE_CHECK(ended(task));
  const Lock lock(floor_->mutex);
  floor_->labelled.erase(task);
}

bool Captures::join(Duration patience) {
  waiting_.clear();
  Lock lock(floor_->mutex);
  return floor_->one_ended.wait_for(
      floor_->mutex, patience, [&]() SACCADE_REQUIRES(floor_->mutex) { return floor_->running.empty(); });
}

std::function<bool()> Captures::still_run() const {
  return [floor = floor_] {
    const Lock lock(floor->mutex);
    return !floor->running.empty();
  };
}

std::optional<std::size_t> Captures::labelled_images(TaskIndex task) const {
  const Lock lock(floor_->mutex);
  const auto found = floor_->labelled.find(task);
  return found == floor_->labelled.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace saccade::runtime
