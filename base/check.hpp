// A check that stays on in every build. It detects programmers' mistakes only: if it fails, the process
// prints the location and aborts. Bad input never reaches a check; it becomes an Error.
#pragma once

namespace saccade {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace saccade

#define SACCADE_CHECK(condition)                       \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::saccade::check_failed(#condition, __FILE__, __LINE__))
