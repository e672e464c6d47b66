// Improvement of an assignment of few boxes beyond what pairs of boxes give (improve.hpp): large
// neighbourhood search (Shaw 1998). A round draws two to four boxes and some of their cameras, which are free
// to change their box while the others keep theirs, and chooses anew what all of them are served with, as one
// choice problem (joint.hpp). After some rounds without a gain part of a pair is solved roughly and from
// nothing, whatever that costs, and the rounds go on from there or, one time in three, from the best
// assignment so far (iterated local search). Cameras of a unit (`together`) keep their box. It is for
// assignments without losses: with losses, or with a joint peak of power anywhere, it does nothing. Threads:
// pure. The same assignment and limits give the same result, unless `stop` ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "fleet/assignment.hpp"

namespace saccade::fleet {

inline constexpr std::size_t kMostBoxesSearched = 12;  // with more, rounds of so few boxes gain too little
inline constexpr std::int64_t kSearchRounds = 4'000;   // a few seconds for some hundred cameras

struct NeighbourhoodLimits {
  std::int64_t rounds = kSearchRounds;
  std::uint64_t seed = 1;
  std::optional<std::size_t> most_moves;  // of the whole assignment
  std::optional<double> enough;           // the value at which it may end
  std::function<bool()> stop = nullptr;
};

struct NeighbourhoodSearch {
  std::int64_t rounds = 0;
  std::int64_t adopted = 0;   // of those
  std::int64_t restarts = 0;  // beside those
};

// The assignment is never worth less than before.
NeighbourhoodSearch search_neighbourhoods(Assignment& assignment, const NeighbourhoodLimits& limits);

}  // namespace saccade::fleet
