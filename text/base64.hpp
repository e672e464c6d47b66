// Bytes from and to base64 (RFC 4648, section 4): padded, without line breaks.
// Threads: functions without state. Errors: absent when the text is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saccade::text {

[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
[[nodiscard]] std::string to_base64(std::string_view bytes);

}  // namespace saccade::text
