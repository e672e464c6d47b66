// Notes from outside what the product does, frame by frame: a backend and sources that pass everything
// on and write down when. The product itself runs as it is. A frame is known by where its pixels lie,
// so warm-ups, whose pixels no source brought, are no frames.
// Order: make a watch (shared: a loader thread that was left behind may still note something), wrap sources
// and backend in it, run, then read.
// Threads: any. All memory is taken and touched at once, so that writing down is not what a bench of
// memory sees grow; what does not fit any more is counted and left out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::bench {

struct FrameRun {  // one processed frame; times since the start of the run
  runtime::TaskIndex task = 0;
  std::uint64_t engine = 0;  // unique in a watch
  Duration due{0};
  Duration begin{0};  // of the preparation
  Duration end{0};
};

class Watch : public std::enable_shared_from_this<Watch> {
 public:
  explicit Watch(std::size_t most_frames);

  [[nodiscard]] std::unique_ptr<runtime::FrameSource> around(std::unique_ptr<runtime::FrameSource> source,
                                                             runtime::TaskIndex task);
  // Loads run on `loader_cpus`, wherever their thread would be otherwise (empty: where it is).
  [[nodiscard]] std::shared_ptr<const runtime::EngineBackend> around(
      std::shared_ptr<const runtime::EngineBackend> backend, std::vector<int> loader_cpus);

  void arrived(runtime::TaskIndex task, const std::uint8_t* pixels, Duration due);
  void ran(const std::uint8_t* pixels, std::uint64_t engine, TimePoint begin, TimePoint end);
  [[nodiscard]] std::uint64_t born() { return ++born_; }  // the name of a new engine
  void died() { ++died_; }
  [[nodiscard]] std::uint64_t engines() const { return born_ - died_; }  // that are there

  [[nodiscard]] const Clock& clock() const { return clock_; }
  // When the run began by this clock: no frame comes before it is due, and the first ones come at once.
  [[nodiscard]] TimePoint start() const;
  // In the order in which they ended.
  [[nodiscard]] std::vector<FrameRun> frames() const;
  // When the task's frames that a source brought were due, ascending.
  [[nodiscard]] std::vector<Duration> arrivals(runtime::TaskIndex task) const;
  [[nodiscard]] std::size_t left_out() const;

 private:
  struct Arrival {
    runtime::TaskIndex task = 0;
    Duration due{0};
  };
  const SteadyClock clock_;
  std::atomic<std::uint64_t> born_ = 0;
  std::atomic<std::uint64_t> died_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<const std::uint8_t*, Arrival> waiting_;
  std::optional<TimePoint> start_;
  std::vector<FrameRun> frames_;  // begin and end by the clock; all there, `count_` of them used
  std::size_t count_ = 0;
  std::vector<std::pair<runtime::TaskIndex, Duration>> arrivals_;  // as frames_
  std::size_t arrived_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace saccade::bench
