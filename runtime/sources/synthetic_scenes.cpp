#include "runtime/sources/synthetic_scenes.hpp"

#include <algorithm>
#include <utility>

#include "images/random.hpp"
#include "runtime/sources/drawn_scene.hpp"
#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {
namespace {

struct PooledScene {
  cv::Mat bgr;
  vision::Truths truths;
};

class SyntheticScenes final : public FrameSource {
 public:
  SyntheticScenes(std::vector<PooledScene> pool, const Regions& regions, const NetworkInputs& inputs)
      : pool_(std::move(pool)), picture_(regions, inputs) {}

  bool next(Duration /*at*/, Frame& frame) override {
    const PooledScene& scene = pool_[shown_ % pool_.size()];
    if (!picture_.write(scene.bgr, frame)) return false;
    frame.labels.clear();
    frame.truths = scene.truths;
    frame.truths_known = true;
    frame.captured_at = captured_now();
    ++shown_;
    return true;
  }

  std::size_t frame_bytes() const override { return picture_.bytes(images::kSceneSide, images::kSceneSide); }

 private:
  std::vector<PooledScene> pool_;
  FramePicture picture_;
  std::size_t shown_ = 0;
};

}  // namespace

Result<std::vector<int>> map_labels(const std::vector<std::string>& drawn, const std::string& data_set,
                                    const std::vector<std::string>& labels) {
  std::vector<int> index;
  Errors errors;
  for (const std::string& label : drawn) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end()) {
      errors.push_back({"source/data_set",
                        "the network has no label '" + label + "' of the data set '" + data_set + "'",
                        "use the data set that the network was trained on"});
    }
    index.push_back(static_cast<int>(found - labels.begin()));
  }
  if (!errors.empty()) return errors;
  return index;
}

Result<std::unique_ptr<FrameSource>> open_scenes(const images::SceneGenerator& generator,
                                                 const SyntheticSource& source, const Regions& regions,
                                                 const NetworkInputs& inputs,
                                                 const std::vector<std::string>& labels) {
  const auto index = map_labels(generator.labels(), source.data_set, labels);
  if (!index) return index.errors();
  const FramePicture picture(regions, inputs);
  if (auto fits = picture.fit(images::kSceneSide, images::kSceneSide); !fits) return fits.errors();
  // The seed picks where in the endless `live` sequence this source begins.
  const std::uint64_t first = images::mix(source.seed);
  std::vector<PooledScene> pool(kSyntheticScenes);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    images::LabelledScene scene = generator.make(images::Split::live, first + i);
    vision::Truths truths = truths_of(scene.boxes);
    for (vision::Truth& truth : truths) truth.label = index.value()[static_cast<std::size_t>(truth.label)];
    pool[i] = {std::move(scene.bgr), std::move(truths)};
  }
  return std::unique_ptr<FrameSource>(std::make_unique<SyntheticScenes>(std::move(pool), regions, inputs));
}

}  // namespace saccade::runtime
