// The experiments of `saccade bench results`.
//   hand-over  what a worker pays for each result that it hands over, in this process: the service's own
//              listener, called by a thread on the serving CPU after each of its inferences, with no sink and
//              with each, 200 times a second, which keeps the results' thread busy, and 3 times, at which it
//              idles in between; without a sink also by a thread that has slept instead, as no worker has
//   rules      what rules cost: a worker's hand-over with rules in front of the results, the processor time
//              that they take of all threads, and a sample of motion
//   subscriber how old results are when a subscriber of a real broker has them, and when all presence states
//              have come after a broker was away
//   outages    what serving pays for a sink whose other side is away or misbehaves (kOutages): `saccade run`
//              in a process of its own, with and without the sink, in interleaved pairs
// Threads: functions that return when all is over; one at a time. Errors: what the service says when it
// cannot start or ends too early; that there is no broker.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::bench {

struct ResultsScenario {
  std::filesystem::path file;
  runtime::RunConfig run;
  std::string node;
  std::vector<int> serving_cpus;
  std::vector<int> client_cpus;  // that serve no camera
  std::function<void(double share)> progress;
};

inline constexpr const char* kNoSink = "none";
inline constexpr const char* kNoSinkAsleep = "none, after a sleep";  // instead of an inference

struct HandOverFigures {  // of one sink
  std::string sink;       // one of these two, or its type
  double per_second = 0.0;
  std::size_t results = 0;
  double p50_us = 0.0;
  double p99_us = 0.0;
  double max_us = 0.0;
  std::int64_t sent = 0;  // by the sink, in the end
  std::optional<double> delivered_p99_ms =
      {};                        // from the hand-over until it was sent: the bound of a histogram
  std::int64_t unaccounted = 0;  // looks at the account at which it did not add up
};
struct HandOverSizes {
  Duration each = std::chrono::seconds(60);
  std::vector<double> per_second = {200.0, 3.0};
};
[[nodiscard]] Result<std::vector<HandOverFigures>> run_hand_over(const ResultsScenario& scenario,
                                                                 const HandOverSizes& sizes);

struct RuleCost {  // of a worker's hand-over where rules watch the task
  double per_second = 0.0;
  std::size_t results = 0;
  double p50_us = 0.0;
  double p99_us = 0.0;
  double max_us = 0.0;
  double processor_more_us = 0.0;  // of all threads, per result: more than without rules
};
struct SampleCost {  // of one sample of motion: processor time
  int width = 0;
  int height = 0;
  std::size_t samples = 0;
  double median_ms = 0.0;
  double p99_ms = 0.0;
  double max_ms = 0.0;
};
struct RulesFigures {
  std::vector<RuleCost> results;
  std::vector<SampleCost> samples;
};
[[nodiscard]] Result<RulesFigures> run_rules(const ResultsScenario& scenario, const HandOverSizes& sizes);

// A run of the service with a broker and a subscriber in a process of its own.
struct ArrivalFigures {
  std::string outage;  // of the broker: "none", "killed" or "stopped", as below
  // Without an outage:
  std::size_t results = 0;                    // that the subscriber had
  std::optional<double> age_p99_ms = {};      // from capture to the end of the inference
  std::optional<double> arrival_p99_ms = {};  // from capture until the subscriber had it
  // With one:
  std::size_t states = 0;        // presence states
  bool connected_again = false;  // the service; a broker that was stopped for a short time keeps connections
  std::optional<double> states_seconds = {};  // from then on until all states had come; absent: they did not
};
// Each for this time, with one that is stopped for twice of it; longer if the service has not connected again
// by then.
[[nodiscard]] Result<std::vector<ArrivalFigures>> run_arrivals(const ResultsScenario& scenario,
                                                               Duration each);

struct Stretch {  // one run of the service
  double demanded = 0.0;
  double served = 0.0;
  std::optional<double> p99_ms;      // from the due time to the end, of the task where it is longest
  std::optional<double> age_p99_ms;  // from capture to the end, likewise
  std::optional<Bytes> memory;       // resident, in the end
  std::optional<Bytes> memory_peak;  // at the scrapes and in the end
  std::uint64_t scrapes = 0;
  std::uint64_t scrapes_off = 0;  // in which the results did not add up
  [[nodiscard]] double achieved() const { return demanded > 0.0 ? served / demanded : 0.0; }
};
struct OutagePair {
  Stretch without;
  Stretch with;
};
// A broker that is killed, stopped, absent or refuses; a receiver that hangs, answers 500 or drips; a full
// disk.
inline constexpr std::array kOutages = {"killed", "stopped", "absent", "refusing",
                                        "hangs",  "fails",   "drips",  "full"};
struct OutageFigures {
  std::string outage;  // one of kOutages
  std::vector<OutagePair> pairs;
  std::optional<double> lost_points;       // achieved without - with, median of the pairs
  std::optional<double> p99_more_ms;       // with - without, likewise
  std::optional<double> p99_ms;            // without, likewise
  std::optional<double> memory_more;       // bytes, with - without, likewise
  std::optional<double> memory_peak_more;  // of the peak, likewise
  std::uint64_t scrapes = 0;
  std::uint64_t scrapes_off = 0;
};
struct OutageSizes {
  std::vector<std::string> outages = {kOutages.begin(), kOutages.end()};
  std::size_t pairs = 5;
  // One that goes and comes is away in its second and third quarter.
  Duration stretch = std::chrono::seconds(60);
};
[[nodiscard]] Result<std::vector<OutageFigures>> run_outages(const ResultsScenario& scenario,
                                                             const OutageSizes& sizes);

}  // namespace saccade::bench
