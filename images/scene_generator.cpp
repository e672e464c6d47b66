#include "images/scene_generator.hpp"

#include <utility>

#include "images/random.hpp"
#include "images/yard_objects.hpp"

namespace saccade::images {
namespace {

constexpr std::string_view kYardName = "yard";

}  // namespace

std::optional<SceneGenerator> SceneGenerator::find(std::string_view data_set) {
  if (data_set != kYardName) return std::nullopt;
  return SceneGenerator();
}

std::vector<std::string> SceneGenerator::names() { return {std::string(kYardName)}; }

std::string_view SceneGenerator::name() const noexcept { return kYardName; }

const std::vector<std::string>& SceneGenerator::labels() const noexcept { return yard_labels(); }

LabelledScene SceneGenerator::make(std::uint64_t seed, std::uint64_t index, cv::Size size) const {
  Random random(mix(mix(hash_of_name(kYardName) ^ seed) + index));
  const YardPlan plan = plan_yard(kYardUnits * size.width / size.height, random);
  YardPicture picture = paint_yard(plan, size);
  spoil_yard(picture.bgr, plan.camera);
  return {std::move(picture.bgr), std::move(picture.boxes)};
}

}  // namespace saccade::images
