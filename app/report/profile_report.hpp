// How `saccade profile` displays its measurements: a table per network, warnings, a chart of the front.
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/report/plot.hpp"
#include "runtime/profiling/profiler.hpp"

namespace saccade::app {

// A star marks the variants that no other one dominates in accuracy and frame time.
void print_profiles(const runtime::MeasuredProfiles& measured, std::ostream& out);

// Suspicious values of the set, and variants of similar speed that measurement noise prevents from being
// ranked.
[[nodiscard]] Errors notes_on(const runtime::MeasuredProfiles& measured);

// The indices of the variants on the front of accuracy and frame time, fastest first.
[[nodiscard]] std::vector<std::size_t> accuracy_time_front(const profiles::ProfileSet& set);

// Accuracy over frame time, per precision, with the front as steps.
[[nodiscard]] Chart front_chart(const profiles::ProfileSet& set);

}  // namespace saccade::app
