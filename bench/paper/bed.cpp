#include "bench/paper/bed.hpp"

#include <memory>
#include <utility>

#include "profiles/profile_io.hpp"
#include "runtime/simulation/dice.hpp"

namespace saccade::bench {
namespace {

double draw(runtime::Dice& dice, const Range& range) {
  constexpr double kTwoTo53 = 9007199254740992.0;
  const double share = static_cast<double>(dice.next() >> 11U) / kTwoTo53;
  return range.least + (range.most - range.least) * share;
}

}  // namespace

Result<Bed> open_bed(const std::filesystem::path& scenario) {
  Result<Scenario> read = read_scenario(scenario);
  if (!read) return read.errors();
  Bed bed{std::move(read).value(), {}, {}, {}};
  Errors errors;
  for (const ScenarioTask& task : bed.scenario.tasks) {
    Result<profiles::ProfileSet> set = profiles::read_profile_set(task.profiles);
    if (!set) {
      errors.insert(errors.end(), set.errors().begin(), set.errors().end());
      continue;
    }
    bed.modelled.push_back(
        std::make_shared<const profiles::ProfileSet>(with_modelled_energy(set.value(), bed.scenario.energy)));
    bed.measured.push_back(std::make_shared<const profiles::ProfileSet>(std::move(set).value()));
  }
  for (const std::filesystem::path& file : bed.scenario.metered.profiles) {
    Result<profiles::ProfileSet> set = profiles::read_profile_set(file);
    if (set) {
      bed.metered.push_back(std::make_shared<const profiles::ProfileSet>(std::move(set).value()));
    } else {
      errors.insert(errors.end(), set.errors().begin(), set.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return bed;
}

scheduler::Snapshot snapshot_of(const Bed& bed, const Networks& networks, const Cameras& cameras) {
  scheduler::Snapshot snapshot;
  scheduler::Processor processor;
  processor.id = networks.front()->device.processors.front();
  processor.guard = bed.scenario.guard;
  snapshot.processors.push_back(std::move(processor));
  snapshot.idle_power = networks.front()->device.idle_power.value_or(Watts(0.0));
  for (std::size_t i = 0; i < cameras.count; ++i) {
    const std::size_t network = i % networks.size();
    scheduler::Task task;
    const std::string& name = networks[network]->network;
    task.id = TaskId(name.substr(0, name.find('-')) + "-" + std::to_string(i + 1));
    task.profiles = networks[network];
    task.demand = cameras.fps;
    task.regions = cameras.columns * cameras.rows;
    snapshot.tasks.push_back(std::move(task));
  }
  return snapshot;
}

scheduler::Snapshot snapshot_of(const Bed& bed, const Networks& networks, Fps fps) {
  const Cameras cameras{networks.size(), bed.scenario.columns, bed.scenario.rows, fps};
  scheduler::Snapshot snapshot = snapshot_of(bed, networks, cameras);
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    snapshot.tasks[i].id = TaskId(bed.scenario.tasks[i].id);
  }
  return snapshot;
}

std::vector<runtime::TimelineState> draw_steps(const scheduler::Snapshot& wanted, const RandomRanges& ranges,
                                               std::uint64_t seed) {
  runtime::Dice dice(seed);
  std::vector<runtime::TimelineState> steps;
  const Duration step = to_duration(ranges.step);
  for (int i = 0; i < ranges.steps; ++i) {
    scheduler::Snapshot snapshot = wanted;
    for (scheduler::Task& task : snapshot.tasks) {
      task.demand = Fps(draw(dice, ranges.fps));
      task.min_relative_accuracy = draw(dice, ranges.min_relative_accuracy);
    }
    snapshot.limits.energy_per_second = Watts(draw(dice, ranges.energy_per_second));
    if (ranges.memory.most > 0.0) snapshot.limits.memory = Bytes(draw(dice, ranges.memory));
    snapshot.limits.peak_power = Watts(draw(dice, ranges.peak_power));
    steps.push_back({step * i, std::move(snapshot)});
  }
  return steps;
}

std::vector<runtime::TimelineState> draw_steps(const Bed& bed, const RandomRanges& ranges,
                                               std::uint64_t seed) {
  return draw_steps(snapshot_of(bed, bed.modelled, Fps(1.0)), ranges, seed);
}

runtime::RunConfig run_config(std::vector<runtime::TimelineState> timeline) {
  runtime::RunConfig config;
  const scheduler::Snapshot& first = timeline.front().snapshot;
  for (const scheduler::Processor& processor : first.processors) {
    config.processors.push_back({processor.id, {}, 1, "cpu"});
  }
  for (const scheduler::Task& task : first.tasks) {
    const std::string& network = task.profiles->network;
    const runtime::SyntheticSource source{network.substr(network.find('-') + 1), 1};
    config.tasks.push_back({task.id, source, runtime::Grid{task.regions, 1}});
  }
  config.timeline = std::move(timeline);
  return config;
}

runtime::RunConfig run_config(const scheduler::Snapshot& snapshot) {
  return run_config(std::vector<runtime::TimelineState>{{Duration(0), snapshot}});
}

}  // namespace saccade::bench
