// A first assignment of cameras without a box, from prices: heaviest first, each to the box where its best
// offer is worth most at the prices of the group, less a charge for boxes that are fuller than the progress
// of the whole; so the boxes of a group fill alike, which keeps their prices equal. A box whose limits even
// the leanest variants would exceed is not taken. Cameras of a unit (`together`) go as one. Next to it, the
// naive ways, for comparison: by count, by hash of the id, by least load. Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/assignment.hpp"
#include "fleet/prices.hpp"

namespace saccade::fleet {

// Per camera: the box it is to go to, kNone where none has room. `from`: boxes that are decided already.
[[nodiscard]] std::vector<std::size_t> place(const Model& model, const Prices& prices,
                                             const std::vector<std::size_t>& from);

enum class NaiveRule { even_count, hash, least_loaded };
// Every camera to an allowed box: the one with the fewest cameras, the one that the id hashes to, or the one
// whose time is least used, with every camera at its leanest variant. Spread and together are ignored.
[[nodiscard]] std::vector<std::size_t> place_naively(const Model& model, NaiveRule rule);

}  // namespace saccade::fleet
