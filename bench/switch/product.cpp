// The product in a course: as it is, with watched sources and a watched backend.
#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "bench/switch/course.hpp"
#include "bench/switch/holds.hpp"
#include "bench/switch/plans.hpp"
#include "bench/switch/product.hpp"
#include "config/solvers.hpp"
#include "runtime/machine/resident_memory.hpp"

namespace saccade::bench {
namespace {

constexpr double kSettled = 0.75;  // share of a period after which engines should all be there

// Stretches of laps through all states, and as long ones in the first state, in turn. Changes are numbered by
// the periods.
class Stretches {
 public:
  explicit Stretches(const Course& course)
      : states_(course.config.timeline.size()), length_(course.laps * states_), period_(course.period) {}

  [[nodiscard]] std::size_t state(std::size_t change) const {
    return nothing_changes(change) ? 0 : change % states_;
  }
  // The change back to the first state belongs to the laps before.
  [[nodiscard]] bool quiet(std::size_t change) const {
    return nothing_changes(change) && change % length_ > 0;
  }
  // Of a pair of stretches, with the first state and its engines there for long.
  [[nodiscard]] bool begins(std::int64_t change) const {
    return change > 0 && static_cast<std::size_t>(change) % (2 * length_) == 0;
  }
  [[nodiscard]] std::vector<Window> quiet_within(const Window& window) const {
    std::vector<Window> stretches;
    const auto pair = 2 * static_cast<std::int64_t>(length_) * period_;
    for (Duration from = pair / 2 + period_; from < window.to; from += pair) {
      if (from >= window.from) stretches.push_back({from, from + pair / 2 - period_});
    }
    return stretches;
  }

 private:
  [[nodiscard]] bool nothing_changes(std::size_t change) const { return change / length_ % 2 == 1; }

  std::size_t states_;
  std::size_t length_;  // of a stretch, in changes
  Duration period_;
};

// More changes than all switches need: on a machine that does something else they may not be had.
std::size_t most_changes(const Course& course) {
  const std::vector<scheduler::Plan> plans = plans_of(course);
  std::size_t switches = 0;  // in a lap
  for (std::size_t state = 0; state < plans.size(); ++state) {
    const scheduler::Plan& next = plans[(state + 1) % plans.size()];
    for (std::size_t task = 0; task < next.tasks.size(); ++task) {
      if (plans[state].tasks[task].variant != next.tasks[task].variant) ++switches;
    }
  }
  const std::size_t laps = (course.settling + course.switches) / std::max<std::size_t>(switches, 1) + 1;
  return 2 * (laps + laps / 4 + 2 * course.laps) * plans.size();
}

// The timeline of the course.
std::vector<runtime::TimelineState> laps(const Course& course) {
  const std::vector<runtime::TimelineState>& states = course.config.timeline;
  std::vector<runtime::TimelineState> timeline;
  const std::size_t changes = most_changes(course);
  const Stretches stretches(course);
  for (std::size_t i = 0; i < changes; ++i) {
    if (stretches.quiet(i)) continue;
    timeline.push_back({static_cast<std::int64_t>(i) * course.period, states[stretches.state(i)].snapshot});
  }
  return timeline;
}

// Decides when what is measured begins and ends: between two pairs of stretches. Memory is looked at there
// whenever the same engines and no other one are there.
class Laps {
 public:
  Laps(const Course& course, const Watch& watch) : course_(course), watch_(watch), stretches_(course) {}

  // True when the run may end.
  bool look(const runtime::RunStatus& status) {
    plans_.note(status.at, status.plan);
    const std::int64_t change = status.at / course_.period;
    const double phase = static_cast<double>((status.at % course_.period).count()) /
                         static_cast<double>(course_.period.count());
    const auto done = static_cast<std::size_t>(status.switches);
    const std::size_t wanted = from_ ? switches_before_ + course_.switches : course_.settling;
    const bool enough = done >= wanted || late(status.at);
    if (phase < kSettled || !stretches_.begins(change) || change == looked_) return false;
    if (!from_ && !enough) return false;
    if (!status.settled || watch_.engines() != status.tasks.size()) return false;
    looked_ = change;
    std::vector<std::optional<std::size_t>> variants;
    for (const runtime::TaskStatus& task : status.tasks) variants.push_back(task.variant);
    if (!from_) {
      variants_ = variants;
      switches_before_ = done;
      from_ = (change + 1) * course_.period;
    }
    if (variants == variants_) {
      runtime::trim_memory();
      if (const auto memory = runtime::anonymous_memory()) memory_.push_back(*memory);
    }
    if (*from_ > status.at || !enough) return false;
    to_ = status.at;
    return true;
  }
  [[nodiscard]] double share(const runtime::RunStatus& status) const {
    const double all = static_cast<double>(course_.settling + course_.switches);
    return std::min(1.0, static_cast<double>(status.switches) / all);
  }
  void write(Recording& recording, Duration end) const {
    recording.measured = {from_.value_or(Duration(0)), to_.value_or(end)};
    recording.quiet = stretches_.quiet_within(recording.measured);
    recording.memory = memory_;
    recording.plans = plans_.within(recording.measured.from, recording.measured.to);
  }

 private:
  [[nodiscard]] bool late(Duration at) const {
    return course_.longest && at >= (from_ ? *from_ + *course_.longest : *course_.longest / 10);
  }

