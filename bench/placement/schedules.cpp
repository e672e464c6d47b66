#include "bench/placement/schedules.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"first", "second"};

Status run_verb(int (*verb)(const app::VerbArguments&, std::ostream&, std::ostream&), const std::string& name,
                const app::VerbArguments& arguments) {
  std::ostringstream out, err;
  const int code = verb(arguments, out, err);
  if (code != 0) return Error{"saccade " + name, "failed: " + err.str(), ""};
  return Done{};
}

std::string processors_text(const std::vector<int>& cpus, const std::vector<double>& slowdowns) {
  std::string text;
  for (std::size_t p = 0; p < slowdowns.size(); ++p) {
    if (p > 0) text += ",";
    text += std::string(kNames[p]) + "=" + std::to_string(cpus[p]);
    if (slowdowns[p] > 1.0) text += "*" + std::to_string(slowdowns[p]);
  }
  return text;
}

std::string name_of(const profiles::Variant& variant) {
  std::string name;
  for (const profiles::Stage& stage : variant.staging.stages) {
    if (!name.empty()) name += ", ";
    name += stage.places() + " " + std::to_string(stage.first_layer) + "-" + std::to_string(stage.last_layer);
  }
  return name.empty() ? "all on " + variant.frame_time.begin()->first.str() : name;
}

}  // namespace

Result<profiles::ProfileSet> placed_set(const PlacedNetwork& subject, const std::string& zoo,
                                        const std::vector<int>& cpus, bool quick, const fs::path& folder) {
  const std::string set = (fs::path(zoo) / subject.set).string();
  const std::string layers = (folder / "layers.json").string(), placed = (folder / "placed.json").string();
  app::VerbArguments profile = {"--layers",
                                set,
                                "--only",
                                subject.variant,
                                "--processors",
                                processors_text(cpus, subject.slowdowns),
                                "--max-live-tensors",
                                std::to_string(subject.live_tensors),
                                "--out",
                                layers};
  if (quick) profile.emplace_back("--quick");
  if (Status done = run_verb(app::verb_profile, "profile", profile); !done) return done.errors();
  const app::VerbArguments place = {set, "--layers", layers, "--out", placed};
  if (Status done = run_verb(app::verb_place, "place", place); !done) return done.errors();
  return profiles::read_profile_set(placed);
}

std::vector<Schedule> schedules_of(const profiles::ProfileSet& placed) {
  std::vector<Schedule> schedules;
  for (const profiles::Variant& variant : placed.variants) {
    const bool ours = std::all_of(variant.frame_time.begin(), variant.frame_time.end(), [](const auto& each) {
      return each.first.str() == kNames[0] || each.first.str() == kNames[1];
    });
    if (!ours) continue;
    profiles::ProfileSet set = placed;
    set.variants = {variant};
    set.device.processors = {ProcessorId(kNames[0]), ProcessorId(kNames[1])};
    set.device.threads.clear();
    const double fps = variant.staging.empty() ? 1.0 / variant.frame_time.begin()->second.value()
                                               : variant.staging.max_fps.value();
    schedules.push_back(
        {name_of(variant), std::make_shared<const profiles::ProfileSet>(std::move(set)), fps});
  }
  std::sort(schedules.begin(), schedules.end(),
            [](const Schedule& a, const Schedule& b) { return a.expected_fps > b.expected_fps; });
  return schedules;
}

Candidates candidates_of(const std::vector<Schedule>& schedules) {
  Candidates candidates;
  std::map<int, bool> taken;  // by the layer before the cut
  for (const Schedule& schedule : schedules) {
    if (!schedule.staged()) candidates.alone.push_back(schedule);
    if (schedule.variant().staging.stages.size() != 2) continue;
    bool& before = taken[schedule.variant().staging.stages.front().last_layer];
    if (!std::exchange(before, true)) candidates.cuts.push_back(schedule);
  }
  return candidates;
}

scheduler::Plan EveryFrame::decide(const scheduler::Snapshot& snapshot,
                                   const scheduler::DecideLimits& /*limits*/) const {
  scheduler::Plan plan = scheduler::blank_plan(snapshot, name());
  plan.status = scheduler::PlanStatus::optimal;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    if (!snapshot.tasks[i].active()) continue;
    plan.tasks[i].variant = 0;
    plan.tasks[i].granted = snapshot.tasks[i].demand;
  }
  scheduler::account(snapshot, plan);
  return plan;
}

runtime::RunConfig config_of(const Schedule& schedule, const std::vector<int>& cpus,
                             const PlacedNetwork& subject, Fps demand, runtime::SourceConfig source) {
  runtime::RunConfig config;
  runtime::TimelineState state;
  for (std::size_t p = 0; p < subject.slowdowns.size(); ++p) {
    config.processors.push_back({.id = ProcessorId(kNames[p]), .cpus = {cpus[p]}});
    state.snapshot.processors.push_back({.id = ProcessorId(kNames[p])});
  }
  state.slowdowns = subject.slowdowns;
  scheduler::Task task;
  task.id = TaskId("camera");
  task.profiles = schedule.set;
  task.demand = demand;
  config.tasks.push_back({task.id, std::move(source), runtime::WholeFrame{}});
  state.snapshot.tasks.push_back(std::move(task));
  config.timeline.push_back(std::move(state));
  return config;
}

Result<std::vector<runtime::Frame>> frames_of(const profiles::ProfileSet& set) {
  constexpr std::size_t kFrames = 16;
  const auto images = runtime::held_out_images(set, kFrames);
  if (!images) return images.errors();
  std::vector<runtime::Frame> frames(images.value().count);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    runtime::Picture& picture = runtime::renew(frames[i].picture);
    if (const auto shown = images.value().show(i, picture); !shown) return shown.errors();
    frames[i].regions = {picture.whole()};
  }
  return frames;
}

}  // namespace saccade::bench
