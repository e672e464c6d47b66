#include "bench/switch/watch.hpp"

#include <algorithm>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

class WatchedSource final : public runtime::FrameSource {
 public:
  WatchedSource(std::shared_ptr<Watch> watch, std::unique_ptr<runtime::FrameSource> source,
                runtime::TaskIndex task)
      : watch_(std::move(watch)), source_(std::move(source)), task_(task) {}

  bool next(Duration at, runtime::Frame& frame) override {
    const bool got = source_->next(at, frame);
    if (got) watch_->arrived(task_, frame.picture->pixels.data(), at);
    return got;
  }
  [[nodiscard]] std::optional<std::string> fault() const override { return source_->fault(); }
  [[nodiscard]] std::optional<std::size_t> labelled_images() const override {
    return source_->labelled_images();
  }

 private:
  std::shared_ptr<Watch> watch_;
  std::unique_ptr<runtime::FrameSource> source_;
  runtime::TaskIndex task_;
};

class WatchedEngine final : public runtime::Engine {
 public:
  WatchedEngine(std::shared_ptr<Watch> watch, std::unique_ptr<runtime::Engine> engine)
      : watch_(std::move(watch)), engine_(std::move(engine)), name_(watch_->born()) {}
  ~WatchedEngine() override {
    engine_.reset();
    watch_->died();
  }
  WatchedEngine(const WatchedEngine&) = delete;
  WatchedEngine& operator=(const WatchedEngine&) = delete;

  Status prepare(std::size_t place, const runtime::Picture& picture,
                 const runtime::PixelBox& region) override {
    if (place == 0) {
      pixels_ = picture.pixels.data();
      begin_ = watch_->clock().now();
    }
    return engine_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return engine_->prepare(planes); }
  Status infer(runtime::Outputs& outputs) override {
    Status status = engine_->infer(outputs);
    watch_->ran(pixels_, name_, begin_, watch_->clock().now());
    return status;
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return engine_->outputs(); }
  [[nodiscard]] int batch() const override { return engine_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return engine_->classes(); }

 private:
  std::shared_ptr<Watch> watch_;
  std::unique_ptr<runtime::Engine> engine_;
  std::uint64_t name_;
  const std::uint8_t* pixels_ = nullptr;  // of the frame that was prepared last
  TimePoint begin_{};
};

class WatchedBackend final : public runtime::EngineBackend {
 public:
  WatchedBackend(std::shared_ptr<Watch> watch, std::shared_ptr<const runtime::EngineBackend> backend,
                 std::vector<int> loader_cpus)
      : watch_(std::move(watch)), backend_(std::move(backend)), loader_cpus_(std::move(loader_cpus)) {}

  [[nodiscard]] std::string name() const override { return backend_->name(); }
  [[nodiscard]] std::string version() const override { return backend_->version(); }
  [[nodiscard]] bool keeps_graphs() const override { return backend_->keeps_graphs(); }
  [[nodiscard]] Result<std::unique_ptr<runtime::Engine>> load(
      const runtime::EngineSpec& spec) const override {
    runtime::pin_to(loader_cpus_);
    auto loaded = backend_->load(spec);
    if (!loaded) return loaded.errors();
    return std::unique_ptr<runtime::Engine>(
        std::make_unique<WatchedEngine>(watch_, std::move(loaded).value()));
  }

 private:
  std::shared_ptr<Watch> watch_;
  std::shared_ptr<const runtime::EngineBackend> backend_;
  std::vector<int> loader_cpus_;
};

}  // namespace

Watch::Watch(std::size_t most_frames) : frames_(most_frames), arrivals_(most_frames) {}

std::unique_ptr<runtime::FrameSource> Watch::around(std::unique_ptr<runtime::FrameSource> source,
                                                    runtime::TaskIndex task) {
  return std::make_unique<WatchedSource>(shared_from_this(), std::move(source), task);
}

std::shared_ptr<const runtime::EngineBackend> Watch::around(
    std::shared_ptr<const runtime::EngineBackend> backend, std::vector<int> loader_cpus) {
  return std::make_shared<WatchedBackend>(shared_from_this(), std::move(backend), std::move(loader_cpus));
}

void Watch::arrived(runtime::TaskIndex task, const std::uint8_t* pixels, Duration due) {
  const std::lock_guard lock(mutex_);
  const TimePoint start = clock_.now() - due;
  start_ = start_ ? std::min(*start_, start) : start;
  waiting_[pixels] = {task, due};
  if (arrived_ < arrivals_.size()) arrivals_[arrived_++] = {task, due};
}

void Watch::ran(const std::uint8_t* pixels, std::uint64_t engine, TimePoint begin, TimePoint end) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(pixels);
  if (found == waiting_.end()) return;
  if (count_ < frames_.size()) {
    frames_[count_++] = {found->second.task, engine, found->second.due, begin.time_since_epoch(),
                         end.time_since_epoch()};
  } else {
    ++left_out_;
  }
  waiting_.erase(found);
}

TimePoint Watch::start() const {
  const std::lock_guard lock(mutex_);
  return start_.value_or(TimePoint{});
}

std::vector<FrameRun> Watch::frames() const {
  const std::lock_guard lock(mutex_);
  std::vector<FrameRun> frames(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(count_));
  const Duration start = start_.value_or(TimePoint{}).time_since_epoch();
  for (FrameRun& frame : frames) {
    frame.begin -= start;
    frame.end -= start;
  }
  return frames;
}

std::vector<Duration> Watch::arrivals(runtime::TaskIndex task) const {
  const std::lock_guard lock(mutex_);
  std::vector<Duration> dues;
  for (std::size_t i = 0; i < arrived_; ++i) {
    if (arrivals_[i].first == task) dues.push_back(arrivals_[i].second);
  }
  std::sort(dues.begin(), dues.end());
  return dues;
}

std::size_t Watch::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

}  // namespace saccade::bench
