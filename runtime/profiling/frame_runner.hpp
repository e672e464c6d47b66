// Frames as a worker runs them, for timing: prepared from pictures, inferred, and decoded at the set's own
// thresholds. One frame of a batch has a picture per place, whose objects are merged as those of regions. The
// pictures are real ones if available, from all parts of the data, and change from round to round, the same
// for all variants of a round. Threads: one. Errors: of the pictures, engines and answers.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/profiling/profile_rounds.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

class FrameRunner {
 public:
  // `set` must outlive it. Frames of up to `largest_batch` places. Without `images` the pictures are noise of
  // the size of the largest input.
  [[nodiscard]] static Result<FrameRunner> make(const profiles::ProfileSet& set,
                                                const std::optional<LabelledImages>& images,
                                                int largest_batch, const Clock& clock);

  // On an engine of that variant, of any batch up to the largest.
  [[nodiscard]] Status run(std::size_t variant, Engine& engine);
  // Of the latest frame.
  [[nodiscard]] const TimeParts& parts() const { return parts_; }
  // Switches to other pictures.
  void next_round() { ++round_; }

 private:
  FrameRunner(const profiles::ProfileSet& set, const Clock& clock) : set_(&set), clock_(&clock) {}
  void fill_with_noise();
  // Created at the first frame of a variant and batch; kept.
  [[nodiscard]] Result<FrameDecoder*> decoder_of(std::size_t variant, const Engine& engine);
  [[nodiscard]] const Picture& picture(std::size_t place) const {
    return pictures_[(round_ + place) % pictures_.size()];
  }

  const profiles::ProfileSet* set_;
  const Clock* clock_;
  std::vector<Picture> pictures_;
  std::size_t round_ = 0;
  std::map<std::pair<std::size_t, int>, FrameDecoder> decoders_;  // by variant and batch
  std::vector<vision::Placement> placements_;
  Outputs outputs_;
  FrameResult result_;
  TimeParts parts_{};
};

}  // namespace saccade::runtime
