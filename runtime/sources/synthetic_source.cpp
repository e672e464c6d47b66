#include "runtime/sources/synthetic_source.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "runtime/sources/frame_tensor.hpp"
#include "runtime/sources/procedural/image_export.hpp"
#include "runtime/sources/procedural/image_generator.hpp"
#include "runtime/sources/procedural/random.hpp"

namespace saccade::runtime {
namespace {

struct PooledImage {
  cv::Mat bgr;  // of the network's size
  int label = 0;
};

class SyntheticFrames final : public FrameSource {
 public:
  SyntheticFrames(std::vector<PooledImage> pool, std::size_t regions, std::size_t input_size)
      : pool_(std::move(pool)), regions_(regions), input_size_(input_size) {}

  bool next(Duration /*at*/, Frame& frame) override {
    frame.input.resize(regions_ * input_size_);
    frame.labels.resize(regions_);
    for (std::size_t region = 0; region < regions_; ++region) {
      const PooledImage& image = pool_[drawn_ % pool_.size()];
      write_planes(image.bgr, frame.input.data() + region * input_size_);
      frame.labels[region] = image.label;
      ++drawn_;
    }
    return true;
  }

  std::optional<std::size_t> labelled_images() const override { return pool_.size(); }

 private:
  std::vector<PooledImage> pool_;
  std::size_t regions_;
  std::size_t input_size_;
  std::size_t drawn_ = 0;  // regions handed out: ticks so far times regions
};

// The network's index of each of the generator's labels.
Result<std::vector<int>> map_labels(const ImageGenerator& generator, const std::vector<std::string>& labels) {
  std::vector<int> index;
  Errors errors;
  for (const std::string& label : generator.labels()) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end()) {
      errors.push_back(
          {"source/data_set",
           "the network has no label '" + label + "' of the data set '" + std::string(generator.name()) + "'",
           "use the data set that the network was trained on"});
    }
    index.push_back(static_cast<int>(found - labels.begin()));
  }
  if (!errors.empty()) return errors;
  return index;
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_synthetic(const SyntheticSource& source, int regions,
                                                    const profiles::InputShape& input,
                                                    const std::vector<std::string>& labels) {
  const auto generator = ImageGenerator::find(source.data_set);
  if (!generator) {
    return Error{"source/data_set", "there is no data set '" + source.data_set + "'",
                 "known: " + known_data_sets()};
  }
  const auto index = map_labels(*generator, labels);
  if (!index.ok()) return index.errors();

  const cv::Size wanted(input.width, input.height);
  // The seed picks where in the endless `live` sequence this source begins.
  const std::uint64_t first = mix(source.seed);
  std::vector<PooledImage> pool(kSyntheticImages);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    LabelledImage image = generator->make(Split::live, first + i);
    pool[i].label = index.value()[static_cast<std::size_t>(image.label)];
    if (image.bgr.size() == wanted) {
      pool[i].bgr = std::move(image.bgr);
    } else {
      const bool shrinks = wanted.width < image.bgr.cols && wanted.height < image.bgr.rows;
      cv::resize(image.bgr, pool[i].bgr, wanted, 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    }
  }
  return std::unique_ptr<FrameSource>(
      std::make_unique<SyntheticFrames>(std::move(pool), static_cast<std::size_t>(regions), input.size()));
}

}  // namespace saccade::runtime
