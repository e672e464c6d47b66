// A result as text: one JSON object of the format saccade-result/1, on one line and without a line break.
//   {"format":"saccade-result/1","node":"yard-box","task":"gate","frame":18231,"generation":4,
//    "captured_at":"2026-11-22T17:41:03.412Z","captured_by":"camera",
//    "captured_monotonic_seconds":8123.412345,"variant":"n-320-int8","processor":"cpu","accuracy":0.371,
//    "relative_accuracy":0.94,"size":[1920,1080],
//    "objects":[{"label":"person","class":0,"score":0.87,"box":[412.5,96.0,78.2,201.4],"region":0}],
//    "presence":{"person":1},"latency_seconds":0.031,"age_seconds":0.084}
// Networks that label regions have, instead of `objects` and in the order of the regions,
//    "regions":[{"region":0,"box":[320.0,180.0,64.0,64.0],"label":"car","class":1,"score":0.93}]
// `box`: x, y, width and height in pixels of the source's frame. A record has at most kMostRecordBytes; if
// objects or regions were omitted (the last ones first), "cut" gives their number.
// Units: seconds with six digits, pixels with one, scores with four. Threads: functions without state.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "results/result.hpp"

namespace saccade::results {

inline constexpr std::size_t kMostRecordBytes = 64 * 1024;

[[nodiscard]] const char* to_string(CapturedBy by);
// In UTC with milliseconds: "2026-11-22T17:41:03.412Z".
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);
// `node`: the name of the machine or service.
[[nodiscard]] std::string record_of(const Result& result, const std::string& node);

}  // namespace saccade::results
