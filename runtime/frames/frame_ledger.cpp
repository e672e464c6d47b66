#include "runtime/frames/frame_ledger.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace saccade::runtime {

std::int64_t TaskFrames::dropped_total() const {
  return std::accumulate(dropped.begin(), dropped.end(), std::int64_t{0});
}

FrameLedger::FrameLedger(std::size_t task_count) : tasks_(task_count) {}

void FrameLedger::renew_task(TaskIndex task) {
  Account& account = tasks_.at(task);
  SACCADE_CHECK(account.open.empty());
  const TaskFrames& frames = account.frames;
  ++forgotten_.tasks;
  forgotten_.demanded += frames.demanded;
  forgotten_.granted += frames.granted;
  forgotten_.received += frames.received;
  forgotten_.rejected += frames.rejected;
  forgotten_.processed += frames.processed;
  for (std::size_t i = 0; i < kDropReasons; ++i) forgotten_.dropped[i] += frames.dropped[i];
  for (std::size_t i = 0; i < kLossCauses; ++i) forgotten_.dropped_by_cause[i] += frames.dropped_by_cause[i];
  account = Account();
}

void FrameLedger::set_active(TaskIndex task, bool active, TimePoint now) {
  Account& account = tasks_.at(task);
  if (active == account.last_end.has_value()) return;
  account.frames.largest_gap = largest_gap(task, now);
  account.last_end = active ? std::optional(now) : std::nullopt;
}

void FrameLedger::set_granted(TaskIndex task, Fps rate, TimePoint now) {
  tasks_.at(task).granted.set_rate(rate, now);
}

void FrameLedger::tick(TaskIndex task, TimePoint due) {
  Account& account = tasks_.at(task);
  ++account.frames.demanded;
  if (account.granted.admit(due)) ++account.frames.granted;
}

void FrameLedger::received(TaskIndex task, FrameNumber frame, Duration period) {
  SACCADE_CHECK(period.count() > 0);
  Account& account = tasks_.at(task);
  ++account.frames.received;
  ++account.frames.in_flight;
  account.open.push_back({frame, period});
  check(account);
}

void FrameLedger::processed(TaskIndex task, FrameNumber frame, TimePoint due, TimePoint end_time,
                            FrameTime time, std::size_t variant, Judged judged, std::optional<Duration> age) {
  Account& account = tasks_.at(task);
  const Open ended = end(account, frame);
  TaskFrames& frames = account.frames;
  ++frames.processed;
  if (frames.variants.size() <= variant) frames.variants.resize(variant + 1);
  VariantFrames& by_variant = frames.variants[variant];
  ++by_variant.frames;
  by_variant.labelled += judged.labelled;
  by_variant.correct += judged.correct;
  frames.latency.add(end_time - due);
  if (age) frames.age.add(*age);
  frames.in_periods.add(
      to_duration(Seconds(to_seconds(end_time - due).value() / to_seconds(ended.period).value())));
  frames.inference.add(time.infer);
  frames.worked += time;
  frames.largest_gap = largest_gap(task, end_time);
  if (account.last_end) account.last_end = std::max(*account.last_end, end_time);
  check(account);
}

void FrameLedger::dropped(const Drop& drop) {
  Account& account = tasks_.at(drop.task);
  (void)end(account, drop.frame);
  ++account.frames.dropped[static_cast<std::size_t>(drop.reason)];
  ++account.frames.dropped_by_cause[static_cast<std::size_t>(drop.cause)];
  check(account);
}

Duration FrameLedger::largest_gap(TaskIndex task, TimePoint now) const {
  const Account& account = tasks_.at(task);
  if (!account.last_end) return account.frames.largest_gap;
  return std::max(account.frames.largest_gap, now - *account.last_end);
}

FrameLedger::Open FrameLedger::end(Account& account, FrameNumber frame) {
  const auto open = std::find_if(account.open.begin(), account.open.end(),
                                 [frame](const Open& one) { return one.frame == frame; });
  SACCADE_CHECK(open != account.open.end());
  const Open ended = *open;
  account.open.erase(open);
  --account.frames.in_flight;
  return ended;
}

void FrameLedger::check(const Account& account) {
  const TaskFrames& frames = account.frames;
  SACCADE_CHECK(frames.received == frames.processed + frames.dropped_total() + frames.in_flight);
  SACCADE_CHECK(frames.in_flight == static_cast<std::int64_t>(account.open.size()));
}

double overhead_share(const FrameLedger& ledger) {
  constexpr auto kSwitching = static_cast<std::size_t>(LossCause::switching);
  constexpr auto kSolving = static_cast<std::size_t>(LossCause::solving);
  const ForgottenFrames& forgotten = ledger.forgotten();
  std::int64_t lost = forgotten.dropped_by_cause[kSwitching] + forgotten.dropped_by_cause[kSolving];
  std::int64_t granted = forgotten.granted;
  for (TaskIndex task = 0; task < ledger.task_count(); ++task) {
    const TaskFrames& frames = ledger.task(task);
    lost += frames.dropped_by_cause[kSwitching] + frames.dropped_by_cause[kSolving];
    granted += frames.granted;
  }
  return granted == 0 ? 0.0 : static_cast<double>(lost) / static_cast<double>(granted);
}

}  // namespace saccade::runtime
