// A planner of a fleet: the link (fleet_store/planner_link.hpp) with the reader of the store's documents, and
// the changes that operators make through its API. Every change also writes the key of the configuration
// (Keys::configured), so that one of the configuration as a whole can be compared with what was read. Time is
// an argument, and the boxes are asked by its hands; so that the same runs on a simulated store.
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
#include "service/fleet/fleet_application.hpp"
#include "service/fleet/fleet_chronicle.hpp"
#include "service/fleet/fleet_picture.hpp"
#include "service/fleet/fleet_reader.hpp"

namespace saccade::service {

struct Probe {
  fleet::BoxId box;
  std::string url;
};

struct ProbeAnswer {
  bool lives = false;
  std::optional<Duration> store_age;  // since the store answered the box, as it says
};

class PlannerDesk {
 public:
  // `folder`: as FleetReader.
  PlannerDesk(const fleet_store::PlannerLinkSettings& settings, const std::filesystem::path& folder);

  void on(const fleet_store::Event& event, TimePoint now);
  void probed(const fleet::BoxId& box, const ProbeAnswer& answer, TimePoint now) {
    now_ = now;
    link_.probed(box, answer.lives, now, answer.store_age);
  }
  void step(TimePoint now) {
    now_ = now;
    link_.step(now);
  }
  // `done` is called once, later or at once.
  void change(const FleetChange& change, std::function<void(FleetOutcome)> done, TimePoint now);

  [[nodiscard]] std::optional<TimePoint> next() const { return link_.next(); }
  [[nodiscard]] std::vector<fleet_store::Numbered> take_requests();
  [[nodiscard]] std::vector<Probe> take_probes();
  [[nodiscard]] bool leading() const { return link_.leading(); }
  [[nodiscard]] std::int64_t seen() const { return link_.session().mirrored().value_or(0); }  // of the store
  // What has happened since the last call, for clients that follow it. `seconds`: since 1970.
  [[nodiscard]] std::vector<FleetEvent> look(TimePoint now, double seconds);
  // `fault`: of the store.
  [[nodiscard]] FleetPicture picture(const std::string& fault, TimePoint now);

 private:
  using Done = std::function<void(FleetOutcome)>;
  struct Pending {
    Done done;
    std::vector<fleet_store::request::Commit> rest = {};  // that follow once this is done
    FleetOutcome outcome = {};
    std::size_t documents = 0;  // that this one writes
  };
  void change_document(const FleetChange& change, Done done);
  void apply(const FleetChange& change, Done done);
  void pin(const FleetChange& change, Done done);
  void submit(fleet_store::Request request, Pending pending);
  void answered(Pending pending, const fleet_store::Answer& answer);
  [[nodiscard]] fleet_store::request::Commit commit_of(const std::string& key,
                                                       const std::optional<std::string>& text) const;
  [[nodiscard]] std::function<std::string(std::int64_t)> preview_of(
      const FleetApplication& application) const;
  [[nodiscard]] bool connected(TimePoint now) const;
  void take_times();

  fleet_store::Keys keys_;
  fleet_store::PlannerLinkSettings settings_;
  FleetReader reader_;
  fleet_store::PlannerLink link_;
  FleetChronicle chronicle_;
  FleetTimes times_;
  TimePoint now_{};                          // of the last call
  std::map<std::uint64_t, TimePoint> sent_;  // requests that are not answered, but for watches
  std::optional<TimePoint> painted_at_;
  std::size_t unserved_ = 0;  // cameras, then
  double unserved_seconds_ = 0.0;
  std::vector<fleet_store::Numbered> requests_;
  std::map<std::uint64_t, Pending> changes_;  // by request
};

}  // namespace saccade::service
