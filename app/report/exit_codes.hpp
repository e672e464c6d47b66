// What the program's exit code says.
#pragma once

namespace saccade::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;        // failed while running; of `plan`: nothing is known
inline constexpr int kExitUsage = 2;         // the command line was wrong
inline constexpr int kExitInfeasible = 3;    // the limits conflict
inline constexpr int kExitUnavailable = 69;  // a device, engine, solver or the state directory is not there
inline constexpr int kExitConfig = 78;       // the configuration or a profile set is wrong

}  // namespace saccade::app
