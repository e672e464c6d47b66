// What every decision needs of a whole profile set, computed once, where the set is read: the figures of all
// variants as rows of numbers, and their Pareto fronts. A Variant takes a kilobyte, and nodes of maps beside
// it: the sets of a thousand tasks exceed any cache, their figures are a few megabytes.
// Both belong to the object that prepare() returns. A copy of it has none until it is prepared itself, so
// that they never differ from the variants. A decision that finds none reads the variants, with the same
// result.
// Threads: const members from several threads; the functions are pure.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/id.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::scheduler {

// Of one inference per frame. A measure that is absent is not a number; the time on a processor that a
// variant does not use is 0.
struct PreparedSet {
  // Columns of a row; the times on the processors are the last.
  static constexpr std::size_t kAccuracy = 0, kRelative = 1, kEnergy = 2, kMemory = 3, kTimes = 4;

  explicit PreparedSet(const profiles::ProfileSet& set);

  [[nodiscard]] std::size_t width() const { return kTimes + processors.size(); }
  [[nodiscard]] const double* row(std::size_t variant) const { return rows.data() + variant * width(); }
  // The variants that are not dominated in accuracy, time on every processor and, if they are compared,
  // energy and memory; of equal ones the one with less energy, less memory, the lower index. Ascending. Those
  // must have been measured of all. The times may be multiplied by factors with which keeps_order() is true.
  [[nodiscard]] const std::vector<std::size_t>& front(bool energy, bool memory) const {
    return fronts[(energy ? 1U : 0U) + (memory ? 2U : 0U)];
  }
  // Whether different times on this processor (its place) are still different when multiplied by `factor` >
  // 0.
  [[nodiscard]] bool keeps_order(std::size_t processor, double factor) const;

  std::vector<ProcessorId> processors;     // that some variant uses, ascending
  std::vector<double> rows;                // one per variant
  std::vector<std::vector<double>> times;  // per processor, ascending, each once
  double best_accuracy = 0.0;              // of which kRelative is the share; that is 1 where it is 0
  bool all_plausible = true;               // plausible(); there are no fronts otherwise
  bool all_have_energy = true;
  bool all_have_memory = true;
  std::array<std::vector<std::size_t>, 4> fronts;  // of front()
};

// Whether every number of the variant that decisions use is possible: times above 0 on at least one
// processor, an accuracy in [0, 1], no other measure below 0, none above kLargestMeasure.
[[nodiscard]] bool plausible(const profiles::Variant& variant);
// Products and sums of numbers that are not larger stay finite.
inline constexpr double kLargestMeasure = 1e30;

// Begins to fetch what decisions read of a variant that is asked for soon: profile sets exceed the cache, and
// nobody has read them just before.
void prefetch(const profiles::Variant& variant);
// The same of those that come after one, in a pass over all of them.
void prefetch_after(const std::vector<profiles::Variant>& variants, std::size_t at);

// The set as it is shared from now on. (Without what is prepared if its variants use very many processors.)
[[nodiscard]] profiles::ProfileSetPtr prepare(profiles::ProfileSet set);

// Null if this object was not made by prepare(). It lives as long as the set does.
[[nodiscard]] const PreparedSet* prepared(const profiles::ProfileSetPtr& set);

}  // namespace saccade::scheduler
