// Whether a text is well-formed UTF-8, and whether it can be shown on one line.
// Source: RFC 3629. Threads: pure. Errors: none.
#pragma once

#include <string_view>

namespace saccade::text {

// No overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);

// Well-formed and without control characters.
[[nodiscard]] bool is_plain_line(std::string_view text);

}  // namespace saccade::text
