// The product while its loader works without a pause in every other stretch of time.
#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/switch/plans.hpp"
#include "bench/switch/product.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/real/loader.hpp"

namespace saccade::bench {
namespace {

constexpr Duration kMargin = std::chrono::milliseconds(250);  // of a stretch, until it shows its own nature
constexpr Duration kLook = std::chrono::milliseconds(100);

// A loader of the product's, kept busy: load, warm, destroy, next variant.
class LoadStream {
 public:
  LoadStream(const Course& course, Watch& watch)
      : used_(used_variants(course)),
        loader_(watch.around(course.backend, serving_cpus(course)), course.config.runtime,
                course.config.processors, clock_, queue_),
        thread_([this] { run(); }) {
    loader_.set_urgency(false);  // as where no frame waits for loads
  }
  ~LoadStream() {
    ended_ = true;
    set(true);
    thread_.join();
  }
  LoadStream(const LoadStream&) = delete;
  LoadStream& operator=(const LoadStream&) = delete;

  void set(bool on) {
    on_ = on;
    on_.notify_all();
  }
  [[nodiscard]] std::size_t loads() const { return loads_; }

 private:
  void run() {
    for (std::size_t i = 0; !ended_; ++i) {
      if (!on_) {
        on_.wait(false);
        continue;
      }
      const Used& next = used_[i % used_.size()];
      const runtime::EngineKey engine = i + 1;
      loader_.load({engine, next.task, next.variant, next.regions, next.profiles, 0}, clock_->now());
      await<runtime::event::LoadFinished>();
      loader_.warm({engine, 2});
      await<runtime::event::WarmFinished>();
      loader_.unload(engine);
      await<runtime::event::Unloaded>();
      ++loads_;
    }
  }
  template <class Awaited>
  void await() {
    for (;;) {
      const auto message = queue_->take(clock_->now() + kLook);
      loader_.watch(clock_->now());
      const auto* event = message ? std::get_if<runtime::Event>(&message->what) : nullptr;
      if (event != nullptr && std::holds_alternative<Awaited>(*event)) return;
    }
  }

  const std::vector<Used> used_;
  const std::shared_ptr<const SteadyClock> clock_ = std::make_shared<SteadyClock>();
  const std::shared_ptr<runtime::MessageQueue> queue_ = std::make_shared<runtime::MessageQueue>(*clock_);
  runtime::Loader loader_;
  std::atomic<bool> on_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<std::size_t> loads_ = 0;
  std::thread thread_;
};

}  // namespace

Result<LoadPairs> run_beside_loads(const Course& course, std::size_t pairs, Duration stretch) {
  LoadPairs result;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const Duration begin = static_cast<std::int64_t>(2 * pair + 1) * stretch;
    result.without.push_back({begin + kMargin, begin + stretch});
    result.with.push_back({begin + stretch + kMargin, begin + 2 * stretch});
  }
  const Duration end = result.with.back().to;
  runtime::RunConfig config = course.config;
  config.timeline.resize(1);
  const auto shared_watch = std::make_shared<Watch>(most_frames(course, end));
  Watch& watch = *shared_watch;
  LoadStream stream(course, watch);
  auto recording = watch_product(course, std::move(config), watch, [&](const runtime::RunStatus& status) {
    const auto number = status.at / stretch;  // 0 is for settling
    stream.set(number > 0 && number % 2 == 0);
    if (course.progress) course.progress(std::min(1.0, to_seconds(status.at) / to_seconds(end)));
    return status.at >= end;
  });
  if (!recording) return recording.errors();
  result.loads = stream.loads();
  result.recording = std::move(recording).value();
  return result;
}

}  // namespace saccade::bench
