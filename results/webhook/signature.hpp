// The signature of a request's body in the form that GitHub's webhooks use:
//   X-Hub-Signature-256: sha256=HMAC-SHA256(key, body) in hexadecimal digits (RFC 2104, FIPS 180-4)
// Threads: function without state. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace saccade::results {

// The header line. `key`: any bytes, not empty.
[[nodiscard]] std::string signature_header(std::string_view key, std::string_view body);

}  // namespace saccade::results
