#include "runtime/sources/live_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <random>
#include <system_error>

#include "base/crash_note.hpp"
#include "base/mutex.hpp"
#include "runtime/sources/decode_schedule.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/retry.hpp"
#include "runtime/sources/source_threads.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kCameraRelease = std::chrono::seconds(1);

// What reader and source share. The reader holds a reference of its own: a read that hangs in the
// driver cannot be interrupted, and closing the source waits for it a moment only.
struct Newest {
  std::shared_ptr<LiveCapture> capture;  // the reader's, but for interrupt()
  CaptureCounters counters;
  Mutex mutex;
  Condition changed;
  bool closing SACCADE_GUARDED_BY(mutex) = false;
  bool ended SACCADE_GUARDED_BY(mutex) = false;  // the reader has let go of the camera
  bool fresh SACCADE_GUARDED_BY(mutex) = false;  // came after the last one taken
  bool lost SACCADE_GUARDED_BY(mutex) = false;
  std::string trouble SACCADE_GUARDED_BY(mutex);  // why, with a hint
  std::string notice SACCADE_GUARDED_BY(mutex);   // of the capture
  cv::Mat picture SACCADE_GUARDED_BY(mutex);
  cv::Size of SACCADE_GUARDED_BY(mutex);  // as the camera sent it
  CaptureTime captured_at SACCADE_GUARDED_BY(mutex);
  DecodeSchedule schedule SACCADE_GUARDED_BY(mutex);
};

// Of this thread.
Duration processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// With what to do about it; empty: unknown.
std::string trouble_of(const LiveCapture& capture) {
  const std::string trouble = capture.trouble();
  const std::string hint = capture.hint();
  return trouble.empty() || hint.empty() ? trouble : trouble + ": " + hint;
}

// On the reader's thread, after each picture and each attempt.
void count(Newest& newest, std::uint64_t skipped) {
  newest.counters.processor_nanoseconds = processor_time().count();
  newest.counters.skipped = skipped + newest.capture->passed_over();
}

// Lets go of the camera and opens it again after a pause. `tried`: when it was last opened without success,
// and now. False: the source is closed.
bool open_again(Newest& newest, RetryPause& retry, TimePoint& tried, const Clock& clock) {
  {
    Lock lock(newest.mutex);
    const Duration pause = retry.next(std::max(Duration(0), clock.now() - tried));
    if (newest.changed.wait_for(newest.mutex, pause,
                                [&]() SACCADE_REQUIRES(newest.mutex) { return newest.closing; }))
      return false;
  }
  tried = clock.now();
  newest.capture->release();
  static_cast<void>(newest.capture->open());  // success shows at the next grab
  return true;
}

void read_pictures(Newest& newest) {
  const SteadyClock clock;
  LiveCapture& capture = *newest.capture;
  cv::Mat picture;
  cv::Size of;
  RetryPause retry(std::random_device{}());
  std::uint64_t skipped = 0;
  std::optional<Duration> taken_every;
  TimePoint tried = TimePoint::max();  // never since the last picture
  for (;;) {
    CaptureTime captured_at;
    if (taken_every) capture.taken_every(*taken_every);
    bool got = capture.grab(captured_at);
    Lock lock(newest.mutex);
    const bool decode = got && !newest.closing && newest.schedule.grabbed(clock.now());
    if (decode) {
      lock.unlock();
      got = capture.retrieve(picture, of);
      lock.lock();
    }
    if (newest.closing) return;
    taken_every = newest.schedule.interval();
    if (got) {
      newest.counters.last_picture = captured_at.monotonic.count();
      if (newest.lost) ++newest.counters.reconnects;
      decode ? static_cast<void>(++newest.counters.decoded) : static_cast<void>(++skipped);
    }
    count(newest, skipped);
    newest.lost = !got;
    newest.notice = capture.notice();
    if (got) {
      if (decode) {
        std::swap(newest.picture, picture);
        newest.of = of;
        newest.captured_at = captured_at;
        newest.fresh = true;
        newest.changed.notify_all();
      }
      retry.succeeded();
      if (const Duration every = newest.schedule.period(); every.count() > 0) retry.delivers_every(every);
      tried = TimePoint::max();
      continue;
    }
    newest.trouble = trouble_of(capture);
    newest.schedule.lost();
    newest.changed.notify_all();
    lock.unlock();
    if (!open_again(newest, retry, tried, clock)) return;
  }
}

void read_on(const std::shared_ptr<Newest>& newest) {
  read_pictures(*newest);
  newest->capture->release();
  const Lock lock(newest->mutex);
  newest->ended = true;
  newest->changed.notify_all();
}

