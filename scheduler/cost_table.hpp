// What all variants of a profile set cost a task, as rows of numbers: the figures that every decision reads
// of every variant. All others (power, memories of devices) are those of variant_cost(), computed when they
// are requested. Of a set that was prepared (prepared_set.hpp) no variant is read for them.
// Order: the snapshot must be valid; it, the task and the places must outlive the table.
// Threads: const members from several threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "scheduler/prepared_set.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

using MemoryPlaces = std::vector<std::optional<std::size_t>>;  // memory_places()

// variant_cost() where the places and the best accuracy of the set are known.
[[nodiscard]] VariantCost variant_cost(const Snapshot& snapshot, const MemoryPlaces& places, const Task& task,
                                       const profiles::Variant& variant, double best_accuracy);

// Of a map with hardly more than one entry: null when the processor is not in it.
template <class Value>
[[nodiscard]] const Value* figure_on(const std::map<ProcessorId, Value>& by_processor,
                                     const ProcessorId& processor) {
  for (const auto& [id, value] : by_processor) {
    if (id == processor) return &value;
  }
  return nullptr;
}

class CostTable {
 public:
  // Columns of a row; for those of times see time_on().
  static constexpr std::size_t kAccuracy = PreparedSet::kAccuracy, kRelative = PreparedSet::kRelative,
                               kEnergy = PreparedSet::kEnergy, kMemory = PreparedSet::kMemory;

  // `whole`: of() will be called for most variants, so its results are kept.
  CostTable(const Snapshot& snapshot, const Task& task, const MemoryPlaces& places, bool whole);
  CostTable(const CostTable&) = delete;  // refers to its own figures
  CostTable& operator=(const CostTable&) = delete;

  [[nodiscard]] std::size_t size() const { return task_.profiles->variants.size(); }
  [[nodiscard]] Seconds time(std::size_t variant, std::size_t processor) const {
    const Times& from = time_on(processor);
    return Seconds(row(variant)[from.column] * from.factor);
  }
  [[nodiscard]] Seconds total_time(std::size_t variant) const {
    Seconds total{0.0};
    for (std::size_t p = 0; p < times_.size(); ++p) total += time(variant, p);
    return total;
  }
  [[nodiscard]] Seconds longest_time(std::size_t variant) const {
    Seconds longest{0.0};
    for (std::size_t p = 0; p < times_.size(); ++p) longest = std::max(longest, time(variant, p));
    return longest;
  }
  [[nodiscard]] double accuracy(std::size_t variant) const { return row(variant)[kAccuracy]; }
  [[nodiscard]] double relative_accuracy(std::size_t variant) const { return row(variant)[kRelative]; }
  [[nodiscard]] bool has_energy(std::size_t variant) const { return !std::isnan(row(variant)[kEnergy]); }
  [[nodiscard]] bool has_memory(std::size_t variant) const { return !std::isnan(row(variant)[kMemory]); }
  // Of a variant that has it.
  [[nodiscard]] Joules energy(std::size_t variant) const { return Joules(row(variant)[kEnergy]); }
  [[nodiscard]] Bytes memory(std::size_t variant) const { return Bytes(row(variant)[kMemory]); }
  // All of these in one row; one that is absent is not a number.
  [[nodiscard]] const double* row(std::size_t variant) const { return rows_ + variant * width_; }
  // The time on a processor of the snapshot is what stands in this column, times this factor.
  struct Times {
    std::size_t column;
    double factor;
  };
  [[nodiscard]] const Times& time_on(std::size_t processor) const { return times_[processor]; }
  // Of every variant.
  [[nodiscard]] bool all_have_energy() const { return all_have_energy_; }
  [[nodiscard]] bool all_have_memory() const { return all_have_memory_; }
  [[nodiscard]] bool all_run_here() const { return all_run_here_; }  // use only processors of the snapshot

  // The front among all variants of the set, compared in accuracy, in the time on every processor and, if
  // asked for, in energy and memory, for a task that runs none; null: it is not known beforehand.
  [[nodiscard]] const std::vector<std::size_t>* known_front(bool energy, bool memory) const {
    const bool measured = (!energy || all_have_energy_) && (!memory || all_have_memory_);
    return fronts_known_ && measured ? &prepared_->front(energy, memory) : nullptr;
  }

  // All figures of one variant.
  [[nodiscard]] VariantCost of(std::size_t variant) const;
  // Begin to fetch what of() reads, and all rows, which nobody has read just before: for what is asked about
  // soon.
  void prefetch(std::size_t variant) const;
  void prefetch_rows() const;

 private:
  static constexpr std::size_t kTimes = PreparedSet::kTimes;  // the first column of times

  void fill();
  void fill_row(std::size_t variant);
  void refer_to(const PreparedSet& prepared);

  const Snapshot& snapshot_;
  const Task& task_;
  const MemoryPlaces& places_;
  const PreparedSet* const prepared_;  // null: the set was not
  const double best_accuracy_;
  bool all_have_energy_ = true, all_have_memory_ = true, all_run_here_ = true;
  bool fronts_known_ = false;
  std::vector<double> figures_;   // empty if those of the prepared set are referred to
  const double* rows_ = nullptr;  // one of `width_` numbers per variant
  std::size_t width_ = 0;
  ShortVector<Times, 3> times_;     // per processor of the snapshot
  std::vector<VariantCost> whole_;  // empty unless kept
};

}  // namespace saccade::scheduler
