// The experiments of `saccade bench service`, each on a service of its own: `saccade run` in another
// process, with the scenario's tasks on real engines at full demand. Whoever asks or attacks keeps off the
// CPUs of the scenario's processors.
// Threads: functions that return when all is over; one at a time. Errors: what the service says when it
// cannot start, when it ends too early or does not answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "bench/service/attacker.hpp"
#include "bench/service/frame_watch.hpp"
#include "bench/service/open_loop.hpp"

namespace saccade::bench {

inline constexpr Duration kPatience = std::chrono::seconds(5);  // with one answer
inline constexpr std::chrono::seconds kWarmUp{1};               // of a service, before its frames count

struct ServiceScenario {
  std::filesystem::path file;
  std::vector<std::string> tasks;
  std::vector<double> rates;     // of the tasks
  std::vector<int> client_cpus;  // that serve no camera
  std::uint64_t seed = 1;
  std::function<void(double share)> progress;
};

struct AttackSizes {
  std::size_t pairs = 5;
  Duration stretch = std::chrono::seconds(48);
  std::uint64_t requests = 100'000;  // at least, over all stretches
};
struct AttackPair {  // two stretches of time, one after the other
  WatchedFrames without;
  WatchedFrames with;
  // Achieved without - with, in percentage points; absent: nothing was demanded.
  [[nodiscard]] std::optional<double> lost_points() const {
    if (without.all.demanded <= 0.0 || with.all.demanded <= 0.0) return std::nullopt;
    return 100.0 * (without.all.achieved() - with.all.achieved());
  }
};
// What the service itself attributes to others in all of its run, of its summary.
struct OutsideSeen {
  std::uint64_t frames = 0;
  Seconds held{0.0};
  Seconds steal{0.0};
};
// Absent: no CPU was watched.
[[nodiscard]] std::optional<OutsideSeen> outside_of(const nlohmann::json& summary);

struct AttackFigures {
  std::vector<AttackPair> pairs;
  std::optional<double> lost_points;  // median over the pairs
  std::map<std::string_view, Tally> tallies;
  Tally all;
  std::size_t crashes = 0;
  bool changed = false;                // the configuration
  std::optional<Bytes> memory_growth;  // resident, from before the first attack to after the last
  std::uint64_t good_asked = 0;        // of GET /livez meanwhile, each on a new connection
  std::uint64_t good_answered = 0;
  double good_p99_ms = 0.0;
  std::optional<OutsideSeen> outside;
};
[[nodiscard]] Result<AttackFigures> run_attack(const ServiceScenario& scenario, const AttackSizes& sizes);

struct PatchSizes {
  double per_minute = 1000.0;
  Duration duration = std::chrono::minutes(3);
};
struct PatchFigures {
  std::uint64_t sent = 0;
  std::uint64_t accepted = 0;
  bool in_order = true;  // every generation came after the last; the run takes some itself
  std::uint64_t last_generation = 0;
  std::uint64_t plan_generation = 0;  // in the end
  std::uint64_t scrapes = 0;
  std::uint64_t scrapes_off = 0;  // in which a task's frames did not add up
  WatchedFrames frames;
  std::size_t switches = 0;
  double answer_p99_ms = 0.0;
  std::optional<OutsideSeen> outside;
};
[[nodiscard]] Result<PatchFigures> run_patches(const ServiceScenario& scenario, const PatchSizes& sizes);

struct StatusSizes {
  double per_second = 200.0;
  Duration duration = std::chrono::seconds(30);
};
struct StatusFigures {  // from when a request was to be sent to the end of its answer
  std::size_t requests = 0;
  std::size_t failed = 0;
  AnswerTimes times;
  WatchedFrames frames;  // meanwhile
  std::optional<OutsideSeen> outside;
};
[[nodiscard]] Result<StatusFigures> run_status(const ServiceScenario& scenario, const StatusSizes& sizes);

struct InferSizes {
  std::size_t connections = 16;     // kept ones
  double per_second = 640.0;        // frames, over all connections
  double others_per_second = 20.0;  // GET /v1/status, and as often GET /v2/models/TASK/ready
  Duration duration = std::chrono::seconds(60);
};
struct InferFigures {  // all times from when a request was to be sent
  std::size_t tasks = 0;
  std::size_t requests = 0;
  std::size_t failed = 0;  // without a result
  AnswerTimes whole;       // to the end of the answer
  AnswerTimes service;     // the same without the frame's wait for the processor and its inference
  AnswerTimes status;
  AnswerTimes ready;
  std::size_t others_failed = 0;
  std::optional<OutsideSeen> outside;
};
// Of a scenario whose tasks are pushed to, on the simulated engine, which takes no time.
[[nodiscard]] Result<InferFigures> run_infer(const ServiceScenario& scenario, const InferSizes& sizes);

}  // namespace saccade::bench
