// What Home Assistant is told of a task so that it shows a device without being configured: one message of
// its MQTT device discovery. Written against its documentation; Home Assistant itself has not read it.
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
  std::vector<std::string> former_labels;  // which it had before: Home Assistant forgets them
  bool snapshots = false;
};

// PREFIX/device/saccade_NODE_TASK/config
[[nodiscard]] std::string discovery_topic(std::string_view home_assistant, std::string_view node,
                                          std::string_view task);

[[nodiscard]] std::string discovery_payload(const DiscoveredTask& task, const Topics& topics);

}  // namespace saccade::results
