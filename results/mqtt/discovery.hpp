// The MQTT device discovery message that makes Home Assistant show a task as a device without configuration.
// Written against its documentation; not tested with Home Assistant itself.
// Threads: functions without state. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/mqtt/topics.hpp"

namespace saccade::results {

struct DiscoveredTask {
  std::string node;  // the machine
  std::string task;
  std::string version;  // of the program
  std::vector<std::string> labels;
  std::vector<std::string> former_labels;  // labels it had before, which Home Assistant must remove
  bool snapshots = false;
};

// PREFIX/device/saccade_NODE_TASK/config
[[nodiscard]] std::string discovery_topic(std::string_view home_assistant, std::string_view node,
                                          std::string_view task);

[[nodiscard]] std::string discovery_payload(const DiscoveredTask& task, const Topics& topics);

}  // namespace saccade::results
