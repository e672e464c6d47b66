#include <algorithm>
#include <tuple>

#include "vision/decode/decoder.hpp"

namespace saccade::vision {
namespace {

constexpr double kMergeThreshold = 0.45;  // of a selection without a threshold of its own

// A whole order, so that no stable sort is needed, which would allocate.
bool comes_first(const Object& a, const Object& b) {
  const auto key = [](const Object& object) {
    return std::tuple(-object.score, object.region, object.label, object.box.x, object.box.y,
                      object.box.width, object.box.height);
  };
  return key(a) < key(b);
}

bool shared_by_regions(const Box& a, const Box& b, float threshold) {
  const float width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (width <= 0.0F || height <= 0.0F) return false;
  const float shared = width * height;
  return shared > threshold * (a.width * a.height + b.width * b.height - shared);
}

}  // namespace

void merge_regions(Objects& objects, const profiles::Selection& selection) {
  std::sort(objects.begin(), objects.end(), comes_first);
  const auto most = static_cast<std::size_t>(std::max(selection.max_objects, 0));
  const auto threshold = static_cast<float>(selection.iou_threshold.value_or(kMergeThreshold));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < objects.size() && kept < most; ++i) {
    const Object object = objects[i];
    // Objects of one region were compared with each other when they were decoded.
    const auto same = [&](const Object& better) {
      return better.region != object.region && (selection.agnostic || better.label == object.label) &&
             shared_by_regions(better.box, object.box, threshold);
    };
    const auto end = objects.begin() + static_cast<std::ptrdiff_t>(kept);
    if (selection.merge_regions && std::any_of(objects.begin(), end, same)) continue;
    objects[kept] = object;
    ++kept;
  }
  objects.resize(kept);
}

}  // namespace saccade::vision
