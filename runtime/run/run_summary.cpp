#include "runtime/run/run_summary.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::runtime {
namespace {

class Mean {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / count_);
  }

 private:
  double sum_ = 0.0;
  int count_ = 0;
};

std::optional<double> share(double part, std::int64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(part / static_cast<double>(whole));
}

double binomial_error(double probability, double count) {
  return std::sqrt(probability * (1.0 - probability) / count);
}

std::optional<AccuracyCheck> check_accuracy(const RunTask& task, const TaskFrames& frames) {
  AccuracyCheck check;
  std::int64_t correct = 0;
  double promised = 0.0;
  double profile_error = 0.0;
  for (std::size_t v = 0; v < frames.variants.size(); ++v) {
    const VariantFrames& served = frames.variants[v];
    const profiles::Variant& variant = task.profiles->variants.at(v);
    const auto labelled = static_cast<double>(served.labelled);
    check.labelled += served.labelled;
    correct += served.correct;
    promised += labelled * variant.accuracy;
    if (variant.accuracy_images.value_or(0) > 0) {
      profile_error += labelled * binomial_error(variant.accuracy, *variant.accuracy_images);
    }
  }
  if (check.labelled == 0) return std::nullopt;
  const auto labelled = static_cast<double>(check.labelled);
  check.measured = static_cast<double>(correct) / labelled;
  check.promised = promised / labelled;
  check.different_images = std::min(
      check.labelled,
      static_cast<std::int64_t>(task.labelled_images.value_or(static_cast<std::size_t>(check.labelled))));
  check.standard_error = std::hypot(
      profile_error / labelled, binomial_error(check.promised, static_cast<double>(check.different_images)));
  return check;
}

TaskSummary summarise_task(const RunTask& task, const TaskFrames& frames) {
  TaskSummary summary;
  summary.id = task.id;
  summary.demanded = frames.demanded;
  summary.granted = frames.granted;
  summary.received = frames.received;
  summary.rejected = frames.rejected;
  summary.processed = frames.processed;
  summary.in_flight = frames.in_flight;
  summary.dropped = frames.dropped;
  summary.dropped_by_cause = frames.dropped_by_cause;
  summary.accuracy = check_accuracy(task, frames);

  const double best = task.profiles->best_accuracy();
  double relative = 0.0;  // summed over processed frames
  for (std::size_t v = 0; v < frames.variants.size(); ++v) {
    const VariantFrames& served = frames.variants[v];
    if (served.frames == 0) continue;
    const profiles::Variant& variant = task.profiles->variants.at(v);
    relative += static_cast<double>(served.frames) * variant.accuracy / best;
    summary.variants.push_back({variant.id, served.frames, served.labelled,
                                share(static_cast<double>(served.correct), served.labelled), variant.accuracy,
                                v < task.residuals.size() ? task.residuals[v] : std::nullopt});
  }
  summary.achieved_rate = share(static_cast<double>(frames.processed), frames.demanded);
  summary.mean_relative_accuracy = share(relative, frames.processed);
  summary.delivered_accuracy = share(relative, frames.demanded);
  if (const auto longest = frames.latency.max()) {
    summary.latency = {to_seconds(*frames.latency.quantile(0.5)), to_seconds(*frames.latency.quantile(0.99)),
                       to_seconds(*longest), to_seconds(*frames.in_periods.quantile(0.99)).value()};
  }
  if (const auto oldest = frames.age.max()) {
    summary.age = {to_seconds(*frames.age.quantile(0.5)), to_seconds(*frames.age.quantile(0.99)),
                   to_seconds(*oldest)};
  }
  const bool simulated = frames.worked.prepare.count() == 0;  // a real one always takes time
  if (frames.processed > 0 && !simulated) {
    const auto mean = [&](Duration sum) { return to_seconds(sum) / static_cast<double>(frames.processed); };
    summary.frame_time_parts = {mean(frames.worked.prepare), mean(frames.worked.infer),
                                mean(frames.worked.decode)};
  }
  return summary;
}

