// What the API knows of a planner of a fleet behind it. Documents are JSON text. Threads: as ServiceModel; a
// write waits for the store, seconds at most, on the API's second thread. Errors: outcomes are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace saccade::service {

enum class FleetDocument { status, boxes, cameras, plan, moves };
// pin: where a camera is to be, by order. all: cameras, boxes and policy in one document.
enum class FleetKind { camera, box, policy, pin, release, all };

struct FleetChange {
  FleetKind kind = FleetKind::camera;
  std::string id;
  std::optional<std::string> text = {};     // absent: it is deleted
  std::optional<std::string> only_if = {};  // the document's etag; "" has none: it is new
  bool patch = false;                       // `text` is a merge patch of the document
  bool dry_run = false;                     // of all: nothing is changed
};

struct FleetOutcome {
  enum class Kind { accepted, invalid, stale, unavailable, unknown };
  Kind kind = Kind::accepted;
  std::int64_t revision = 0;
  Errors errors = {};       // invalid: `where` as a fragment of what was sent
  std::size_t written = 0;  // of all, where it is not accepted: documents that were written before
  // Makes what is shown of it, on the caller's thread: it may take seconds. Empty: the revision alone.
  std::function<std::string(std::int64_t revision)> show = {};
};

struct FleetShown {
  std::string text;
  std::string etag;  // of the configured document; empty: there is none
};

class FleetModel {
 public:
  virtual ~FleetModel() = default;
  [[nodiscard]] virtual std::string fleet_document(FleetDocument which) const = 0;
  // Of one box or camera, or of the policy; absent: there is none.
  [[nodiscard]] virtual std::optional<FleetShown> fleet_item(FleetKind kind, const std::string& id) const = 0;
  [[nodiscard]] virtual std::string fleet_metrics() const = 0;
  [[nodiscard]] virtual FleetOutcome fleet_change(const FleetChange& change) = 0;
};

}  // namespace saccade::service
