// Times of several engines over rounds: in a round every engine runs once, in turn, so that each finds the
// caches as the others left them and a slow phase of the machine affects all alike. Engines that serve one
// after the other, as the parts of a network do, are a chain: it runs twice in a round and the second time
// counts, so that each engine finds the caches as its own chain left them. With a journal the rounds
// are saved in blocks, and an interrupted measurement resumes after the last complete block.
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
  // At least `fewest`, then until `most` or until the time is used up.
  int fewest = 30;
  int most = 1000;
  Seconds time{20.0};  // with the warm-up
  Seconds block{2.0};  // saved in the journal at once
};

// The components of a time, in seconds: preparation, inference, decoding.
using TimeParts = std::array<double, 3>;

struct RoundTrial {
  std::size_t engines = 0;
  std::function<Result<std::vector<std::unique_ptr<Engine>>>()> load;  // all of them
  std::function<Status(std::size_t index, Engine&)> infer;             // once; index: of the engine
  std::vector<std::size_t>
      chains;  // sizes of consecutive chains, all engines together; empty: there are none
  // Of the latest inference; may be empty.
  std::function<TimeParts()> last_parts;
  std::vector<TimeParts>* parts = nullptr;  // if given: set to their sums over all samples, by engine
  std::function<void()> round_ended;        // may be empty
  std::function<void(Duration took)> rest;  // after each inference, not measured; may be empty
  std::function<void(double share)> report;
  ProfileJournal* journal = nullptr;  // null = none
  std::string name;                   // name of the blocks in the journal
};

[[nodiscard]] Result<Samples> measure_rounds(const RoundTrial& trial, const RoundLimits& limits,
                                             const Clock& clock);

}  // namespace saccade::runtime
