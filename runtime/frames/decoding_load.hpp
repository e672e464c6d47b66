// The share of the processors' CPUs that the decoding of cameras takes, from the processor time of the
// cameras' readers.
//
// Mean       per camera over about kMemory; plainly over what there is while it is younger.
// Spread     over the CPUs that captures may use, evenly. A processor with CPUs of its own is charged the
//            mean load of them; the threads of processors without are moved to CPUs that are free, and are
//            charged only what exceeds these. What a capacity below 1 leaves of a CPU is used first.
// In force   a new sum comes into force if it has differed from the one in force by more than kBand and
//            kRelative of it: upwards after kHold, downwards after `patience`. A rise soon after a fall
//            doubles the patience, so that plans do not follow a camera that is decoded more cheaply whenever
//            they grant it less.
//
// Call order: look() at least once per kSample; `now` never goes back. Units: CPU-seconds per second.
// Deterministic: no clock, no randomness. Threads: plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

// Which CPUs captures and processors share.
struct DecodingPlaces {
  struct Processor {
    double shared = 0.0;    // of its own CPUs, the part that captures may use: 0 to 1
    bool floating = false;  // it has none of its own and runs on the captures' CPUs
    double capacity = 1.0;  // as configured
    bool operator==(const Processor&) const = default;
  };
  std::size_t cpus = 0;               // that captures may use; 0: not known, nothing is charged
  std::vector<Processor> processors;  // those of accelerators: neither shared nor floating
  bool operator==(const DecodingPlaces&) const = default;

  // Whether decoding may cost any processor time.
  [[nodiscard]] bool any_shared() const;
  // What readers that take `total` altogether take of the processor.
  [[nodiscard]] double load(ProcessorIndex processor, double total) const;
};

// What plans leave of a processor's capacity for decoding that takes `measured` of it. Where worker and
// readers share a CPU, measured frame times include the time for which readers held it, so that the
// correction may contain decoding already: of the two the larger counts, not both. At least kLeftByDecoding
// of what the guard leaves remains.
inline constexpr double kLeftByDecoding = 0.1;
[[nodiscard]] double decoding_charge(double capacity, Seconds guard, double correction, double measured);

class DecodingLoad {
 public:
  static constexpr Duration kSample{1'000'000'000};
  static constexpr Duration kMemory{10'000'000'000};
  static constexpr double kBand = 0.02;      // of a CPU
  static constexpr double kRelative = 0.15;  // of the sum in force
  static constexpr Duration kHold{10'000'000'000};
  static constexpr Duration kPatience{30'000'000'000};
  static constexpr Duration kMostPatience{600'000'000'000};

  explicit DecodingLoad(DecodingPlaces places);

  // Whether look() would sample. Always false where nothing is shared.
  [[nodiscard]] bool due(TimePoint now) const;
  struct Change {
    ProcessorIndex processor = 0;
    double share = 0.0;
    bool operator==(const Change&) const = default;
  };
  // `times`: processor time of each task's camera so far; absent: it has none. One that went back belongs to
  // another camera. Returns the processors whose share changed.
  [[nodiscard]] std::vector<Change> look(std::span<const std::optional<Duration>> times, TimePoint now);
  [[nodiscard]] double in_force() const { return in_force_; }  // of all cameras

 private:
  struct Camera {
    Duration taken{0};
    Duration watched{0};
    double mean = 0.0;
  };
  void sample(std::span<const std::optional<Duration>> times, Duration since);
  [[nodiscard]] double sum() const;
  [[nodiscard]] bool settle(TimePoint now);  // whether another sum is in force now

  const DecodingPlaces places_;
  std::vector<std::optional<Camera>> cameras_;  // by task
  std::vector<double> shares_;                  // by processor, in force
  std::optional<TimePoint> sampled_;
  double in_force_ = 0.0;
  std::optional<TimePoint> away_since_;
  bool above_ = false;
  std::optional<TimePoint> fell_;  // the last time
  Duration patience_ = kPatience;
};

}  // namespace saccade::runtime
