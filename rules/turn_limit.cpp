#include "rules/turn_limit.hpp"

#include <algorithm>

namespace saccade::rules {

bool TurnLimit::turn(TimePoint now) {
  frozen_until_.reset();
  std::erase_if(turns_, [now](TimePoint at) { return now - at >= kWithin; });
  turns_.push_back(now);
  if (turns_.size() < kMostTurns) return false;
  turns_.clear();
  frozen_until_ = now + kFrozen;
  return true;
}

}  // namespace saccade::rules
