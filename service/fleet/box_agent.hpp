// The fleet's agent of a box, on a thread of its own: the desk (box_desk.hpp) on the store in etcd. Nothing
// of the run waits for it, and it waits for nothing but changes of what runs. Order: construct; run() once
// changes can be taken; observe() as often as the status is known; end() before the run goes. Threads:
// observe(), refresh(), facts(), moved() and has_conflict() from any; everything else on the owner's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/fleet_part.hpp"
#include "fleet_store/etcd_store.hpp"
#include "service/api/fleet_facts.hpp"
#include "service/fleet/box_desk.hpp"

namespace saccade::service {

// How the store is reached; the password is read from its file each time.
[[nodiscard]] fleet_store::EtcdSettings etcd_of(const config::FleetStoreSettings& store);

// A number that no earlier process of this box or planner had.
[[nodiscard]] std::int64_t session_number();

class BoxAgent {
 public:
  struct Settings {
    config::FleetSettings fleet;
    std::map<std::string, std::string> papers;  // by key
    std::optional<std::string> saved;           // assignment of an earlier process
    std::vector<int> workers;                   // CPUs that it keeps off
    std::function<void()> conflict;             // called once: another process is this box
    // The papers as they are now, after refresh(); on the agent's thread. Empty: they do not change.
    std::function<std::map<std::string, std::string>()> papers_now = {};
  };
  BoxAgent(Settings settings, BoxHands hands);
  ~BoxAgent();
  BoxAgent(const BoxAgent&) = delete;
  BoxAgent& operator=(const BoxAgent&) = delete;

  void run();
  void observe(std::vector<ObservedTask> tasks);
  void refresh();  // the papers may be others now; does not block
  [[nodiscard]] FleetFacts facts() const;
  // Which box serves a camera that this one had until lately.
  [[nodiscard]] std::optional<fleet::MovedCamera> moved(const std::string& camera) const;
  [[nodiscard]] bool has_conflict() const;
  void end();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace saccade::service
