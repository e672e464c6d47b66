#include "placement/cuts.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::placement {

Placement placement_of(const Costs& costs, const Sequence& sequence, const Cuts& cuts) {
  SACCADE_CHECK(cuts.size() + 1 == sequence.size());
  Placement placement;
  for (std::size_t k = 0; k < sequence.size(); ++k) {
    placement.push_back({k == 0 ? 0 : cuts[k - 1], k < cuts.size() ? cuts[k] : costs.layers(),
                         sequence[k].processor, sequence[k].copies});
  }
  return placement;
}

std::vector<Sequence> sequences(std::size_t processors, std::size_t stages) {
  std::vector<Sequence> all = {{}};
  for (std::size_t k = 0; k < stages; ++k) {
    std::vector<Sequence> longer;
    for (const Sequence& sequence : all) {
      for (std::size_t p = 0; p < processors; ++p) {
        if (!sequence.empty() && sequence.back().processor == p) continue;
        longer.push_back(sequence);
        longer.back().push_back({p, 1});
      }
    }
    all = std::move(longer);
  }
  return all;
}

double Totals::period() const { return *std::max_element(load.begin(), load.end()); }

CutEnumeration::CutEnumeration(const Costs& costs, const Sequence& sequence)
    : costs_(costs), sequence_(sequence) {
  totals_.load.assign(costs.processors(), 0.0);
}

bool CutEnumeration::add_stage(std::size_t k, std::size_t first, std::size_t last) {
  const auto add = [&](const Mapping& mapping, double seconds) {
    for (std::size_t p = mapping.processor; p < mapping.processor + mapping.copies; ++p) {
      totals_.load[p] += seconds / static_cast<double>(mapping.copies);
    }
    totals_.latency += seconds;
  };
  const Mapping& here = sequence_[k];
  if (!costs_.runs(here.processor, first, last)) return false;
  if (k > 0) {
    const Mapping& from = sequence_[k - 1];
    if (!costs_.may_cross(first, from.processor, here.processor)) return false;
    add(from, costs_.send(first, from.processor, here.processor));
    add(here, costs_.receive(first, from.processor, here.processor));
    totals_.energy += costs_.transfer_energy(first, from.processor, here.processor);
  }
  add(here, costs_.time(here.processor, first, last));
  totals_.energy += costs_.energy(here.processor, first, last);
  return true;
}

}  // namespace saccade::placement
