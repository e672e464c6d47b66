#include "service/live/busy_rates.hpp"

namespace saccade::service {
namespace {
constexpr Duration kWindow = std::chrono::seconds(2);
}  // namespace

void BusyRates::add(const runtime::RunStatus& status) {
  const Lock lock(mutex_);
  samples_.push_back({status.at, status.busy});
  while (samples_.size() > 1 && status.at - samples_[1].at > kWindow) samples_.pop_front();
}

std::vector<std::optional<double>> BusyRates::budget_used(const runtime::RunStatus& now) const {
  const Lock lock(mutex_);
  std::vector<std::optional<double>> used(now.busy.size());
  if (samples_.empty() || now.at <= samples_.front().at) return used;
  const Sample& before = samples_.front();
  for (std::size_t p = 0; p < used.size(); ++p) {
    const double busy = to_seconds(now.busy[p] - before.busy.at(p)).value();
    used[p] = busy / to_seconds(now.at - before.at).value() / now.budget(p);
  }
  return used;
}

}  // namespace saccade::service
