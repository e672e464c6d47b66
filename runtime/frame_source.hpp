// Where a task's frames come from. A source is driven by the capture thread of its task: at every
// tick it is asked for the newest frame at that media time. It decodes and converts, so that nothing
// of this runs on a worker.
// Threads: one capture thread per source. Errors: open() says what cannot be opened; a source that
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
#include "runtime/run_config.hpp"

namespace saccade::runtime {

// One frame, ready for an engine: float32 NCHW of all regions (RGB, value / 255) and, where the
// source knows them, the true label of every region.
struct Frame {
  std::vector<float> input;
  std::vector<int> labels;  // empty = not known
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The newest frame at media time `at` (time since the source started); fills `frame`, reusing its
  // memory. False: no frame for this tick (a camera without a new one, a source that failed).
  [[nodiscard]] virtual bool next(Duration at, Frame& frame) = 0;
  [[nodiscard]] virtual std::optional<std::string> fault() const { return std::nullopt; }
  // How many different labelled images the source has; what it delivers beyond that repeats them and
  // makes a measured accuracy no more certain. Absent: not labelled.
  [[nodiscard]] virtual std::optional<std::size_t> labelled_images() const { return std::nullopt; }
};

// `labels` are the network's, to map a labelled source's own labels onto the network's outputs.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_source(const SourceConfig& source,
                                                               const Regions& regions,
                                                               const profiles::InputShape& input,
                                                               const std::vector<std::string>& labels);

// How a source is opened: open_source(), or what a test puts in its place.
using SourceOpener = std::function<Result<std::unique_ptr<FrameSource>>(
    const SourceConfig&, const Regions&, const profiles::InputShape&,
    const std::vector<std::string>& labels)>;

}  // namespace saccade::runtime
