// The sinks of a service and the name it goes by, as the configuration says. Defaults are defined here, once.
// Units: bytes, seconds. Threads: plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "results/filter.hpp"
#include "results/mqtt_settings.hpp"

namespace saccade::results {

struct FileSettings {
  std::filesystem::path path = {};
  std::int64_t rotate_bytes = 100'000'000;  // a file that would grow beyond this makes room for the next
  int keep = 10;                            // files beside the newest: path.1 is the one before it
  Seconds sync{1.0};        // longest time until what was written is on the disk; 0: after every result
  std::size_t queue = 256;  // results that may wait
  bool operator==(const FileSettings&) const = default;
};

struct SinkSettings {
  std::string id;
  FilterRule filter;
  std::variant<FileSettings, MqttSettings> kind;
  [[nodiscard]] const char* type() const {
    return std::holds_alternative<FileSettings>(kind) ? "file" : "mqtt";
  }
  bool operator==(const SinkSettings&) const = default;
};

struct ResultsSettings {
  std::string node;  // never empty once it was read
  std::vector<SinkSettings> sinks;
  bool operator==(const ResultsSettings&) const = default;
};

}  // namespace saccade::results
