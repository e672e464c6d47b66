#include "fleet/failover.hpp"

#include <algorithm>

#include "fleet/survival.hpp"

namespace saccade::fleet {
namespace {

std::vector<std::size_t> most_important_first(const Model& model, std::vector<std::size_t> cameras) {
  std::stable_sort(cameras.begin(), cameras.end(), [&](std::size_t a, std::size_t b) {
    const Item& left = model.items()[a];
    const Item& right = model.items()[b];
    if (left.rank != right.rank) return left.rank < right.rank;
    return left.weight != right.weight ? left.weight > right.weight : left.rate > right.rate;
  });
  return cameras;
}

bool follow(Assignment& assignment, const Certificate& certificate, const JointLimits& limits) {
  for (std::size_t i = 0; i < certificate.cameras.size(); ++i) {
    if (certificate.backup[i] == kNone) return false;
    if (!assignment.insert_on(certificate.cameras[i], certificate.backup[i], limits, true)) return false;
  }
  return true;
}

}  // namespace

bool insert_on_standby(Assignment& assignment, std::size_t camera, const JointLimits& limits,
                       const std::map<std::size_t, std::size_t>& standby) {
  const auto box = standby.find(camera);
  return box != standby.end() && assignment.has_room(camera, box->second) &&
         assignment.insert_on(camera, box->second, limits, true);
}

Failover fail_over(Assignment& assignment, std::size_t lost, const JointLimits& limits,
                   const std::map<std::size_t, std::size_t>& standby) {
  Failover failover;
  failover.orphans = assignment.box(lost).cameras;
  const Assignment before = assignment;
  assignment.lose(lost);
  std::vector<std::size_t> left;
  for (const std::size_t camera : most_important_first(assignment.model(), failover.orphans)) {
    if (insert_on_standby(assignment, camera, limits, standby)) continue;
    if (!assignment.insert(camera, limits, true)) left.push_back(camera);
  }
  if (left.empty()) return failover;
  const Certificate certificate = certify_loss(before, lost);
  if (certificate.survives) {
    Assignment other = before;
    other.lose(lost);
    if (follow(other, certificate, limits)) {
      assignment = other;
      failover.by_certificate = true;
      return failover;
    }
  }
  for (const std::size_t camera : left) {
    if (!assignment.insert(camera, limits, false)) failover.off.push_back(camera);
  }
  return failover;
}

}  // namespace saccade::fleet
