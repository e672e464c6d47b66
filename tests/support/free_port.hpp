// A port of loopback for a server of a test's own. Threads: any.
#pragma once

#include <cstdint>

namespace saccade::test {

// One that nobody listens at, and that nobody gets before this process ends: another process that asks here
// gets another one, and the kernel gives it to no connection, since it is below the range from which it takes
// theirs (32768 and above, as Linux is delivered). So a server may start at it late, and start again.
[[nodiscard]] std::uint16_t free_port();

}  // namespace saccade::test
