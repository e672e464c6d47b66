// A sink of type "mqtt": the broker's address, the service's identity there, and the topics.
// Threads: function without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <string>

#include "results/mqtt_settings.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// `node`: the default for prefix and client id is derived from it. The id is read by the caller.
[[nodiscard]] results::MqttSettings read_mqtt(text::ObjectReader& reader, const std::string& node,
                                              const std::string& id, const std::filesystem::path& directory);

}  // namespace saccade::config
