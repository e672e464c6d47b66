#include "scheduler/cost_table.hpp"

#include <algorithm>
#include <limits>

namespace saccade::scheduler {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

CostTable::CostTable(const Snapshot& snapshot, const Task& task, const MemoryPlaces& places, bool whole)
    : snapshot_(snapshot),
      task_(task),
      places_(places),
      prepared_(prepared(task.profiles)),
      best_accuracy_(prepared_ != nullptr ? prepared_->best_accuracy : task.profiles->best_accuracy()) {
  if (prepared_ != nullptr && task.regions == 1) {
    refer_to(*prepared_);
  } else {
    fill();
  }
  if (!whole) return;
  whole_.reserve(size());
  for (const profiles::Variant& variant : task.profiles->variants) {
    whole_.push_back(variant_cost(snapshot, places, task, variant, best_accuracy_));
  }
}

void CostTable::fill() {
  for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) times_.push_back({kTimes + p, 1.0});
  width_ = kTimes + times_.size();
  figures_.resize(size() * width_);
  for (std::size_t variant = 0; variant < size(); ++variant) fill_row(variant);
  rows_ = figures_.data();
}

void CostTable::fill_row(std::size_t index) {
  const profiles::Variant& variant = task_.profiles->variants[index];
  double* const figures = figures_.data() + index * width_;
  std::size_t used = 0;
  for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
    const Processor& processor = snapshot_.processors[p];
    const Seconds* const time = figure_on(variant.frame_time, processor.id);
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

void CostTable::refer_to(const PreparedSet& prepared) {
  rows_ = prepared.rows.data();
  width_ = prepared.width();
  const std::vector<ProcessorId>& used = prepared.processors;
  std::size_t known = 0;
  bool in_order = true;  // whatever is quicker on a processor still is when corrected
  for (const Processor& processor : snapshot_.processors) {
    const auto found = std::find(used.begin(), used.end(), processor.id);
    const auto place = static_cast<std::size_t>(found - used.begin());
    if (found == used.end()) {
      times_.push_back({kAccuracy, 0.0});  // no variant uses it: any number times 0
      continue;
    }
    times_.push_back({kTimes + place, processor.correction});
    in_order = in_order && prepared.keeps_order(place, processor.correction);
    ++known;
  }
  all_have_energy_ = prepared.all_have_energy;
  all_have_memory_ = prepared.all_have_memory;
  all_run_here_ = known == used.size();
  fronts_known_ = all_run_here_ && in_order && prepared.all_plausible;
}

void CostTable::prefetch(std::size_t variant) const {
  scheduler::prefetch(task_.profiles->variants[variant]);
}

void CostTable::prefetch_rows() const {
  constexpr std::size_t kNumbers = 8;  // of a cache line
  const std::size_t count = std::min(size() * width_, std::size_t{1'000});
  for (std::size_t i = 0; i < count; i += kNumbers) __builtin_prefetch(rows_ + i);
}

VariantCost CostTable::of(std::size_t variant) const {
  if (!whole_.empty()) return whole_[variant];
  return variant_cost(snapshot_, places_, task_, task_.profiles->variants[variant], best_accuracy_);
}

}  // namespace saccade::scheduler
