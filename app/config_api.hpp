// The part of the configuration that says where the API is served.
//   "api": {"listen": "127.0.0.1:8080", "token_file": null}
// Without the part there is no server. An address beyond this machine needs a token file.
// Threads: function without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <optional>

#include "profiles/object_reader.hpp"
#include "runtime/service/access.hpp"

namespace saccade::app {

struct ApiConfig {
  runtime::ListenAddress address{"", "127.0.0.1", 8080};
  std::filesystem::path token_file;  // empty: none
  bool operator==(const ApiConfig&) const = default;
};

// Relative paths, of a socket too, are below `directory`.
[[nodiscard]] ApiConfig read_api(const profiles::JsonAt& at, const std::filesystem::path& directory,
                                 profiles::JsonReport& report);

}  // namespace saccade::app
