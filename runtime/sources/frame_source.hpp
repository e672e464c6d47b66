// Where a task's frames come from. A source is driven by the capture thread of its task: at every
// tick it is asked for the newest frame at that media time. It decodes and reduces the picture; what a
// network takes is made of it by the engine that runs the frame, so that a frame that waits suits every
// variant. Threads: one capture thread per source. Errors: open() says what cannot be opened; a source that
// fails later returns no frame and says why in fault() until it delivers again.
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

// One frame: a picture with its regions or, from a client, numbers; and, where the source knows them, the
// true label of every region, or the objects that are to be found.
struct Frame {
  PicturePtr picture;             // null: `input` holds the frame
  std::vector<PixelBox> regions;  // in the picture
  std::vector<float> input;       // of all regions, as Engine::prepare() takes them
  bool apart = false;             // from a client's numbers: every region is a picture of its own
  std::vector<int> labels;        // empty = not known
  vision::Truths truths;          // in pixels of the source's frame
  bool truths_known = false;      // they are all that there is to be found
  CaptureTime captured_at;
  FrameNumber number = 0;
};

// What the variants of a network take, as far as their frames depend on it.
struct NetworkInputs {
  int channels = 3;
  std::vector<profiles::PictureInput> variants;  // different ones
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
  // What is not as it was asked for although frames come, such as a decoder that is not there; told once.
  [[nodiscard]] virtual std::optional<std::string> take_notice() { return std::nullopt; }
  // The memory of a frame's picture, as far as it is known: what the source delivers now needs no more.
  [[nodiscard]] virtual std::size_t frame_bytes() const { return 0; }
  // What a camera's reader counts; null: the source has none. Kept by whoever asked.
  [[nodiscard]] virtual std::shared_ptr<const CaptureCounters> counters() const { return nullptr; }
  // How many different labelled images the source has; what it delivers beyond that repeats them and
  // makes a measured accuracy no more certain. Absent: not labelled.
  [[nodiscard]] virtual std::optional<std::size_t> labelled_images() const { return std::nullopt; }
};

// `labels` are the network's, to map a labelled source's own labels onto the network's outputs.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_source(const SourceConfig& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs,
                                                               const std::vector<std::string>& labels);

// How a source is opened: open_source(), or what a test puts in its place.
using SourceOpener = std::function<Result<std::unique_ptr<FrameSource>>(
    const SourceConfig&, const Regions&, const NetworkInputs&, const std::vector<std::string>& labels)>;

}  // namespace saccade::runtime
