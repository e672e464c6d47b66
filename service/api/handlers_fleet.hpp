// What the entries of the API's table below /v1/fleet do. Threads and errors: as handlers.hpp.
#pragma once

#include "service/api/handlers.hpp"

namespace saccade::service {

[[nodiscard]] Response fleet_document(ServiceModel& model, FleetDocument which);
template <FleetDocument kWhich>
[[nodiscard]] Response handle_fleet(ServiceModel& model, const Call&) {
  return fleet_document(model, kWhich);
}
[[nodiscard]] Response fleet_item(ServiceModel& model, const Call& call, FleetKind kind);
template <FleetKind kKind>
[[nodiscard]] Response handle_fleet_item(ServiceModel& model, const Call& call) {
  return fleet_item(model, call, kKind);
}
// PUT, PATCH or POST with a document, DELETE without. Of a camera, a box or the policy only with If-Match or
// If-None-Match: *.
[[nodiscard]] Response fleet_change(ServiceModel& model, const Call& call, FleetKind kind);
template <FleetKind kKind>
[[nodiscard]] Response handle_fleet_change(ServiceModel& model, const Call& call) {
  return fleet_change(model, call, kKind);
}

}  // namespace saccade::service
