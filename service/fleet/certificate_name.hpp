// Client certificates that etcd takes. Threads: function without state. Errors: with the file.
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace saccade::service {

// A certificate with a common name is refused: etcd takes the name for a user, and its gateway, which cannot
// pass it on, refuses every request once users are enabled. Empty path: good.
[[nodiscard]] Status check_client_certificate(const std::filesystem::path& file);

}  // namespace saccade::service
