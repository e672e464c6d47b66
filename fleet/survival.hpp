// N-1: does the fleet survive the loss of any one box without losing demand? Transprecision makes spare
// capacity free: the survivors shrink to their leanest variants instead of idling. For every box its cameras
// are placed on the others, largest first, with *everybody* at the leanest variant at the demanded rate.
// Where that succeeds it is a certificate, a backup box per camera: the demand of all cameras is feasible
// after the loss. Where it fails nothing is proven: the verdict is "not certified", not "will lose". The
// leanest variant of a camera on a kind of box is the one with the smallest largest share of a capacity;
// pins, labels, spread, max_cameras and together are obeyed as in the assignment.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/assignment.hpp"

namespace saccade::fleet {

struct Certificate {
  std::size_t box = 0;
  bool survives = false;
  std::vector<std::size_t> cameras;  // that the box serves
  std::vector<std::size_t> backup;   // of each: the box that would take it; kNone where none was found
};

[[nodiscard]] Certificate certify_loss(const Assignment& assignment, std::size_t box);
// Of every box that serves a camera, ascending.
[[nodiscard]] std::vector<Certificate> certify_losses(const Assignment& assignment);

}  // namespace saccade::fleet
