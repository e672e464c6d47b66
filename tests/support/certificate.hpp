// A certificate that signed itself, for tests of TLS; valid for an hour.
#pragma once

#include <filesystem>
#include <string>

namespace saccade::test {

// `names`: "DNS:localhost,IP:127.0.0.1". False: a file cannot be written.
[[nodiscard]] bool write_certificate(const std::filesystem::path& certificate,
                                     const std::filesystem::path& key, const std::string& names);

}  // namespace saccade::test
