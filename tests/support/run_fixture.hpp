// A small run for tests of the shells: tasks with two variants each ("small" and "big"), one
// processor, sources that need no file and know the right answer of the simulated engine.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/frame_source.hpp"
#include "runtime/run_config.hpp"

namespace saccade::test {

inline constexpr profiles::InputShape kTinyInput{.width = 4, .height = 4, .channels = 3};
inline constexpr double kSmallMemory = 1e6;
inline constexpr double kBigMemory = 4e6;

// accuracy 0.8 / 0.9, memory 1 / 4 MB, 50 / 100 us per frame; no model files.
[[nodiscard]] profiles::ProfileSet two_variants();

// One state of the timeline: `fps` each, `memory` for all.
[[nodiscard]] runtime::TimelineState state_at(double seconds, std::size_t tasks, double fps, double memory,
                                              const profiles::ProfileSetPtr& profiles);

[[nodiscard]] runtime::RunConfig run_config(std::vector<runtime::TimelineState> timeline);

// Frames whose label is what the simulated engine answers; notes where its frames lie in memory.
class KnownFrames final : public runtime::FrameSource {
 public:
  explicit KnownFrames(std::size_t input_size) : input_size_(input_size) {}
  bool next(Duration at, runtime::Frame& frame) override;
  [[nodiscard]] std::optional<std::size_t> labelled_images() const override { return 2; }
  [[nodiscard]] const std::set<const float*>& addresses() const { return addresses_; }

 private:
  std::size_t input_size_;
  int count_ = 0;
  std::set<const float*> addresses_;
};

}  // namespace saccade::test
