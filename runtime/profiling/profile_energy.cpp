#include "runtime/profiling/profile_energy.hpp"

namespace saccade::runtime {

namespace {

constexpr Duration kBetweenReadings = std::chrono::milliseconds(5);

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
