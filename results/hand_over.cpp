#include "results/hand_over.hpp"

#include <algorithm>
#include <utility>

namespace saccade::results {

HandOver::HandOver(std::size_t places) : places_(std::max<std::size_t>(1, places)) {}

Sighting& HandOver::next() {
  const auto waiting = static_cast<std::size_t>(counts_.waiting);
  Sighting& place = places_[(oldest_ + waiting) % places_.size()];
  ++counts_.put;
  if (waiting == places_.size()) {
    oldest_ = (oldest_ + 1) % places_.size();
    ++counts_.overwritten;
  } else {
    ++counts_.waiting;
  }
  return place;
}

bool HandOver::take(Sighting& into) {
  const Lock lock(mutex_);
  if (counts_.waiting == 0) return false;
  std::swap(into, places_[oldest_]);
  oldest_ = (oldest_ + 1) % places_.size();
  if (--counts_.waiting == 0) oldest_ = 0;
  ++counts_.taken;
  return true;
}

HandOver::Counts HandOver::counts() const {
  const Lock lock(mutex_);
  return counts_;
}

}  // namespace saccade::results
