#include "runtime/sources/live_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/sources/capture.hpp"
#include "runtime/sources/frame_tensor.hpp"
#include "runtime/sources/retry.hpp"

namespace saccade::runtime {
namespace {

// What reader and source share. The reader holds a reference of its own: a read that hangs in the
// driver cannot be interrupted, and closing the source does not wait for it.
struct Newest {
  std::mutex mutex;
  std::condition_variable closed;
  bool closing = false;
  bool fresh = false;  // came after the last one taken
  bool lost = false;
  cv::Mat picture;
};

void read_on(const std::shared_ptr<Newest>& newest, cv::VideoCapture capture,
             const std::function<bool(cv::VideoCapture&)>& open) {
  cv::Mat picture;
  RetryPause retry(std::random_device{}());
  for (;;) {
    const bool got = capture.isOpened() && grab(capture) && retrieve(capture, picture);
    std::unique_lock lock(newest->mutex);
    if (newest->closing) return;
    newest->lost = !got;
    if (got) {
      std::swap(newest->picture, picture);
      newest->fresh = true;
      retry.succeeded();
      continue;
    }
    if (newest->closed.wait_for(lock, retry.next(), [&] { return newest->closing; })) return;
    lock.unlock();
    capture.release();
    static_cast<void>(open(capture));  // success shows at the next grab
  }
}

class LiveFrames final : public FrameSource {
 public:
  LiveFrames(cv::VideoCapture capture, std::function<bool(cv::VideoCapture&)> open, std::string name,
             FrameTensor tensor)
      : name_(std::move(name)), tensor_(std::move(tensor)), newest_(std::make_shared<Newest>()) {
    std::thread(read_on, newest_, std::move(capture), std::move(open)).detach();
  }

  ~LiveFrames() override {
    const std::lock_guard lock(newest_->mutex);
    newest_->closing = true;
    newest_->closed.notify_all();
  }

  bool next(Duration /*at*/, Frame& frame) override {
    {
      const std::lock_guard lock(newest_->mutex);
      if (newest_->lost) fault_ = name_ + " delivers nothing; opening it again";
      if (!newest_->fresh) return false;
      newest_->fresh = false;
      std::swap(newest_->picture, picture_);
    }
    if (!tensor_.write(picture_, frame.input)) {
      fault_ = "the picture size of " + name_ + " changed and the regions no longer fit";
      return false;
    }
    frame.labels.clear();
    fault_.reset();
    return true;
  }

  std::optional<std::string> fault() const override { return fault_; }

 private:
  std::string name_;
  FrameTensor tensor_;
  std::shared_ptr<Newest> newest_;
  cv::Mat picture_;
  std::optional<std::string> fault_;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_live(cv::VideoCapture capture,
                                               std::function<bool(cv::VideoCapture&)> open,
                                               const std::string& name, const Regions& regions,
                                               const profiles::InputShape& input) {
  cv::Mat first;
  if (!grab(capture) || !retrieve(capture, first)) {
    return Error{name, "the camera delivers no picture", "check that no other program uses it"};
  }
  FrameTensor tensor(regions, input);
  if (auto fits = tensor.fit(first.cols, first.rows); !fits.ok()) return fits.errors();
  return std::unique_ptr<FrameSource>(
      std::make_unique<LiveFrames>(std::move(capture), std::move(open), name, std::move(tensor)));
}

}  // namespace saccade::runtime
