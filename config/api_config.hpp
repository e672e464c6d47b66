// The part of the configuration that specifies where the API is served.
//   "api": {"listen": "127.0.0.1:8080", "token_file": null, "tls": {"certificate": FILE, "key": FILE},
//           "origin": "https://cameras.example", "health": "0.0.0.0:9090", "allow": {"folders": [], "hosts":
//           []}}
// Without this part there is no server. A non-local address requires a token file; that of `health` does not,
// because it serves health and metrics only.
// Threads: function without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/allowed_places.hpp"
#include "config/listen_address.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

struct TlsFiles {                     // PEM
  std::filesystem::path certificate;  // followed by its chain
  std::filesystem::path key;
  bool operator==(const TlsFiles&) const = default;
};

struct ApiConfig {
  ListenAddress address{"", "127.0.0.1", 8080};
  std::filesystem::path token_file;  // empty: none
  std::optional<TlsFiles> tls;
  std::string origin;                   // of pages elsewhere that may send requests; empty: none
  std::optional<ListenAddress> health;  // a second address, for health and metrics
  AllowRules allow;
  bool operator==(const ApiConfig&) const = default;
};

// Relative paths, including that of a socket, are below `directory`.
[[nodiscard]] ApiConfig read_api(const text::JsonAt& at, const std::filesystem::path& directory,
                                 text::JsonReport& report);

}  // namespace saccade::config
