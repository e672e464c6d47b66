// map and map50 (average_precision.hpp) over the latest served frames of a task whose truth is known. Frames
// that were not processed are not added. Memory: the last `frames` frames, 12 bytes per object (the first 100
// of a label in a frame). Cost: add() matches one frame; value() sorts the objects of all frames kept.
// Threads: one at a time; take a copy for use elsewhere. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vision/accuracy/average_precision.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::vision {

class RecentPrecision {
 public:
  explicit RecentPrecision(std::size_t frames = 500) : most_(frames) {}

  // Returns the frame's own matches, for its accounting.
  FrameMatches add(std::span<const Truth> truths, std::span<const Object> objects);
  [[nodiscard]] std::size_t frames() const { return frames_.size(); }
  [[nodiscard]] std::optional<MeanPrecision> value() const;  // absent: no frame kept has a truth that counts
  void clear() { frames_.clear(); }

 private:
  struct Found {
    int label;
    float score;
    std::uint16_t right;  // bit t of a mask is for threshold t
    std::uint16_t ignored;
  };
  struct Frame {
    std::vector<std::pair<int, std::uint32_t>> truths;  // how many of each label
    std::vector<Found> found;
  };

  std::size_t most_;
  std::deque<Frame> frames_;
};

}  // namespace saccade::vision