SegmentSummary summarise_segment(const SegmentBook& book, std::size_t segment, std::size_t tasks,
                                 Duration end) {
  SegmentSummary summary;
  summary.from = to_seconds(book.start(segment));
  summary.to = to_seconds(segment + 1 < book.count() ? std::min(book.start(segment + 1), end) : end);
  Mean rate;
  for (TaskIndex task = 0; task < tasks; ++task) {
    const SegmentFrames& frames = book.frames(segment, task);
    summary.tasks.push_back(frames);
    rate.add(share(static_cast<double>(frames.processed), frames.demanded));
  }
  summary.achieved_rate = rate.value();
  return summary;
}

std::optional<VariantId> name_of(const profiles::ProfileSet& profiles,
                                 const std::optional<std::size_t>& variant) {
  return variant ? std::optional(profiles.variants.at(*variant).id) : std::nullopt;
}

}  // namespace

double AccuracyCheck::deviation() const {
  const double difference = std::abs(measured - promised);
  return difference == 0.0 ? 0.0 : difference / standard_error;
}

SwitchSummary summarise(const SwitchRecord& record, const TaskId& task, const profiles::ProfileSet& profiles,
                        TimePoint start) {
  return {to_seconds(record.at - start),
          task,
          name_of(profiles, record.from),
          name_of(profiles, record.to),
          to_seconds(record.load_time),
          to_seconds(record.warm_time),
          to_seconds(record.swap_time),
          record.frames_lost,
          record.both_fit,
          record.bridge};
}

RunSummary summarise(const std::vector<RunTask>& tasks, const FrameLedger& frames,
                     const SegmentBook& segments, const StallBook& stalls,
                     const std::vector<SwitchRecord>& switches, TimePoint start, TimePoint end) {
  RunSummary summary;
  summary.seconds = to_seconds(end - start);
  Mean rate;
  Mean relative;
  Mean delivered;
  EnergyModel energy;
  for (TaskIndex task = 0; task < tasks.size(); ++task) {
    TaskSummary of_task = summarise_task(tasks[task], frames.task(task));
    of_task.largest_gap = to_seconds(frames.largest_gap(task, end));
    of_task.dropped_in_stall = stalls.dropped_in_stall(task);
    of_task.missed_in_stall = stalls.missed_in_stall(task);
    summary.outside.frames += of_task.dropped_in_stall + of_task.missed_in_stall;
    of_task.switches = std::count_if(switches.begin(), switches.end(),
                                     [&](const SwitchRecord& record) { return record.task == task; });
    rate.add(of_task.achieved_rate);
    relative.add(of_task.mean_relative_accuracy);
    delivered.add(of_task.delivered_accuracy);
    summary.tasks.push_back(std::move(of_task));
    energy.add_frames(*tasks[task].profiles, tasks[task].regions, frames.task(task));
  }
  if (const auto total = energy.total())
    summary.energy = EnergyReading{*total, std::nullopt, EnergySource::modelled, ""};
  summary.achieved_rate = rate.value();
  summary.mean_relative_accuracy = relative.value();
  summary.delivered_accuracy = delivered.value();
  for (std::size_t segment = 0; segment < segments.count(); ++segment) {
    if (segment > 0 && segments.start(segment) >= end - start) break;  // the run ended before it
    summary.segments.push_back(summarise_segment(segments, segment, tasks.size(), end - start));
  }
  summary.forgotten = frames.forgotten();
  for (const SwitchRecord& record : switches) {
    if (record.task == kNoTask) continue;
    const RunTask& task = tasks.at(record.task);
    summary.switches.push_back(summarise(record, task.id, *task.profiles, start));
  }
  summary.overhead_share = overhead_share(frames);
  summary.stalls = stalls.count();
  summary.longest_stall = to_seconds(stalls.longest());
  summary.outside.watched = stalls.watches();
  summary.outside.held = to_seconds(stalls.time());
  summary.outside.stolen = to_seconds(stalls.stolen());
  return summary;
}

RunSummary summarise(FrameDesk& desk, std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                     TimePoint end) {
  desk.settle();
  for (TaskIndex task = 0; task < tasks.size(); ++task) tasks[task].residuals = desk.residuals(task);
  return summarise(tasks, desk.ledger(), desk.segments(), desk.stalls(), switches, *desk.started(), end);
}

}  // namespace saccade::runtime
