#include "profiles/profile_set.hpp"

#include <algorithm>

namespace saccade::profiles {

ModelInterface plain_interface(const InputShape& input) {
  ModelInterface interface;
  interface.input.width = input.width;
  interface.input.height = input.height;
  interface.input.filter = Filter::area;
  return interface;
}

const char* to_string(AccuracySource source) {
  switch (source) {
    case AccuracySource::measured:
      return "measured";
    case AccuracySource::teacher:
      return "teacher";
    case AccuracySource::declared:
      return "declared";
  }
  return "measured";
}

ModelInterface interface_of(const ProfileSet& set, const Variant& variant) {
  if (variant.interface) return *variant.interface;
  ModelInterface interface = set.interface;
  if (interface.input.width == 0) interface.input.width = set.input.width;
  if (interface.input.height == 0) interface.input.height = set.input.height;
  return interface;
}

PictureInput input_of(const ProfileSet& set, const Variant& variant) {
  if (variant.interface) return variant.interface->input;
  PictureInput input = set.interface.input;
  if (input.width == 0) input.width = set.input.width;
  if (input.height == 0) input.height = set.input.height;
  return input;
}

int Device::threads_on(const ProcessorId& processor) const {
  const auto known = threads.find(processor);
  return known == threads.end() ? 1 : known->second;
}

bool ProfileSet::is_draft() const {
  return std::any_of(variants.begin(), variants.end(), [](const Variant& variant) {
    return !variant.accuracy_known || variant.frame_time.empty();
  });
}

double ProfileSet::best_accuracy() const {
  double best = 0.0;
  for (const Variant& variant : variants) best = std::max(best, variant.accuracy);
  return best;
}

std::optional<std::size_t> ProfileSet::index_of(const VariantId& id) const {
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].id == id) return i;
  }
  return std::nullopt;
}

}  // namespace saccade::profiles
