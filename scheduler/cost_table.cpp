#include "scheduler/cost_table.hpp"

#include <limits>

namespace saccade::scheduler {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Of a map with hardly more than one entry: null when the processor is not in it.
const Seconds* time_on(const profiles::TimeByProcessor& times, const ProcessorId& processor) {
  for (const auto& [id, time] : times) {
    if (id == processor) return &time;
  }
  return nullptr;
}

}  // namespace

CostTable::CostTable(const Snapshot& snapshot, const Task& task, const MemoryPlaces& places, bool whole)
    : snapshot_(snapshot),
      task_(task),
      places_(places),
      best_accuracy_(task.profiles->best_accuracy()),
      width_(kTimes + snapshot.processors.size()),
      figures_(size() * width_) {
  for (std::size_t variant = 0; variant < size(); ++variant) fill(variant);
  if (!whole) return;
  whole_.reserve(size());
  for (const profiles::Variant& variant : task.profiles->variants) {
    whole_.push_back(variant_cost(snapshot, places, task, variant, best_accuracy_));
  }
}

void CostTable::fill(std::size_t index) {
  const profiles::Variant& variant = task_.profiles->variants[index];
  double* const figures = figures_.data() + index * width_;
  std::size_t used = 0;
  for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
    const Processor& processor = snapshot_.processors[p];
    const Seconds* const time = time_on(variant.frame_time, processor.id);
    figures[kTimes + p] = time == nullptr ? 0.0 : (*time * processor.correction).value();
    used += time == nullptr ? 0 : 1;
  }
  if (task_.regions > 1) {
    const VariantCost cost = variant_cost(snapshot_, places_, task_, variant, best_accuracy_);
    for (std::size_t p = 0; p < cost.time.size(); ++p) figures[kTimes + p] = cost.time[p].value();
  }
  const std::optional<Joules> energy = profiles::energy_per_frame(variant, task_.regions);
  figures[kAccuracy] = variant.accuracy;
  figures[kRelative] = best_accuracy_ > 0.0 ? variant.accuracy / best_accuracy_ : 1.0;
  figures[kEnergy] = energy ? energy->value() : kAbsent;
  figures[kMemory] = variant.memory ? variant.memory->value() : kAbsent;
  all_have_energy_ = all_have_energy_ && energy.has_value();
  all_have_memory_ = all_have_memory_ && variant.memory.has_value();
  all_run_here_ = all_run_here_ && used == variant.frame_time.size();
}

VariantCost CostTable::of(std::size_t variant) const {
  if (!whole_.empty()) return whole_[variant];
  return variant_cost(snapshot_, places_, task_, task_.profiles->variants[variant], best_accuracy_);
}

}  // namespace saccade::scheduler
