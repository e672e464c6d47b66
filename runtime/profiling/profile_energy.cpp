#include "runtime/profiling/profile_energy.hpp"

#include <algorithm>

namespace saccade::runtime {

namespace {

constexpr Duration kBetweenReadings = std::chrono::milliseconds(5);
constexpr Duration kLongestStep = std::chrono::seconds(1);  // a counter that stands still is no meter

struct Edge {
  TimePoint at{};
  Joules total;
};

// The next step of the meter's figure, while `pass` lets time pass. Absent: none comes, or the meter fails.
Result<std::optional<Edge>> next_edge(const EnergyTrial& trial, const std::function<Status()>& pass) {
  const TimePoint begin = trial.clock->now();
  const std::optional<Joules> before = trial.meter->total(begin);
  while (before) {
    const Status passed = pass();
    if (!passed) return passed.errors();
    const TimePoint now = trial.clock->now();
    const std::optional<Joules> total = trial.meter->total(now);
    if (!total || now - begin > kLongestStep) break;
    if (*total > *before) return std::optional(Edge{now, *total});
  }
  return std::optional<Edge>();
}

struct Stretch {
  Seconds time;
  Joules energy;
  double passes = 0.0;  // of `pass` within it
  [[nodiscard]] Watts power() const { return Watts(energy.value() / time.value()); }
};

// From one step to another, at least `least` apart.
Result<std::optional<Stretch>> stretch(const EnergyTrial& trial, Seconds least,
                                       const std::function<Status()>& pass) {
  const auto first = next_edge(trial, pass);
  if (!first) return first.errors();
  if (!first.value()) return std::optional<Stretch>();
  double passes = 0.0;
  const auto counted = [&]() -> Status {
    passes += 1.0;
    return pass();
  };
  const TimePoint begin = first.value()->at;
  while (trial.clock->now() - begin < to_duration(least)) {
    const Status passed = counted();
    if (!passed) return passed.errors();
  }
  const auto last = next_edge(trial, counted);
  if (!last) return last.errors();
  if (!last.value()) return std::optional<Stretch>();
  const Edge& end = *last.value();
  return std::optional(Stretch{to_seconds(end.at - begin), end.total - first.value()->total, passes});
}

std::optional<Watts> settled_idle(const EnergyTrial& trial) {
  const auto rest = [&]() -> Status {
    trial.rest(kBetweenReadings);
    return Done{};
  };
  trial.rest(to_duration(kSettle));
  const auto idle = stretch(trial, trial.idle, rest);
  return idle.ok() && idle.value() ? std::optional(idle.value()->power()) : std::nullopt;
}

Result<std::optional<Draw>> stepped_draw(const EnergyTrial& trial, const std::function<Status()>& infer) {
  const std::optional<Watts> before = settled_idle(trial);
  if (!before) return std::optional<Draw>();
  const auto work = stretch(trial, std::max(trial.per_variant, kSteppedLeast), infer);
  if (!work) return work.errors();
  const std::optional<Watts> after = work.value() ? settled_idle(trial) : std::nullopt;
  if (!after) return std::optional<Draw>();
  const Watts drift = *before > *after ? *before - *after : *after - *before;
  const Watts above = work.value()->power() - (*before + *after) / 2.0;
  if (!(above > Watts(0.0)) || above < kDriftTimes * drift) return std::optional<Draw>();
  return std::optional(Draw{above * work.value()->time / work.value()->passes, above});
}

}  // namespace

std::optional<Watts> idle_power(const EnergyTrial& trial) {
  const TimePoint begin = trial.clock->now();
  const std::optional<Joules> before = trial.meter->total(begin);
  if (!before) return std::nullopt;
  std::optional<Joules> after = before;
  TimePoint now = begin;
  while (after && now - begin < to_duration(trial.idle)) {
    trial.rest(kBetweenReadings);
    now = trial.clock->now();
    after = trial.meter->total(now);
  }
  if (!after) return std::nullopt;
  return Watts((*after - *before).value() / to_seconds(now - begin).value());
}

Result<std::optional<Draw>> measure_draw(const EnergyTrial& trial, Watts idle,
                                         const std::function<Status()>& infer) {
  if (trial.meter->step() > Duration(0)) return stepped_draw(trial, infer);
  const TimePoint begin = trial.clock->now();
  const std::optional<Joules> before = trial.meter->total(begin);
  if (!before) return std::optional<Draw>();
  std::optional<Joules> after = before;
  TimePoint now = begin;
  TimePoint read = begin;
  double inferences = 0.0;
  while (after && now - begin < to_duration(trial.per_variant)) {
    const Status status = infer();
    if (!status) return status.errors();
    inferences += 1.0;
    now = trial.clock->now();
    if (now - read < kBetweenReadings) continue;
    after = trial.meter->total(now);
    read = now;
  }
  if (after) after = trial.meter->total(now);
  if (!after) return std::optional<Draw>();
  const Seconds took = to_seconds(now - begin);
  const Joules above = *after - *before - idle * took;
  if (!(above > Joules(0.0))) return std::optional<Draw>();
  return std::optional(Draw{above / inferences, Watts(above.value() / took.value())});
}

}  // namespace saccade::runtime
