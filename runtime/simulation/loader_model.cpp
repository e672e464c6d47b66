#include "runtime/simulation/loader_model.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

std::optional<LoaderModel::Begun> LoaderModel::begin() {
  if (!in_charge_ || loaders_[*in_charge_] || jobs_.empty()) return std::nullopt;
  const Job job = jobs_.front();
  jobs_.pop_front();
  loaders_[*in_charge_] = job;
  return Begun{*in_charge_, job};
}

LoaderModel::Job LoaderModel::end(std::size_t loader) {
  SACCADE_CHECK(loaders_.at(loader));
  const Job job = *loaders_[loader];
  loaders_[loader].reset();
  if (!in_charge_) in_charge_ = loader;
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
  return !jobs_.empty() || std::any_of(loaders_.begin(), loaders_.end(),
                                       [](const std::optional<Job>& job) { return job.has_value(); });
}

}  // namespace saccade::runtime
