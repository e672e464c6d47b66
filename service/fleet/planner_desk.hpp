// A planner of a fleet: the link (fleet_store/planner_link.hpp) with the reader of the store's documents, and
// the changes that operators make through its API. Time is an argument, and the boxes are asked by its hands;
// so that the same runs on a simulated store.
// Order: on(), probed(), change() and step() in any; after each, take_requests() and take_probes(). Threads:
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet_store/planner_link.hpp"
#include "service/api/fleet_model.hpp"
#include "service/fleet/fleet_picture.hpp"
#include "service/fleet/fleet_reader.hpp"

namespace saccade::service {

struct Probe {
  fleet::BoxId box;
  std::string url;
};

class PlannerDesk {
 public:
  // `folder`: as FleetReader.
  PlannerDesk(const fleet_store::PlannerLinkSettings& settings, const std::filesystem::path& folder);

  void on(const fleet_store::Event& event, TimePoint now);
  void probed(const fleet::BoxId& box, bool answered, TimePoint now) { link_.probed(box, answered, now); }
  void step(TimePoint now) { link_.step(now); }
  // `done` is called once, later or at once.
  void change(const FleetChange& change, std::function<void(FleetOutcome)> done, TimePoint now);

  [[nodiscard]] std::optional<TimePoint> next() const { return link_.next(); }
  [[nodiscard]] std::vector<fleet_store::Numbered> take_requests();
  [[nodiscard]] std::vector<Probe> take_probes();
  [[nodiscard]] bool leading() const { return link_.leading(); }
  [[nodiscard]] std::int64_t seen() const { return link_.session().mirrored().value_or(0); }  // of the store
  // `fault`: of the store.
  [[nodiscard]] FleetPicture picture(const std::string& fault, TimePoint now) const;

 private:
  fleet_store::Keys keys_;
  fleet_store::PlannerLinkSettings settings_;
  FleetReader reader_;
  fleet_store::PlannerLink link_;
  std::vector<fleet_store::Numbered> requests_;
  std::map<std::uint64_t, std::function<void(FleetOutcome)>> changes_;  // by request
};

}  // namespace saccade::service
