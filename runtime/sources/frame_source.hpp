// The source of a task's frames. A source is driven by its task's capture thread, which requests the newest
// frame at the media time of every tick. The source decodes and reduces the picture; the engine that runs the
// frame makes the network's input, so that a waiting frame suits every variant. Threads: one capture thread
// per source. Errors: open() returns what cannot be opened; a source that fails later returns no frame and
// gives the reason in fault() until it delivers again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/pictures/picture.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/capture_counters.hpp"
#include "runtime/sources/capture_time.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::runtime {

// One frame: a picture with its regions or, from a client, a tensor; and, if the source knows it, the truth:
// the label of every region, or the objects.
struct Frame {
  PicturePtr picture;             // null: `input` holds the frame
  std::vector<PixelBox> regions;  // in the picture
  std::vector<float> input;       // of all regions, as Engine::prepare() takes them
  bool apart = false;             // from a client's tensor: every region is a picture of its own
  std::vector<int> labels;        // empty = unknown
  vision::Truths truths;          // in pixels of the source's frame
  bool truths_known = false;      // `truths` is complete
  CaptureTime captured_at;
  FrameNumber number = 0;
};

// The inputs of a network's variants, as far as frames depend on them.
struct NetworkInputs {
  int channels = 3;
  std::vector<profiles::PictureInput> variants;  // without duplicates
};
[[nodiscard]] NetworkInputs inputs_of(const profiles::ProfileSet& set);
// Of a set of the format saccade-profiles/1 with that input.
[[nodiscard]] NetworkInputs inputs_of(const profiles::InputShape& shape);

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The newest frame at media time `at` (time since the source started); fills `frame`, reusing its
  // memory. False: no frame for this tick (a camera without a new one, a source that failed).
  [[nodiscard]] virtual bool next(Duration at, Frame& frame) = 0;
  [[nodiscard]] virtual std::optional<std::string> fault() const { return std::nullopt; }
  // What differs from the request although frames arrive, such as a missing decoder; returned once.
  [[nodiscard]] virtual std::optional<std::string> take_notice() { return std::nullopt; }
  // Memory of a frame's picture, if known; what the source delivers currently needs no more.
  [[nodiscard]] virtual std::size_t frame_bytes() const { return 0; }
  // Counters of a camera's reader; null: the source has none. The caller shares ownership.
  [[nodiscard]] virtual std::shared_ptr<const CaptureCounters> counters() const { return nullptr; }
  // Number of distinct labelled images of the source; further frames repeat them and make a measured accuracy
  // no more certain. Absent: not labelled.
  [[nodiscard]] virtual std::optional<std::size_t> labelled_images() const { return std::nullopt; }
};

// `labels` are the network's, to map a labelled source's own labels onto the network's outputs.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_source(const SourceConfig& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs,
                                                               const std::vector<std::string>& labels);

// How a source is opened: open_source(), or a test's replacement.
using SourceOpener = std::function<Result<std::unique_ptr<FrameSource>>(
    const SourceConfig&, const Regions&, const NetworkInputs&, const std::vector<std::string>& labels)>;

}  // namespace saccade::runtime
