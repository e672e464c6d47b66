#include "runtime/sources/synthetic_source.hpp"

#include <algorithm>

#include "images/image_export.hpp"
#include "images/image_generator.hpp"
#include "images/random.hpp"
#include "images/scene_export.hpp"
#include "runtime/pictures/resizing.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/synthetic_scenes.hpp"

namespace saccade::runtime {
namespace {

struct PooledImage {
  cv::Mat bgr;  // reduced as a camera's picture is
  int label = 0;
};

class SyntheticFrames final : public FrameSource {
 public:
  SyntheticFrames(std::vector<PooledImage> pool, int regions, int columns, cv::Size drawn)
      : pool_(std::move(pool)),
        regions_(static_cast<std::size_t>(regions)),
        columns_(columns),
        drawn_size_(drawn) {
    const int rows = (regions + columns_ - 1) / columns_;
    const cv::Size cell = pool_.front().bgr.size();
    sheet_ = cv::Size(columns_ * cell.width, rows * cell.height);
    for (int region = 0; region < regions; ++region) {
      boxes_.push_back(
          {region % columns_ * cell.width, region / columns_ * cell.height, cell.width, cell.height});
    }
  }

  bool next(Duration /*at*/, Frame& frame) override {
    Picture& picture = renew(frame.picture);
    picture.resize(sheet_.width, sheet_.height);
    picture.frame_width = columns_ * drawn_size_.width;
    picture.frame_height = sheet_.height / boxes_.front()[3] * drawn_size_.height;
    picture.order = profiles::ColorOrder::bgr;
    cv::Mat sheet = view_of(picture);
    if (static_cast<int>(regions_) % columns_ != 0) sheet = cv::Scalar::all(0);
    frame.regions = boxes_;
    frame.input.clear();
    frame.labels.resize(regions_);
    frame.captured_at = captured_now();
    for (std::size_t region = 0; region < regions_; ++region) {
      const PooledImage& image = pool_[drawn_ % pool_.size()];
      image.bgr.copyTo(view_of(picture, boxes_[region]));
      frame.labels[region] = image.label;
      ++drawn_;
    }
    return true;
  }

  std::size_t frame_bytes() const override { return Picture::bytes(sheet_.width, sheet_.height); }
  std::optional<std::size_t> labelled_images() const override { return pool_.size(); }

 private:
  std::vector<PooledImage> pool_;
  std::size_t regions_;
  int columns_;
  cv::Size drawn_size_;  // of an image
  cv::Size sheet_;
  std::vector<PixelBox> boxes_;
  std::size_t drawn_ = 0;  // regions handed out: ticks so far times regions
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_synthetic(const SyntheticSource& source, const Regions& regions,
                                                    const NetworkInputs& inputs,
                                                    const std::vector<std::string>& labels) {
  if (const auto scenes = images::SceneGenerator::find(source.data_set))
    return open_scenes(*scenes, source, regions, inputs, labels);
  const auto generator = images::ImageGenerator::find(source.data_set);
  if (!generator) {
    return Error{"source/data_set", "there is no data set '" + source.data_set + "'",
                 "known: " + images::known_data_sets() + "; of scenes: " + images::known_scene_sets()};
  }
  const auto index = map_labels(generator->labels(), source.data_set, labels);
  if (!index.ok()) return index.errors();

  const cv::Size drawn(images::kImageSide, images::kImageSide);
  const cv::Size reduced = least_size(drawn, {{0, 0, drawn.width, drawn.height}}, inputs);
  // The seed picks where in the endless `live` sequence this source begins.
  const std::uint64_t first = images::mix(source.seed);
  std::vector<PooledImage> pool(kSyntheticImages);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    images::LabelledImage image = generator->make(images::Split::live, first + i);
    pool[i].label = index.value()[static_cast<std::size_t>(image.label)];
    if (reduced == drawn) {
      pool[i].bgr = std::move(image.bgr);
    } else {
      resize_to(image.bgr, reduced, inputs.variants.front().filter, pool[i].bgr);
    }
  }
  const int count = region_count(regions);
  return std::unique_ptr<FrameSource>(
      std::make_unique<SyntheticFrames>(std::move(pool), count, sheet_columns(regions, count), drawn));
}

}  // namespace saccade::runtime
