// The fleet's part in one served run: the agent (fleet/box_agent.hpp) with the configuration as its hands and
// the state directory as its memory. Order: open(); hooks() to the run; run() once changes can be taken;
// end() before the run goes. Threads: facts(), moved(), changed() and has_conflict() from any; everything
// else on the owner's. Errors: open() says what cannot be read.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "config/api_config.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/fleet/box_agent.hpp"
#include "service/fleet/reported_corrections.hpp"
#include "service/live/assignment_file.hpp"
#include "service/live/service_config.hpp"

namespace saccade::service {

class FleetSession {
 public:
  struct Settings {
    config::FleetSettings fleet;
    std::optional<config::ApiConfig> api;
    std::filesystem::path state_dir;      // empty: nothing is kept for a restart
    std::vector<int> workers;             // CPUs that the agent keeps off
    std::function<void()> conflict = {};  // another process is this box
  };
  // `config` outlives the session.
  [[nodiscard]] static Result<std::unique_ptr<FleetSession>> open(Settings settings,
                                                                  const runtime::RunConfig& run,
                                                                  ServiceConfig& config);

  [[nodiscard]] runtime::RunHooks hooks(runtime::RunHooks hooks);
  void run() { agent_->run(); }
  void changed() { agent_->refresh(); }  // the configuration; does not block
  [[nodiscard]] FleetFacts facts() const;
  [[nodiscard]] std::optional<MovedTask> moved(const std::string& task) const;
  [[nodiscard]] bool has_conflict() const { return agent_->has_conflict(); }
  void end() { agent_->end(); }

 private:
  FleetSession() = default;
  void save(const std::string& text);
  [[nodiscard]] std::vector<double> corrections() const {
    const Lock lock(mutex_);
    return corrections_.reported();
  }
  void set_note(const std::string& note) {
    const Lock lock(mutex_);
    note_ = note;
  }
  std::unique_ptr<AssignmentFile> file_;  // null: nothing is kept; of the agent's thread
  mutable Mutex mutex_;
  std::string note_ SACCADE_GUARDED_BY(mutex_);  // what an operator should know of the file
  ReportedCorrections corrections_ SACCADE_GUARDED_BY(mutex_);
  std::unique_ptr<BoxAgent> agent_;  // the first to go: it saves
};

}  // namespace saccade::service