class LiveFrames final : public FrameSource {
 public:
  // `newest` holds the first picture.
  LiveFrames(std::shared_ptr<Newest> newest, std::string name, FramePicture pictures, std::size_t frame_bytes)
      : name_(std::move(name)),
        pictures_(std::move(pictures)),
        frame_bytes_(frame_bytes),
        newest_(std::move(newest)) {
    ThreadCount::start(source_threads(), [newest = newest_, name = name_] {
      const CrashNote note({"a picture of ", name});
      read_on(newest);
    });
  }

  ~LiveFrames() override {
    Lock lock(newest_->mutex);
    newest_->closing = true;
    newest_->capture->interrupt();
    newest_->changed.notify_all();
    // One that is lost holds no device, and may hang while it is opened again.
    if (!newest_->lost)
      newest_->changed.wait_for(newest_->mutex, kCameraRelease,
                                [&]() SACCADE_REQUIRES(newest_->mutex) { return newest_->ended; });
  }

  bool next(Duration /*at*/, Frame& frame) override {
    {
      Lock lock(newest_->mutex);
      DecodeSchedule& schedule = newest_->schedule;
      schedule.ticked(clock_.now());
      const bool old = newest_->fresh && schedule.newer() > 1;
      if (!newest_->lost && (old || !newest_->fresh)) {
        schedule.want();
        const bool comes = schedule.newer() > 0;  // else the camera is the slower one
        if (old) newest_->fresh = false;
        const auto there = [&]() SACCADE_REQUIRES(newest_->mutex) { return newest_->fresh || newest_->lost; };
        if (comes) newest_->changed.wait_for(newest_->mutex, schedule.patience(), there);
        newest_->fresh = newest_->fresh || old;
      }
      if (newest_->lost) {
        const std::string trouble = newest_->trouble;
        fault_ = name_ + " " + (trouble.empty() ? "delivers nothing" : trouble) + "; opening it again";
      }
      if (!newest_->fresh) return false;
      newest_->fresh = false;
      std::swap(newest_->picture, picture_);
      of_ = newest_->of;
      if (newest_->notice != notice_) {
        notice_ = newest_->notice;
        notice_told_ = notice_.empty();
      }
      frame.captured_at = newest_->captured_at;
    }
    if (!pictures_.write(picture_, of_, frame)) {
      fault_ = "the picture size of " + name_ + " changed and the regions no longer fit";
      return false;
    }
    newest_->counters.sent = CaptureCounters::packed({of_.width, of_.height});
    newest_->counters.used = CaptureCounters::packed({frame.picture->width, frame.picture->height});
    frame.labels.clear();
    frame.truths_known = false;
    fault_.reset();
    return true;
  }

  std::optional<std::string> fault() const override { return fault_; }
  std::optional<std::string> take_notice() override {
    if (std::exchange(notice_told_, true)) return std::nullopt;
    return name_ + ": " + notice_;
  }
  std::size_t frame_bytes() const override { return frame_bytes_; }
  std::shared_ptr<const CaptureCounters> counters() const override { return {newest_, &newest_->counters}; }

 private:
  const SteadyClock clock_;
  std::string name_;
  FramePicture pictures_;
  std::size_t frame_bytes_;
  std::shared_ptr<Newest> newest_;
  cv::Mat picture_;
  cv::Size of_;  // as the camera sent it
  std::optional<std::string> fault_;
  std::string notice_;  // the last one
  bool notice_told_ = true;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_live(std::shared_ptr<LiveCapture> capture, const std::string& name,
                                               const Regions& regions, const NetworkInputs& inputs) {
  auto newest = std::make_shared<Newest>();
  newest->capture = std::move(capture);
  cv::Size first;
  {
    LiveCapture& camera = *newest->capture;
    const Lock lock(newest->mutex);  // nobody else has it yet
    if (!camera.open() || !camera.grab(newest->captured_at) ||
        !camera.retrieve(newest->picture, newest->of)) {
      const std::string trouble = camera.trouble();
      return Error{name, "the camera " + (trouble.empty() ? "delivers no picture" : trouble), camera.hint()};
    }
    newest->fresh = true;
    newest->notice = camera.notice();
    newest->counters.decoded = 1;
    newest->counters.last_picture = newest->captured_at.monotonic.count();
    first = newest->of;
  }
  FramePicture pictures(regions, inputs);
  if (auto fits = pictures.fit(first.width, first.height); !fits.ok()) return fits.errors();
  const std::size_t bytes = pictures.bytes(first.width, first.height);
  try {
    return std::unique_ptr<FrameSource>(
        std::make_unique<LiveFrames>(std::move(newest), name, std::move(pictures), bytes));
  } catch (const std::system_error& error) {
    return Error{name, std::string("no thread can be started to read it: ") + error.what(), ""};
  }
}

}  // namespace saccade::runtime
