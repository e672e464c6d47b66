// The results of one run, from the workers to the configured sinks.
//
// Order: open(); pass listener() to the run; set_tasks() before its first frame and whenever its tasks have
// changed; end() after it, which writes and sends what waits. Threads: accounts() and set_tasks() from any,
// tell() on the one that reports the status, everything else on the owner's. Errors: none; a sink that cannot
// be reached or written reports it in its account.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/relay.hpp"
#include "results/settings.hpp"
#include "runtime/run/result_listener.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/api/result_feed.hpp"
#include "service/live/snapshots.hpp"
#include "service/live/task_states.hpp"

namespace saccade::service {

// By task id: the labels of their profile sets.
using TaskLabels = std::map<std::string, std::vector<std::string>>;
[[nodiscard]] TaskLabels labels_of(const runtime::RunConfig& config);

// The labels of a task that pass a sink's filter; called from any thread.
using LabelsOfTask = std::function<std::vector<std::string>(const std::string& task)>;

// The node is that of the settings. A sink that cannot be reached or written is created nevertheless.
// `control`: may be empty.
using TaskControl = std::function<std::string(const std::string& task, const std::string& patch)>;
[[nodiscard]] std::unique_ptr<results::Sink> make_sink(const results::SinkSettings& sink,
                                                       const std::string& node, LabelsOfTask labels,
                                                       const TaskControl& control = {});

// The feeds for HTTP readers and viewers; null: none.
struct ResultViews {
  std::shared_ptr<ResultFeed> feed = nullptr;
  std::shared_ptr<Snapshots> snapshots = nullptr;
  std::shared_ptr<const Clock> clock = nullptr;  // of the snapshots
};

class ResultSession {
 public:
  // Its threads run on CPUs that the workers do not use. `control`: for brokers that may change tasks
  // (task_control.hpp); called from the sinks' threads until end() has returned.
  [[nodiscard]] static std::unique_ptr<ResultSession> open(const results::ResultsSettings& settings,
                                                           const runtime::RunConfig& config,
                                                           const ResultViews& views = {},
                                                           const TaskControl& control = {});
  ~ResultSession();
  ResultSession(const ResultSession&) = delete;
  ResultSession& operator=(const ResultSession&) = delete;

  [[nodiscard]] std::shared_ptr<runtime::ResultListener> listener() const;
  void set_tasks(const TaskLabels& tasks);
  // Call with every status of the run: changes of the tasks' states are passed to the sinks.
  void tell(const runtime::RunStatus& status);
  // Of the configured sinks.
  [[nodiscard]] std::vector<results::DeliveryAccount> accounts() const;
  void end();

 private:
  class Tap;
  class Labels;
  ResultSession(std::shared_ptr<Labels> labels, std::shared_ptr<Tap> tap);
  std::shared_ptr<Labels> labels_;
  std::shared_ptr<Tap> tap_;
  std::size_t named_sinks_ = 0;  // from the configuration; they come first
  TaskStates states_;
};

}  // namespace saccade::service
