// Admits requests from the broker to change a task: rejects retained messages, messages that are too long,
// and requests above a rate limit. Pure: time is an argument and never steps back. Threads: plain value.
// Errors: the response to a rejected request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.hpp"

namespace saccade::results {

class ControlGate {
 public:
  static constexpr std::size_t kMostBytes = 16UL * 1024;
  static constexpr int kBurst = 8;                                      // in a burst
  static constexpr Duration kBetween = std::chrono::milliseconds(500);  // average interval after a burst

  // `was_kept`: the message was retained, that is, sent before we subscribed; it would be executed again at
  // every connection.
  [[nodiscard]] std::optional<std::string> refuse(std::size_t bytes, bool was_kept, TimePoint now) {
    if (was_kept) return refusal(400, "a retained message changes nothing: publish without the retain flag");
    if (bytes > kMostBytes) return refusal(413, "the change is longer than 16 KiB");
    const TimePoint earliest = now - kBetween * (kBurst - 1);
    if (free_ > now) return refusal(429, "too many changes: at most 8 at once and 2 a second");
    free_ = std::max(free_, earliest) + kBetween;
    return std::nullopt;
  }

 private:
  static std::string refusal(int status, const std::string& title) {
    return R"({"status":)" + std::to_string(status) + R"(,"title":")" + title + "\"}";
  }
  TimePoint free_ = TimePoint::min() + kBetween * kBurst;  // next admission if there were no bursts
};

}  // namespace saccade::results
