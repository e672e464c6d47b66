// What is done when a box is lost: its cameras, highest class first, then by weight, go where their best
// offer is worth most at the prices of the boxes; only the boxes that take one are settled again. Nobody else
// moves, and nobody else loses demand for it, as long as that is possible; where the certificate of
// survival.hpp holds and this order of placing does not serve all, the certificate's own backup boxes are
// used. Rearranging the others is left to the improvement, within its budget. Threads: pure.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "fleet/assignment.hpp"

namespace saccade::fleet {

struct Failover {
  std::vector<std::size_t> orphans;  // cameras of the lost box
  std::vector<std::size_t> off;      // of those: without a box now
  bool by_certificate = false;
};

// The box serves and takes nothing from then on (Assignment::lose()). `standby`: boxes that keep an engine
// ready for a camera take it if nobody loses demand for that, whatever it is worth elsewhere.
Failover fail_over(Assignment& assignment, std::size_t lost, const JointLimits& limits,
                   const std::map<std::size_t, std::size_t>& standby = {});
// Puts a camera that is off on such a box. False: there is none, or it has no room.
bool insert_on_standby(Assignment& assignment, std::size_t camera, const JointLimits& limits,
                       const std::map<std::size_t, std::size_t>& standby);

}  // namespace saccade::fleet
