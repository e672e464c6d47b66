// The program's exit codes.
#pragma once

namespace saccade::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;        // failed while running; of `plan`: no plan was found in time
inline constexpr int kExitUsage = 2;         // the command line was wrong
inline constexpr int kExitInfeasible = 3;    // the limits conflict
inline constexpr int kExitUnavailable = 69;  // a device, engine, solver or the state directory is unavailable
inline constexpr int kExitConfig = 78;       // the configuration or a profile set is invalid

}  // namespace saccade::app
