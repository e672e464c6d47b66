// All ways to cut a chain for given processors in a given order: what the papers' searches enumerate. Loads,
// latency and energy are kept up while the cuts move, so that a way costs as much as its last stage.
// Threads: pure. Errors: none; impossible ways are not visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "placement/costs.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement {

struct Mapping {
  std::size_t processor = 0;
  std::size_t copies = 1;
  bool operator==(const Mapping&) const = default;
};
using Sequence = std::vector<Mapping>;  // of the stages; neighbours differ
using Cuts = std::vector<std::size_t>;  // boundaries, ascending: one less than stages

[[nodiscard]] Placement placement_of(const Costs& costs, const Sequence& sequence, const Cuts& cuts);

// All sequences of `stages` single processors without equal neighbours: P (P - 1)^(stages - 1) of them. (000
// (2) counts P^stages, which has equal neighbours: the same placements as with fewer stages.)
[[nodiscard]] std::vector<Sequence> sequences(std::size_t processors, std::size_t stages);

// What a way costs so far. Equals evaluate() when the last layer is placed.
struct Totals {
  std::vector<double> load;
  double latency = 0.0;
  double energy = 0.0;
  [[nodiscard]] double period() const;
};

class CutEnumeration {
 public:
  CutEnumeration(const Costs& costs, const Sequence& sequence);

  // `visit(totals, cuts)` for every way; ends early once `most` are visited. Returns how many were.
  template <class Visit>
  std::int64_t run(std::int64_t most, const Visit& visit) {
    visited_ = 0;
    most_ = most;
    place(0, 0, visit);
    return visited_;
  }

 private:
  // Stage k begins at `first`.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are stages
  template <class Visit>
  void place(std::size_t k, std::size_t first, const Visit& visit) {
    const std::size_t stages = sequence_.size();
    if (k + 1 == stages) {
      const Totals before = totals_;
      if (!add_stage(k, first, costs_.layers())) return;
      visit(std::as_const(totals_), std::as_const(cuts_));
      ++visited_;
      totals_ = before;
      return;
    }
    const Totals before = totals_;
    for (std::size_t last = first + 1; last + (stages - k - 1) <= costs_.layers() && visited_ < most_;
         ++last) {
      if (!costs_.runs(sequence_[k].processor, first, last)) break;
      if (!add_stage(k, first, last)) continue;
      cuts_.push_back(last);
      place(k + 1, last, visit);
      cuts_.pop_back();
      totals_ = before;
    }
  }
  // False: not possible, and nothing was added.
  bool add_stage(std::size_t k, std::size_t first, std::size_t last);

  const Costs& costs_;
  const Sequence& sequence_;
  Totals totals_;
  Cuts cuts_;
  std::int64_t visited_ = 0, most_ = 0;
};

}  // namespace saccade::placement
