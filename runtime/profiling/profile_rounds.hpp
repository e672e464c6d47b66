// Times of several engines over rounds: in a round every engine runs once, in turn, so that each finds
// the caches as the others left them and a slow moment of the machine hits all alike. With a journal
// the rounds are kept in blocks, and a measurement that was stopped goes on behind the last of them.
// Threads: the calling one. Errors: a load, an inference or the journal that fails.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/profile_journal.hpp"

namespace saccade::runtime {

using Samples = std::vector<std::vector<double>>;  // [engine][round], seconds

struct RoundLimits {
  int warmup = 20;
  // At least `fewest`, then on until `most` or until the time is used.
  int fewest = 30;
  int most = 1000;
  Seconds time{20.0};  // with the warm-up
  Seconds block{2.0};  // what a journal keeps at once
};

// What times are made of, in seconds: preparing, inference, decoding.
using TimeParts = std::array<double, 3>;

struct RoundTrial {
  std::size_t engines = 0;
  std::function<Result<std::vector<std::unique_ptr<Engine>>>()> load;  // all of them
  std::function<Status(std::size_t index, Engine&)> infer;             // once; index: of the engine
  // Of the inference that ended last; may be empty.
  std::function<TimeParts()> last_parts;
  std::vector<TimeParts>* parts = nullptr;  // with it: becomes their sums over all samples, by engine
  std::function<void()> round_ended;        // may be empty
  std::function<void(double share)> report;
  ProfileJournal* journal = nullptr;  // null = none
  std::string name;                   // what the blocks are called there
};

[[nodiscard]] Result<Samples> measure_rounds(const RoundTrial& trial, const RoundLimits& limits,
                                             const Clock& clock);

}  // namespace saccade::runtime
