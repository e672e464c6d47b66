// The sinks of a service and the name of its node, as configured. Defaults are defined here, once.
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
  std::int64_t rotate_bytes = 100'000'000;  // a file that would grow beyond this is rotated
  int keep = 10;                            // rotated files to keep: PATH.1 is the previous one
  Seconds sync{1.0};        // longest time until written data is synchronised; 0: after every result
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
  std::string node;  // never empty after reading
  std::vector<SinkSettings> sinks;
  bool operator==(const ResultsSettings&) const = default;
};

}  // namespace saccade::results
