// What all variants of a profile set cost a task, as rows of numbers: the figures that every decision reads
// of every variant. All others (power, memories of devices) are those of variant_cost(), computed when they
// are requested.
// Order: the snapshot must be valid; it, the task and the places must outlive the table.
// Threads: const members from several threads.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

using MemoryPlaces = std::vector<std::optional<std::size_t>>;  // memory_places()

// variant_cost() where the places and the best accuracy of the set are known.
[[nodiscard]] VariantCost variant_cost(const Snapshot& snapshot, const MemoryPlaces& places, const Task& task,
                                       const profiles::Variant& variant, double best_accuracy);

class CostTable {
 public:
  // `whole`: of() will be called for most variants, so its results are kept.
  CostTable(const Snapshot& snapshot, const Task& task, const MemoryPlaces& places, bool whole);

  [[nodiscard]] std::size_t size() const { return task_.profiles->variants.size(); }
  [[nodiscard]] Seconds time(std::size_t variant, std::size_t processor) const {
    return Seconds(row(variant)[kTimes + processor]);
  }
  [[nodiscard]] Seconds total_time(std::size_t variant) const {
    Seconds total{0.0};
    for (std::size_t i = kTimes; i < width_; ++i) total += Seconds(row(variant)[i]);
    return total;
  }
  [[nodiscard]] double accuracy(std::size_t variant) const { return row(variant)[kAccuracy]; }
  [[nodiscard]] double relative_accuracy(std::size_t variant) const { return row(variant)[kRelative]; }
  [[nodiscard]] bool has_energy(std::size_t variant) const { return !std::isnan(row(variant)[kEnergy]); }
  [[nodiscard]] bool has_memory(std::size_t variant) const { return !std::isnan(row(variant)[kMemory]); }
  // Of a variant that has it.
  [[nodiscard]] Joules energy(std::size_t variant) const { return Joules(row(variant)[kEnergy]); }
  [[nodiscard]] Bytes memory(std::size_t variant) const { return Bytes(row(variant)[kMemory]); }
  // Of every variant.
  [[nodiscard]] bool all_have_energy() const { return all_have_energy_; }
  [[nodiscard]] bool all_have_memory() const { return all_have_memory_; }
  [[nodiscard]] bool all_run_here() const { return all_run_here_; }  // use only processors of the snapshot

  // All figures of one variant.
  [[nodiscard]] VariantCost of(std::size_t variant) const;

 private:
  // Figures of a row; the times of the processors are the last.
  static constexpr std::size_t kAccuracy = 0, kRelative = 1, kEnergy = 2, kMemory = 3, kTimes = 4;

  [[nodiscard]] const double* row(std::size_t variant) const { return figures_.data() + variant * width_; }
  void fill(std::size_t variant);

  const Snapshot& snapshot_;
  const Task& task_;
  const MemoryPlaces& places_;
  const double best_accuracy_;
  const std::size_t width_;
  bool all_have_energy_ = true, all_have_memory_ = true, all_run_here_ = true;
  std::vector<double> figures_;     // absent: not a number
  std::vector<VariantCost> whole_;  // empty unless kept
};

}  // namespace saccade::scheduler
