// The accounting of one sink, starting at the workers: produced = filtered + sent + dropped + failed +
// waiting.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/sink.hpp"

namespace saccade::results {

// The outcome of all results since the start, for one sink, at one instant.
struct DeliveryAccount {
  std::string id;
  std::string type;
  std::int64_t produced = 0;
  std::int64_t filtered = 0;
  std::int64_t sent = 0;
  std::int64_t dropped = 0;
  std::int64_t failed = 0;
  std::int64_t waiting = 0;
  bool connected = false;
  std::string fault;                    // empty: none
  std::optional<Readers> readers = {};  // absent: a sink without readers
  DeliveryTimes delivered = {};         // of the results sent
};

}  // namespace saccade::results
