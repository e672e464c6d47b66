#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::images {

struct DataSet;

// The parts a data set is cut into. Each is an endless sequence of its own, so no image is shared.
enum class Split { train, calibration, held_out, live };

// The seed of a split: a fixed constant, the same for every data set.
[[nodiscard]] std::uint64_t seed_of(Split split) noexcept;

// "train", "calibration", "held_out" or "live".
[[nodiscard]] std::string_view name_of(Split split) noexcept;

// The inverse of name_of; nothing for any other name.
[[nodiscard]] std::optional<Split> split_named(std::string_view name) noexcept;

// kImageSide x kImageSide pixels, CV_8UC3 in OpenCV's BGR order, and the index of its label.
struct LabelledImage {
  cv::Mat bgr;
  int label = 0;
};

inline constexpr int kImageSide = 64;
inline constexpr int kImageChannels = 3;

// Draws labelled images of one procedural data set. An image is a pure function of
// (data set, seed, index): any index may be asked for first, on any thread, and gives the same
// bytes again in the same build; other compilers, processors and versions of OpenCV may round a few
// pixels differently. Labels are uniformly distributed.
// A generator is a handle to an immutable table; copies are cheap and may be used from several
// threads at once. Drawing runs on the calling thread and leaves OpenCV's global settings alone.
class ImageGenerator {
 public:
  // The data set of that name, or nothing when there is none.
  [[nodiscard]] static std::optional<ImageGenerator> find(std::string_view data_set);

  // The names of all data sets, in alphabetical order.
  [[nodiscard]] static std::vector<std::string> names();

  [[nodiscard]] std::string_view name() const noexcept;

  // The label names; LabelledImage::label indexes them. Lives as long as the process.
  [[nodiscard]] const std::vector<std::string>& labels() const noexcept;

  [[nodiscard]] LabelledImage make(std::uint64_t seed, std::uint64_t index) const;
  [[nodiscard]] LabelledImage make(Split split, std::uint64_t index) const {
    return make(seed_of(split), index);
  }

 private:
  explicit ImageGenerator(const DataSet& data_set) noexcept : data_set_(&data_set) {}

  const DataSet* data_set_;
};

}  // namespace saccade::images
