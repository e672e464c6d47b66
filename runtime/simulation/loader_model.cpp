#include "runtime/simulation/loader_model.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

std::optional<LoaderModel::Begun> LoaderModel::begin() {
  const auto take = [&](std::deque<Job>& jobs, std::size_t loader) {
    loaders_[loader] = jobs.front();
    jobs.pop_front();
    return Begun{loader, *loaders_[loader]};
  };
  if (in_charge_ && !loaders_[*in_charge_] && !jobs_.empty()) return take(jobs_, *in_charge_);
  if (!loaders_[kLoaders] && !unloads_.empty()) return take(unloads_, kLoaders);
  return std::nullopt;
}

LoaderModel::Job LoaderModel::end(std::size_t loader) {
  SACCADE_CHECK(loaders_.at(loader));
  const Job job = *loaders_[loader];
  loaders_[loader].reset();
  if (!in_charge_ && loader < kLoaders) in_charge_ = loader;
  return job;
}

void LoaderModel::leave_behind(EngineKey engine) {
  if (!in_charge_ || !loaders_[*in_charge_] || loaders_[*in_charge_]->engine != engine) return;
  in_charge_.reset();
  for (std::size_t loader = 0; loader < kLoaders; ++loader) {
    if (!loaders_[loader]) in_charge_ = loader;
  }
}

bool LoaderModel::at_work() const {
  return !jobs_.empty() || !unloads_.empty() ||
         std::any_of(loaders_.begin(), loaders_.end(),
                     [](const std::optional<Job>& job) { return job.has_value(); });
}

}  // namespace saccade::runtime
