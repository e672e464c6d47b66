// Bytes from base64 (RFC 4648, section 4): padded, without line breaks.
// Threads: function without state. Errors: absent if the text is not base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saccade::service {

[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace saccade::service
