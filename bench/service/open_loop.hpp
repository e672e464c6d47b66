// Open loop: every request has its time beforehand, and one that comes late because the last answer did is
// late from its own time on.
// Threads: runs on the caller's. Errors: of single requests only, told as such.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bench/service/connection.hpp"

namespace saccade::bench {

struct Pace {
  double per_second = 0.0;
  Duration duration{0};
  Duration first_after{0};  // from now to the first request
};

// Sends request(i) at its time on one kept connection, made again after one that failed (no answer, or
// another status than 200), and tells what came and how long after the request's time.
void ask_on_time(std::uint16_t port, const Pace& pace,
                 const std::function<const std::string&(std::int64_t i)>& request,
                 const std::function<void(const std::optional<HttpAnswer>& answer, double ms)>& told);

// Of times in milliseconds; zeros without any.
struct AnswerTimes {
  double p50_ms = 0.0;
  double p99_ms = 0.0;
  double max_ms = 0.0;
};
[[nodiscard]] AnswerTimes answer_times(std::vector<double> times_ms);

}  // namespace saccade::bench
