#include "service/api/failed_attempts.hpp"

#include <algorithm>

namespace saccade::service {

bool FailedAttempts::waits(const std::string& address, TimePoint now) const {
  const auto known = forgiven_.find(address);
  return known != forgiven_.end() && known->second - now > kOneMore * (kAtOnce - 1);
}

void FailedAttempts::failed(const std::string& address, TimePoint now) {
  if (forgiven_.size() >= kMostAddresses && !forgiven_.contains(address)) {
    forgiven_.erase(std::min_element(forgiven_.begin(), forgiven_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  TimePoint& forgiven = forgiven_.try_emplace(address, now).first->second;
  forgiven = std::max(forgiven, now) + kOneMore;
}

}  // namespace saccade::service
