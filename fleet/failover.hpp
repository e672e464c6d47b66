// What is done when a box is lost: its cameras, highest class first, then by weight, go where their best
// offer is worth most at the prices of the boxes; only the boxes that take one are settled again. Nobody else
// moves, and nobody else loses demand for it, as long as that is possible; where the certificate of
// survival.hpp holds and this order of placing does not serve all, the certificate's own backup boxes are
// used. Rearranging the others is left to the improvement, within its budget. Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/assignment.hpp"

namespace saccade::fleet {

struct Failover {
  std::vector<std::size_t> orphans;  // cameras of the lost box
  std::vector<std::size_t> off;      // of those: without a box now
  bool by_certificate = false;
};

// The box serves and takes nothing from then on (Assignment::lose()).
Failover fail_over(Assignment& assignment, std::size_t lost, const JointLimits& limits);

}  // namespace saccade::fleet
