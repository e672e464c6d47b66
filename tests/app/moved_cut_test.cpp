// A processor that becomes twice as slow while a cut network serves, in virtual time: the planner moves the
// cut, soon, once, and to about where the exact method would have it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "config/config.hpp"
#include "config/layer_file.hpp"
#include "ilp/core_solver.hpp"
#include "placement/exact.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "scheduler/policy.hpp"
#include "tests/app/place_set_case.hpp"

namespace saccade::app::moved_cut_test {
namespace {

using nlohmann::json;
using testing::made_up_layers;

#ifdef SACCADE_SANITIZED
constexpr double kSteady = 30.0;
#else
constexpr double kSteady = 600.0;  // seconds
#endif
constexpr double kSlowerAt = 60.0, kSettled = 10.0;
constexpr double kTimes = 2.0;
constexpr double kNear = 1.03;
constexpr double kGuard = 0.05;  // of a second that a plan leaves free

class MovedCut : public testing::PlaceSet {
 protected:
  void SetUp() override {
    layers_ = write("layers.json", made_up_layers());
    ASSERT_EQ(place({"--layers", layers_}).code, kExitOk);
    set_ = profiles::read_profile_set(out_).value();
  }

  // What only a cut near the exact one serves, with `slow` so many times slower.
  [[nodiscard]] double most_fps(double times) const {
    return 0.9999 * (1.0 - kGuard) / (kNear * least_period(times));
  }

  // A camera that demands that, before and after. (With the demand of before no cut would serve it
  // afterwards.)
  std::string config() {
    json document = {{"version", 1}};
    document["processors"] = json::array({json{{"name", "fast"}, {"guard_seconds", kGuard}},
                                          json{{"name", "slow"}, {"guard_seconds", kGuard}}});
    document["tasks"] = json::array({json{{"id", "gate"},
                                          {"profiles", "placed.json"},
                                          {"fps", most_fps(1.0)},
                                          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}}});
    const json slower = {{"processors", {{"slow", {{"slowdown", kTimes}}}}},
                         {"tasks", {{"gate", {{"fps", most_fps(kTimes)}}}}}};
    document["timeline"] = json::array({json{{"at_seconds", kSlowerAt}, {"patch", slower}}});
    return write("config.json", document);
  }

  // Time between two frames of a variant when `slow` takes so many times as long.
  [[nodiscard]] double period(const VariantId& id, double times) const {
    double most = 0.0;
    for (const auto& [processor, time] : set_.variants.at(set_.index_of(id).value()).frame_time)
      most = std::max(most, (processor.str() == "slow" ? times : 1.0) * time.value());
    return most;
  }

  // The least that one cut can give.
  [[nodiscard]] double least_period(double times) const {
    placement::Chain chain = config::read_layer_file(layers_).value().chain;
    constexpr std::size_t kSlow = 1;
    for (placement::Layer& layer : chain.layers) layer.on[kSlow]->time = layer.on[kSlow]->time * times;
    for (placement::Boundary& boundary : chain.boundaries) {
      if (!boundary.apart.empty()) boundary.apart[kSlow] = boundary.apart[kSlow] * times;
    }
    placement::Link& received = chain.links[0][kSlow];  // who receives pays
    received.fixed = received.fixed * times;
    received.seconds_per_byte *= times;
    const placement::Costs costs(placement::joined(chain));
    return placement::least_period_once_each(costs, 2).value;
  }

  std::string layers_;
  profiles::ProfileSet set_;
};

TEST_F(MovedCut, IsNearTheExactOneWithinTenSecondsAndThenStays) {
  auto read = config::read_config(config());
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(read.value().run.policy, solver);
  auto shell = runtime::SimulatedShell::open(
      read.value().run, *policy,
      {.duration = to_duration(Seconds(kSlowerAt + kSettled + kSteady)), .seed = 1, .faults = {}}, {});
  ASSERT_TRUE(shell.ok()) << to_string(shell.errors());
  const runtime::SimulationResult result = shell.value()->run();
  EXPECT_FALSE(result.breach) << result.breach->invariant << ": " << result.breach->found;
  const auto& switches = result.summary.switches;
  ASSERT_FALSE(switches.empty());
  for (const runtime::SwitchSummary& each : switches) {
    EXPECT_GT(each.at.value(), kSlowerAt);
    EXPECT_LE(each.at.value(), kSlowerAt + kSettled);
    // Until the drift is noticed the old cut serves too little, and the gate is full when the new one takes
    // over.
    EXPECT_LE(each.frames_lost, 1);
  }
  const VariantId before = switches.front().from.value(), after = switches.back().to.value();
  EXPECT_LE(period(before, 1.0), kNear * least_period(1.0)) << before.str();
  EXPECT_LE(period(after, kTimes), kNear * least_period(kTimes)) << after.str();
  EXPECT_GT(period(before, kTimes), kNear * least_period(kTimes)) << "nothing had to move";
}

}  // namespace
}  // namespace saccade::app::moved_cut_test
