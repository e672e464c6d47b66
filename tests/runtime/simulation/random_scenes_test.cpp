// Storms over random scenes: a random number of tasks, variants, processors and options, a timeline that
// changes demands, limits and objective at random, a solver that takes up to 60 ms, and faults of every
// kind. The simulation checks the invariants after every event; here it is checked that the calm at the
// end brings back full service.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

constexpr std::uint64_t kSeeds = 320;
constexpr double kStormEnds = 6000.0;  // ms

double between(Dice& dice, double low, double high) {
  return low + (high - low) * static_cast<double>(dice.below(1U << 20U)) * 0x1.0p-20;
}
bool chance(Dice& dice, double p) { return between(dice, 0.0, 1.0) < p; }

scheduler::Snapshot random_scene(Dice& dice) {
  std::vector<scheduler::Task> tasks;
  const std::size_t count = 2 + dice.below(3);
  const bool two_processors = chance(dice, 0.3);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<V> variants;
    for (std::size_t v = 0; v < 3; ++v) {
      const double size = static_cast<double>(v + 1);
      const double memory = std::floor(between(dice, 2, 12) * size);
      variants.push_back({"v" + std::to_string(v), 0.7 + 0.08 * size, between(dice, 0.5, 3.0) * size, memory,
                          between(dice, 5, 60), chance(dice, 0.5) ? std::floor(memory * 1.3) : 0.0,
                          two_processors && chance(dice, 0.5) ? "gpu" : "cpu"});
    }
    tasks.push_back(camera("t" + std::to_string(i), 5.0 + static_cast<double>(dice.below(20)),
                           network(variants), static_cast<int>(dice.below(3))));
  }
  scheduler::Snapshot snapshot = scene(std::move(tasks), chance(dice, 0.5) ? 1.0 : 0.9);
  if (two_processors) {
    snapshot.processors.push_back(snapshot.processors.front());
    snapshot.processors.back().id = ProcessorId("gpu");
  }
  return snapshot;
}

