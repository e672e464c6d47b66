// Keys of a fleet in its store, and how its documents are written there: JSON with `"format": 1`. Members
// that are not known are ignored; a document of another format, or one that cannot be read, is refused as a
// whole, and its reader keeps what it had. Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "fleet/control/documents.hpp"

namespace saccade::fleet_store {

class Keys {  // below /saccade/v1/FLEET/
 public:
  explicit Keys(const std::string& fleet) : root_("/saccade/v1/" + fleet + "/") {}
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string policy() const { return root_ + "policy"; }
  [[nodiscard]] std::string leader() const { return root_ + "leader"; }
  [[nodiscard]] std::string plan() const { return root_ + "plan"; }
  // Put by order: what the brake holds is lost. Its value does not matter.
  [[nodiscard]] std::string release() const { return root_ + "release"; }
  // Put with every change of the configuration through a planner: its revision is that of the configuration.
  [[nodiscard]] std::string configured() const { return root_ + "configured"; }
  [[nodiscard]] std::string pin(const std::string& camera) const { return root_ + "pin/" + camera; }
  [[nodiscard]] std::string camera(const std::string& id) const { return root_ + "camera/" + id; }
  [[nodiscard]] std::string box(const std::string& id) const { return root_ + "box/" + id; }
  [[nodiscard]] std::string report(const std::string& id) const { return root_ + "report/" + id; }
  [[nodiscard]] std::string profiles(const std::string& digest) const { return root_ + "profiles/" + digest; }
  [[nodiscard]] std::string alive(const std::string& id) const { return root_ + "alive/" + id; }
  [[nodiscard]] std::string assign(const std::string& id) const { return root_ + "assign/" + id; }
  [[nodiscard]] std::string state(const std::string& id) const { return root_ + "state/" + id; }

  // What a key is of: {"assign", "north-07"}, {"plan", ""}; empty if it is not below the root.
  struct Parts {
    std::string kind;
    std::string id;
  };
  [[nodiscard]] Parts parts(std::string_view key) const;

 private:
  std::string root_;
};

[[nodiscard]] std::string to_text(const fleet::AssignDocument& document);
[[nodiscard]] std::string to_text(const fleet::StateDocument& document);
[[nodiscard]] std::string to_text(const fleet::PlanDocument& document);
// Of a box's or a planner's key on its lease. Of a box, the length of that: whole seconds.
[[nodiscard]] std::string session_text(const std::string& name, std::int64_t session,
                                       Duration lease = fleet::kUsualLease);
// The length of the lease that such a key is on; the usual if it does not say.
[[nodiscard]] Duration lease_of_session(const std::string& text);

[[nodiscard]] Result<fleet::AssignDocument> read_assign(const std::string& text);
[[nodiscard]] Result<fleet::StateDocument> read_state(const std::string& text);
[[nodiscard]] Result<fleet::PlanDocument> read_plan(const std::string& text);

// What a box keeps of its last assignment for a reboot.
[[nodiscard]] std::string saved_text(const fleet::Held<fleet::AssignDocument>& held);
[[nodiscard]] Result<fleet::Held<fleet::AssignDocument>> read_saved(const std::string& text);

}  // namespace saccade::fleet_store
