// examples/pipeline.json in virtual time: three cameras on two unequal processors, of which one becomes twice
// as slow half-way. Every run is under the simulation's invariants.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "app/report/explanation.hpp"
#include "app/report/run_report.hpp"
#include "config/config.hpp"
#include "ilp/core_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"

namespace saccade::app {
namespace {

using runtime::RunConfig;
using runtime::RunSummary;
using runtime::SegmentSummary;

RunConfig example() {
  auto read = config::read_config(std::string(SACCADE_SOURCE_DIR) + "/examples/pipeline.json");
  SACCADE_CHECK(read.ok());
  return std::move(read).value().run;
}

RunSummary simulate(const RunConfig& config, Duration duration) {
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  auto shell =
      runtime::SimulatedShell::open(config, *policy, {.duration = duration, .seed = 1, .faults = {}}, {});
  SACCADE_CHECK(shell.ok());
  const runtime::SimulationResult result = shell.value()->run();
  EXPECT_FALSE(result.breach) << result.breach->invariant << ": " << result.breach->found;
  return result.summary;
}

// Whether each camera had every frame processed that it was granted, which are all that it demanded.
void expect_all_served(const SegmentSummary& segment) {
  for (const runtime::SegmentFrames& task : segment.tasks) {
    EXPECT_GT(task.demanded, 0);
    EXPECT_EQ(task.granted, task.demanded);
    EXPECT_EQ(task.processed, task.granted) << "from " << segment.from.value() << " s on";
  }
}

std::size_t stages_of(const RunConfig& config, const std::optional<VariantId>& id) {
  const auto& set = *config.timeline.front().snapshot.tasks.front().profiles;
  return set.variants.at(*set.index_of(*id)).staging.stages.size();
}

TEST(PipelineExample, AProcessorThatBecomesSlowerMovesTheCutOnceAndNothingElseMoves) {
  const RunConfig config = example();
  ASSERT_EQ(config.timeline.size(), 3U);
  const RunSummary summary = simulate(config, std::chrono::seconds(30));
  const double slower_at = to_seconds(config.timeline[1].at).value();

  ASSERT_EQ(summary.segments.size(), 3U);
  expect_all_served(summary.segments.front());
  expect_all_served(summary.segments.back());
  ASSERT_FALSE(summary.switches.empty());
  bool cut_moved = false;
  for (const runtime::SwitchSummary& each : summary.switches) {
    EXPECT_GT(each.at.value(), slower_at) << "no move in a steady state";
    EXPECT_LT(each.at.value(), slower_at + 10.0);
    EXPECT_EQ(each.frames_lost, 0);
    cut_moved = cut_moved || stages_of(config, each.from) > 0 || stages_of(config, each.to) > 0;
  }
  EXPECT_TRUE(cut_moved);
  for (const runtime::TaskSummary& task : summary.tasks) EXPECT_LE(task.switches, 1) << task.id.str();
}

TEST(PipelineExample, NothingMovesInTenSteadyMinutes) {
  RunConfig config = example();
  config.timeline.resize(1);
  const RunSummary summary = simulate(config, std::chrono::minutes(10));
  EXPECT_TRUE(summary.switches.empty());
  expect_all_served(summary.segments.front());
}

TEST(PipelineExample, ThePlanServesSomeCamerasWholeAndOthersInStages) {
  const RunConfig config = example();
  const RunSummary summary = simulate(config, std::chrono::seconds(5));
  std::size_t whole = 0, staged = 0;
  for (const runtime::TaskSummary& task : summary.tasks) {
    ASSERT_EQ(task.variants.size(), 1U);
    ++(stages_of(config, task.variants.front().id) > 0 ? staged : whole);
  }
  EXPECT_GT(whole, 0U);
  EXPECT_GT(staged, 0U);
}

TEST(PipelineExample, SaysThatItsProcessorsAreEmulated) {
  const RunConfig config = example();
  const std::vector<Sentence> sentences = explain_slowdowns(config);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_NE(sentences[0].text.find("Processor fast is emulated: each job takes 20 times"), std::string::npos);
  EXPECT_NE(sentences[0].text.find("from 12 s on"), std::string::npos) << sentences[0].text;
  EXPECT_EQ(sentences[1].text.find(" s on"), std::string::npos) << sentences[1].text;
  const RunSummary summary = simulate(config, std::chrono::seconds(1));
  EXPECT_EQ(to_json(summary).at("processor").at("slow").at("emulated_slowdown"), 40.0);
  std::ostringstream text;
  print_summary(summary, text);
  EXPECT_NE(text.str().find("emulated 40 times slower"), std::string::npos);
}

}  // namespace
}  // namespace saccade::app
