// Common parts of several sinks' configurations.
// Threads: functions without state. Errors: an absent value, or into the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "text/object_reader.hpp"

namespace saccade::config {

struct HostAndPort {
  std::string host;         // an IPv6 address without its brackets
  std::optional<int> port;  // 1 to 65535; absent: not given
  bool operator==(const HostAndPort&) const = default;
};
// "host", "host:port", "[address]", "[address]:port"; absent: `authority` is none of these.
[[nodiscard]] std::optional<HostAndPort> host_and_port_from(std::string_view authority);

// The path in `key`, relative to `directory`; empty: not given, or null. The file need not exist.
[[nodiscard]] std::string read_optional_path(text::ObjectReader& reader, const std::string& key,
                                             const std::filesystem::path& directory);

}  // namespace saccade::config
