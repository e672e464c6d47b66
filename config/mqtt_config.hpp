// A sink of type "mqtt": the address of a broker, who the service is there, and the topics.
// Threads: function without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <string>

#include "results/mqtt_settings.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// `node`: what the prefix and the client id are made of where none is written. The id is the caller's.
[[nodiscard]] results::MqttSettings read_mqtt(text::ObjectReader& reader, const std::string& node,
                                              const std::string& id, const std::filesystem::path& directory);

}  // namespace saccade::config