// Two processors on cards, one card or two, with engines of the host among those of the cards.
scheduler::Snapshot random_cards(Dice& dice) {
  scheduler::Snapshot snapshot = random_scene(dice);
  const bool one_card = chance(dice, 0.5);
  while (snapshot.processors.size() < 3) {
    snapshot.processors.push_back(snapshot.processors.front());
    snapshot.processors.back().id = ProcessorId(snapshot.processors.size() == 2 ? "gpu" : "gpu-second");
  }
  for (std::size_t p = 1; p < snapshot.processors.size(); ++p) {
    scheduler::Processor& processor = snapshot.processors[p];
    processor.memory = p == 1 || one_card ? "gpu0" : "gpu1";
    processor.context = Bytes(chance(dice, 0.5) ? 2e6 : 0.0);
    processor.device_context = Bytes(chance(dice, 0.5) ? 5e6 : 0.0);
  }
  for (scheduler::Task& task : snapshot.tasks) {
    profiles::ProfileSet set = *task.profiles;
    for (profiles::Variant& variant : set.variants) {
      const Seconds time = variant.frame_time.begin()->second;
      const std::size_t p = dice.below(snapshot.processors.size());
      variant.frame_time = {{snapshot.processors[p].id, time}};
      if (p == 0) continue;
      variant.device_memory = Bytes(std::floor(between(dice, 5, 40)) * 1e6);
      if (chance(dice, 0.5)) variant.device_load_peak = *variant.device_memory * 1.4;
    }
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  return snapshot;
}

// The variant as a pipeline over the processors, from a random one on.
profiles::Variant in_stages(profiles::Variant variant, const std::vector<scheduler::Processor>& processors,
                            Dice& dice) {
  const Seconds whole = variant.frame_time.begin()->second;
  const std::size_t count = 2 + dice.below(3);
  std::size_t p = dice.below(processors.size());
  variant.frame_time.clear();
  for (std::size_t k = 0; k < count; ++k) {
    profiles::Stage stage;
    stage.kind = processors[p].id;
    stage.frame_time = whole * between(dice, 0.2, 0.8);
    std::size_t next = (p + 1 + dice.below(processors.size() - 1)) % processors.size();
    if (k + 1 < count && processors.size() > 2 && chance(dice, 0.3)) {  // the next one has the third
      const std::size_t copy = next;
      next = processors.size() - p - copy;
      stage.copies = {processors[copy].id};
    }
    for (std::size_t c = 0; c < stage.processors(); ++c)
      variant.frame_time[stage.processor(c)] += stage.frame_time / static_cast<double>(stage.processors());
    variant.staging.latency += stage.frame_time;
    variant.staging.stages.push_back(std::move(stage));
    p = next;
  }
  variant.staging.max_fps = Fps(1.0 / whole.value());
  variant.staging.max_in_flight = static_cast<int>(2 * count - 1);
  return variant;
}

// Two or three processors, and variants of which many have stages on them.
scheduler::Snapshot random_pipelines(Dice& dice) {
  scheduler::Snapshot snapshot = random_scene(dice);
  const std::size_t processors = 2 + dice.below(2);
  while (snapshot.processors.size() < processors) {
    snapshot.processors.push_back(snapshot.processors.front());
    snapshot.processors.back().id = ProcessorId(snapshot.processors.size() == 2 ? "gpu" : "npu");
  }
  for (scheduler::Task& task : snapshot.tasks) {
    profiles::ProfileSet set = *task.profiles;
    for (profiles::Variant& variant : set.variants) {
      if (chance(dice, 0.6)) variant = in_stages(variant, snapshot.processors, dice);
    }
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  return snapshot;
}

scheduler::Snapshot with_card_limits(scheduler::Snapshot snapshot, Dice& dice) {
  if (snapshot.limits.memory) *snapshot.limits.memory += scheduler::host_context(snapshot);
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(snapshot)) {
    if (chance(dice, 0.6)) snapshot.limits.memories[memory.name] = Bytes(between(dice, 20, 160) * 1e6);
  }
  return snapshot;
}

scheduler::Snapshot shaken(scheduler::Snapshot snapshot, Dice& dice) {
  for (scheduler::Task& task : snapshot.tasks) {
    if (chance(dice, 0.4))
      task.demand = Fps(chance(dice, 0.2) ? 0.0 : 1.0 + static_cast<double>(dice.below(60)));
  }
  if (chance(dice, 0.6)) snapshot.limits.memory = Bytes(between(dice, 3, 90) * 1e6);
  if (chance(dice, 0.2)) snapshot.objective = scheduler::Objective::min_memory;
  return snapshot;
}

enum class Scene { plain, cards, pipelines };

RunConfig random_run(Dice& dice, Scene kind) {
  const bool cards = kind == Scene::cards;
  const scheduler::Snapshot base = cards                      ? random_cards(dice)
                                   : kind == Scene::pipelines ? random_pipelines(dice)
                                                              : random_scene(dice);
  RunConfig config;
  config.runtime.load_timeout = Seconds(0.7);
  if (chance(dice, 0.3)) config.runtime.warm_cache = Bytes(30e6);
  if (chance(dice, 0.2)) config.runtime.transition = TransitionMode::unload_first;
  if (chance(dice, 0.2)) config.runtime.shares = scheduler::Shares::equal;
  if (chance(dice, 0.1)) config.policy = scheduler::PolicyKind::fair_time;
  for (const scheduler::Processor& processor : base.processors) {
    config.processors.push_back({.id = processor.id, .cpus = {}});
    if (chance(dice, 0.5)) config.processors.back().auto_guard = GuardOptions{};
  }
  for (const scheduler::Task& task : base.tasks) {
    config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
  }
  config.timeline = {{Duration(0), base}};
  double t = 0.0;
  while ((t += chance(dice, 0.3) ? between(dice, 1, 30) : between(dice, 50, 700)) < kStormEnds) {
    scheduler::Snapshot state = shaken(base, dice);
    if (cards) state = with_card_limits(std::move(state), dice);
    config.timeline.push_back({ms(t), std::move(state)});
  }
  // Calm: a demand that every variant can serve, and no memory limit; the last ten seconds are a segment of
  // their own.
  scheduler::Snapshot calm = base;
  for (scheduler::Task& task : calm.tasks) task.demand = Fps(10.0);
  config.timeline.push_back({ms(kStormEnds), calm});
  config.timeline.push_back({ms(kStormEnds + 10'000), calm});
  for (std::size_t p = 0; p < base.processors.size(); ++p) {
    if (!base.processors[p].memory.empty() && chance(dice, 0.5))
      config.processors[p].load_pause = Seconds(between(dice, 0.02, 0.4));
  }
  return config;
}

// The faults of a seed, with a solver that takes its time.
class SlowSolver final : public FaultDriver {
 public:
  SlowSolver(const Setup& setup, Duration solve_time) : FaultDriver(setup), solve_time_(solve_time) {}
  Fate solve() override {
    Fate fate = FaultDriver::solve();
    if (!fate.takes) fate.takes = solve_time_;
    return fate;
  }

 private:
  const Duration solve_time_;
};

struct Counts {
  std::size_t switches = 0;
  std::size_t excluded = 0;
  std::size_t abandoned = 0;
  std::size_t infeasible = 0;
  std::int64_t through_stages = 0;  // frames
};

void storm(std::uint64_t seed, Counts& counts, Scene kind) {
  Dice dice(seed);
  const RunConfig config = random_run(dice, kind);
  const Duration duration = config.timeline.back().at + std::chrono::seconds(10);
  SlowSolver faults({.points = FaultSet().set(),
                     .seed = seed,
                     .duration = duration,
                     .load_timeout = to_duration(config.runtime.load_timeout),
                     .solver_deadline = to_duration(config.solver_deadline),
                     .tasks = config.tasks.size(),
                     .processors = config.processors.size()},
                    dice.between(ms(0.2), ms(60)));
  RunHooks hooks;
  hooks.event = [&counts](Duration, const action::Report& report) {
    if (report.event == EventKind::exclude) ++counts.excluded;
    if (report.event == EventKind::infeasible) ++counts.infeasible;
    if (report.event == EventKind::fault && report.detail.find("hangs") != std::string::npos)
      ++counts.abandoned;
  };
  const ilp::ExhaustiveSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  SimulationOptions options{.duration = duration, .seed = seed, .faults = {}};
  options.script = &faults;
  auto shell = SimulatedShell::open(config, *policy, options, hooks);
  ASSERT_TRUE(shell.ok());
  const SimulationResult result = shell.value()->run();
  ASSERT_FALSE(result.breach) << result.breach->invariant << " at " << result.breach->at.count()
                              << " ns: " << result.breach->found;
  const SegmentSummary& calm = result.summary.segments.back();
  std::size_t demanded = 0;
  for (const SegmentFrames& frames : calm.tasks) {
    if (frames.demanded == 0) continue;  // was removed; it came back with another profile and a new index
    ++demanded;
    const auto granted = static_cast<double>(frames.granted);
    EXPECT_GE(granted, 95.0);
    EXPECT_GE(static_cast<double>(frames.processed), 0.99 * granted);
  }
  EXPECT_EQ(demanded, config.tasks.size());
  EXPECT_TRUE(shell.value()->controller().settled());
  counts.switches += result.summary.switches.size();
  for (TaskIndex task = 0; task < config.tasks.size(); ++task) {
    const auto& variants = config.timeline.front().snapshot.tasks[task].profiles->variants;
    const auto& frames = shell.value()->desk().ledger().task(task).variants;
    for (std::size_t v = 0; v < std::min(frames.size(), variants.size()); ++v) {
      if (!variants[v].staging.empty()) counts.through_stages += frames[v].frames;
    }
  }
}

Counts storms(std::uint64_t before_first, Scene scene) {
  Counts all;
  for (std::uint64_t seed = before_first + 1; seed <= before_first + kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    storm(seed, all, scene);
    if (testing::Test::HasFailure()) return all;
  }
  // The storms took effect.
  EXPECT_GT(all.switches, kSeeds);
  EXPECT_GT(all.excluded, kSeeds);
  EXPECT_GT(all.abandoned, 10U);
  EXPECT_GT(all.infeasible, 10U);
  return all;
}

TEST(RandomScenes, InvariantsHoldThroughFaultsAndCalmBringsBackFullService) { storms(0, Scene::plain); }

TEST(RandomScenes, MemoriesOfDevicesHoldThroughFaultsAndCalmBringsBackFullService) {
  storms(1'000'000, Scene::cards);
}

TEST(RandomScenes, PipelinesHoldThroughFaultsAndCalmBringsBackFullService) {
  EXPECT_GT(storms(2'000'000, Scene::pipelines).through_stages, 100'000);
}

}  // namespace
}  // namespace saccade::test
