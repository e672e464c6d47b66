// The sinks of a service and the name it goes by, as the configuration says. Defaults are defined here, once.
// Units: bytes, seconds. Threads: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "results/filter.hpp"
#include "results/mqtt_settings.hpp"
#include "results/presence.hpp"
#include "results/socket_settings.hpp"
#include "results/webhook_settings.hpp"

namespace saccade::results {

struct FileSettings {
  std::filesystem::path path = {};
  std::int64_t rotate_bytes = 100'000'000;  // a file that would grow beyond this makes room for the next
  int keep = 10;                            // files beside the newest: path.1 is the one before it
  Seconds sync{1.0};        // longest time until what was written is on the disk; 0: after every result
  std::size_t queue = 256;  // results that may wait
  bool operator==(const FileSettings&) const = default;
};

using SinkKind = std::variant<FileSettings, MqttSettings, WebhookSettings, SocketSettings>;
inline constexpr std::array kSinkTypes = {"file", "mqtt", "webhook", "socket"};  // in this order
static_assert(kSinkTypes.size() == std::variant_size_v<SinkKind>);

struct SinkSettings {
  std::string id;
  FilterRule filter;
  PresenceRule presence = {};
  SinkKind kind;
  [[nodiscard]] const char* type() const { return kSinkTypes.at(kind.index()); }
  bool operator==(const SinkSettings&) const = default;
};

struct ResultsSettings {
  std::string node;  // never empty once it was read
  std::vector<SinkSettings> sinks;
  bool operator==(const ResultsSettings&) const = default;
};

}  // namespace saccade::results