  const Course& course_;
  const Watch& watch_;
  const Stretches stretches_;
  std::optional<Duration> from_;
  std::optional<Duration> to_;
  std::size_t switches_before_ = 0;
  std::vector<std::optional<std::size_t>> variants_;
  std::vector<Bytes> memory_;
  PlanRecorder plans_;
  std::int64_t looked_ = -1;
};

// Ticks that a capture was too late for are lost like frames that were dropped. The course changes weights
// only: every task's ticks follow from its first one.
void add_missed_ticks(const runtime::RunConfig& config, const Watch& watch, Duration end,
                      Recording& recording) {
  const std::vector<scheduler::Task>& tasks = config.timeline.front().snapshot.tasks;
  for (const runtime::TimelineState& state : config.timeline) {
    for (runtime::TaskIndex task = 0; task < tasks.size(); ++task) {
      SACCADE_CHECK(state.snapshot.tasks[task].demand == tasks[task].demand);
    }
  }
  const std::vector<Duration> first = first_ticks(tasks);
  for (runtime::TaskIndex task = 0; task < tasks.size(); ++task) {
    const std::vector<Loss> missed =
        missed_ticks(task, tasks[task].demand, first[task], watch.arrivals(task), end);
    recording.losses.insert(recording.losses.end(), missed.begin(), missed.end());
  }
}

}  // namespace

const std::vector<int>& serving_cpus(const Course& course) { return course.config.processors.front().cpus; }

Result<Recording> watch_product(const Course& course, runtime::RunConfig config, Watch& watch,
                                const OnStatus& on_status) {
  const auto solver = config::make_solver(config.solver);
  const auto policy = scheduler::make_policy(config.policy, *solver);
  Recording recording;
  for (const runtime::TaskConfig& task : config.tasks) recording.tasks.push_back(task.id.str());
  recording.period = course.period;
  const scheduler::Processor& processor = config.timeline.front().snapshot.processors.front();
  recording.capacity = processor.budget();

  std::unique_ptr<runtime::RealShell> shell;
  runtime::RunHooks hooks;
  hooks.drop_events = true;
  hooks.event = [&](Duration at, const runtime::action::Report& report) {
    if (report.event != runtime::EventKind::drop ||
        report.detail.find("reason=shutdown") != std::string::npos)
      return;
    const auto task = std::find(recording.tasks.begin(), recording.tasks.end(), report.task);
    const std::size_t reason = report.detail.find('=') + 1;
    recording.losses.push_back({static_cast<std::size_t>(task - recording.tasks.begin()), at,
                                report.detail.substr(reason, report.detail.find(' ') - reason),
                                report.detail.find("cause=switch") != std::string::npos,
                                report.detail.find("cause=solve") != std::string::npos});
  };
  hooks.status_interval = std::chrono::milliseconds(20);
  hooks.status = [&](const runtime::RunStatus& status) {
    if (on_status(status)) shell->stop();
  };
  runtime::TaskIndex next_task = 0;
  const auto opener =
      [&](const runtime::SourceConfig& source, const runtime::Regions& regions,
          const runtime::NetworkInputs& inputs,
          const std::vector<std::string>& labels) -> Result<std::unique_ptr<runtime::FrameSource>> {
    auto opened = runtime::open_source(source, regions, inputs, labels);
    if (!opened) return opened.errors();
    return watch.around(std::move(opened).value(), next_task++);
  };
  const std::vector<int> loader_cpus =
      course.loader == LoaderPlace::same_core ? serving_cpus(course) : std::vector<int>{};
  auto opened =
      runtime::RealShell::open(config, watch.around(course.backend, loader_cpus), *policy, hooks, opener);
  if (!opened) return opened.errors();
  shell = std::move(opened).value();
  Holds holds(watch.clock(), serving_cpus(course));
  const runtime::RunSummary summary = shell->run(std::nullopt);
  recording.holds = holds.end(watch.start());
  shell.reset();

  recording.frames = watch.frames();
  add_missed_ticks(config, watch, to_duration(summary.seconds), recording);
  recording.busy_share = summary.processors.front().busy_share;
  recording.measured = {Duration(0), to_duration(summary.seconds)};
  for (const runtime::SwitchSummary& each : summary.switches) {
    if (each.to == each.from) continue;  // called off
    const auto task = std::find(recording.tasks.begin(), recording.tasks.end(), each.task.str());
    recording.exchanges.push_back(
        {static_cast<std::size_t>(task - recording.tasks.begin()), to_duration(each.at), each.both_fit});
  }
  return recording;
}

Result<Recording> run_product(const Course& course) {
  runtime::RunConfig config = course.config;
  config.timeline = laps(course);
  const Duration longest = config.timeline.back().at;
  const auto shared_watch = std::make_shared<Watch>(most_frames(course, longest));
  Watch& watch = *shared_watch;
  Laps lap(course, watch);
  auto recording = watch_product(course, std::move(config), watch, [&](const runtime::RunStatus& status) {
    if (course.progress) course.progress(lap.share(status));
    return lap.look(status) || status.at > longest;
  });
  if (recording) lap.write(recording.value(), recording.value().measured.to);
  return recording;
}

std::size_t most_frames(const Course& course, Duration longest) {
  double rate = 0.0;
  for (const scheduler::Task& task : course.config.timeline.front().snapshot.tasks)
    rate += task.demand.value();
  return static_cast<std::size_t>(std::ceil(rate * (to_seconds(longest).value() + 1.0)));
}

}  // namespace saccade::bench
