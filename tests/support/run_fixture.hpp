// A small run for tests of the shells: tasks with two variants each ("small" and "big"), one
// processor or several alike, sources that need no file and know the right answer of the simulated engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::test {

inline constexpr profiles::InputShape kTinyInput{.width = 4, .height = 4, .channels = 3};
inline constexpr double kSmallMemory = 1e6;
inline constexpr double kBigMemory = 4e6;

// accuracy 0.8 / 0.9, memory 1 / 4 MB, 50 / 100 us per frame; no model files. For each of `processors`
// ("cpu", "cpu1", "cpu2"...) both variants, of the further ones as "small-cpu1"...
[[nodiscard]] profiles::ProfileSet two_variants(std::size_t processors = 1);

// One state of the timeline, on the processors of the profiles: `fps` each, `memory` for all.
[[nodiscard]] runtime::TimelineState state_at(double seconds, std::size_t tasks, double fps, double memory,
                                              const profiles::ProfileSetPtr& profiles);

// On the processors of the first state, unpinned.
[[nodiscard]] runtime::RunConfig run_config(std::vector<runtime::TimelineState> timeline);

// Frames whose label is what the simulated engine answers, whatever the size of its input; notes where its
// frames lie in memory.
class KnownFrames final : public runtime::FrameSource {
 public:
  bool next(Duration at, runtime::Frame& frame) override;
  [[nodiscard]] std::optional<std::size_t> labelled_images() const override { return 2; }
  [[nodiscard]] std::size_t frame_bytes() const override {
    return runtime::Picture::bytes(kTinyInput.width, kTinyInput.height);
  }
  [[nodiscard]] const std::set<const std::uint8_t*>& addresses() const { return addresses_; }

 private:
  int count_ = 0;
  std::set<const std::uint8_t*> addresses_;
};

}  // namespace saccade::test
