#include "service/live/seen_objects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace saccade::service {
namespace {

// Of the label with that number; `values` are those of all labels.
float score_of(std::span<const float> values, std::size_t best, profiles::Activation activation) {
  switch (activation) {
    case profiles::Activation::none:
      return std::clamp(values[best], 0.0F, 1.0F);
    case profiles::Activation::sigmoid:
      return 1.0F / (1.0F + std::exp(-values[best]));
    case profiles::Activation::softmax:
      break;
  }
  float sum = 0.0F;
  for (const float value : values) sum += std::exp(value - values[best]);  // none is above the best
  return 1.0F / sum;
}

profiles::Activation activation_of(const profiles::ProfileSet& set, std::size_t variant) {
  const bool own = variant < set.variants.size() && set.variants[variant].interface.has_value();
  const profiles::ModelInterface& interface = own ? *set.variants[variant].interface : set.interface;
  const auto* classify = std::get_if<profiles::ClassifyDecoder>(&interface.decoder);
  return classify != nullptr ? classify->activation : profiles::Activation::softmax;
}

// In pixels of the source's frame, of which the picture may be a reduced copy.
vision::Box box_of(const runtime::SeenFrame& frame, std::size_t region) {
  if (frame.picture == nullptr || region >= frame.regions.size()) return {};
  const runtime::Picture& picture = *frame.picture;
  const auto scale = [](int of_frame, int of_picture) {
    return of_picture > 0 ? static_cast<float>(of_frame) / static_cast<float>(of_picture) : 1.0F;
  };
  const float across = scale(picture.frame_width, picture.width);
  const float down = scale(picture.frame_height, picture.height);
  const runtime::PixelBox& box = frame.regions[region];
  return {static_cast<float>(box[0]) * across, static_cast<float>(box[1]) * down,
          static_cast<float>(box[2]) * across, static_cast<float>(box[3]) * down};
}

}  // namespace

void take_objects(const runtime::SeenFrame& frame, vision::Objects& objects) {
  objects.assign(frame.objects.begin(), frame.objects.end());
  if (frame.classes.empty() || frame.logits.size() % frame.classes.size() != 0) return;
  const std::size_t labels = frame.logits.size() / frame.classes.size();
  const profiles::Activation activation = activation_of(*frame.task.profiles, frame.variant);
  for (std::size_t region = 0; region < frame.classes.size(); ++region) {
    const auto best = static_cast<std::size_t>(frame.classes[region]);
    if (best >= labels) continue;
    const float score = score_of(frame.logits.subspan(region * labels, labels), best, activation);
    objects.push_back({box_of(frame, region), frame.classes[region], score, static_cast<int>(region)});
  }
  const auto better = [](const vision::Object& a, const vision::Object& b) { return a.score > b.score; };
  // std::stable_sort allocates.
  if (!std::is_sorted(objects.begin(), objects.end(), better))
    std::stable_sort(objects.begin(), objects.end(), better);
}

}  // namespace saccade::service
