// A planner that runs: the desk (planner_desk.hpp) on the store in etcd, on a thread of its own, and its API
// on the server that boxes have, too (docs/fleet.md). Order: open(), run() until stop(), destroy. Threads:
// open(), run() and the destructor on one; stop() from any. Errors: open() says what cannot be opened; what
// goes wrong with the store later is shown, and tried again.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "config/planner_config.hpp"

namespace saccade::service {

class PlannerService {
 public:
  // `told`: a line for the log, called by the thread that runs, and by the API's of its certificate.
  [[nodiscard]] static Result<std::unique_ptr<PlannerService>> open(
      const config::PlannerConfig& config,
      std::function<void(const std::string& event, const std::string& detail)> told);
  ~PlannerService();
  PlannerService(const PlannerService&) = delete;
  PlannerService& operator=(const PlannerService&) = delete;

  void run();
  void stop();
  // Where the API listens; empty: it is not served.
  [[nodiscard]] const std::string& address() const;

 private:
  class Core;
  explicit PlannerService(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace saccade::service
