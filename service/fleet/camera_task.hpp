// A camera of the fleet as a task of this box: its document with the profile set that the box has of its
// network. Threads: function without state. Errors: what is wrong with the document, for the planner.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {

// By network.
using BoxNetworks = std::map<std::string, std::filesystem::path>;

[[nodiscard]] Result<text::JsonValue> task_of_camera(const std::string& id, const std::string& document,
                                                     const BoxNetworks& networks);
// The same of a camera that another box serves: not demanded, its source not opened, an engine kept ready.
[[nodiscard]] Result<text::JsonValue> task_of_standby(const std::string& id, const std::string& document,
                                                      const BoxNetworks& networks);

}  // namespace saccade::service
