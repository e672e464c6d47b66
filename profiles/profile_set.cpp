#include "profiles/profile_set.hpp"

#include <algorithm>

namespace saccade::profiles {

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
