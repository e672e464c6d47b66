// Beyond the paper: another program takes a part of the processor half-way and stays. A run is told in
// three parts: before, the five seconds in which the runtime may notice, and afterwards. Each part is the
// difference of two runs of one seed that end at its borders: up to there they are the same.
#include <algorithm>
#include <array>

#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;

constexpr Duration kToNotice = std::chrono::seconds(5);
enum Part : std::size_t { before, noticing, afterwards };
constexpr std::size_t kParts = 3;

struct Served {  // of one task, since the start
  double demanded = 0.0;
  double processed = 0.0;
  double relative = 0.0;  // sum of the relative accuracies of what was processed
};

std::vector<Served> served(const runtime::RunSummary& summary, const Networks& networks) {
  std::vector<Served> tasks;
  for (std::size_t i = 0; i < summary.tasks.size(); ++i) {
    const runtime::TaskSummary& task = summary.tasks[i];
    Served all{static_cast<double>(task.demanded), static_cast<double>(task.processed), 0.0};
    for (const runtime::VariantSummary& variant : task.variants) {
      all.relative += static_cast<double>(variant.frames) * variant.promised_accuracy /
                      networks[i % networks.size()]->best_accuracy();
    }
    tasks.push_back(all);
  }
  return tasks;
}

struct Fared {
  double achieved = 0.0;
  double accuracy = 0.0;
  double delivered = 0.0;
};

// Means over the tasks of what lies between two ends; a task that nothing was processed of has no accuracy.
Fared between(const std::vector<Served>& from, const std::vector<Served>& to) {
  Fared fared;
  double accurate = 0.0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double demanded = std::max(1.0, to[i].demanded - from[i].demanded);
    const double processed = to[i].processed - from[i].processed;
    const double relative = to[i].relative - from[i].relative;
    fared.achieved += processed / demanded / static_cast<double>(to.size());
    fared.delivered += relative / demanded / static_cast<double>(to.size());
    if (processed <= 0.0) continue;
    fared.accuracy += relative / processed;
    accurate += 1.0;
  }
  if (accurate > 0.0) fared.accuracy /= accurate;
  return fared;
}

struct Run {
  std::array<Fared, kParts> parts;
  std::string breach;
};

Run run(const Context& context, const scheduler::Policy& policy, std::uint64_t seed) {
  const NoisyNeighbour& wanted = context.bed.scenario.neighbour;
  const Duration whole = to_duration(wanted.seconds), half = whole / 2;
  const runtime::Neighbour neighbour{0, half, whole, static_cast<std::int64_t>(100.0 * wanted.factor + 0.5)};
  const scheduler::Snapshot snapshot = snapshot_of(context.bed, context.bed.measured, wanted.fps);
  const std::array ends = {half, half + kToNotice, whole};
  Run result;
  std::vector<Served> last(snapshot.tasks.size());
  for (std::size_t part = 0; part < kParts; ++part) {
    const SimulatedRun trial =
        simulate(run_config(snapshot), policy, to_seconds(ends[part]), seed, neighbour);
    if (!trial.breach.empty()) result.breach = trial.breach;
    std::vector<Served> now = served(trial.summary, context.bed.measured);
    result.parts[part] = between(last, now);
    last = std::move(now);
  }
  return result;
}

}  // namespace

Result<Finding> noisy_neighbour(const Context& context) {
  const NoisyNeighbour& wanted = context.bed.scenario.neighbour;
  const auto seeds = static_cast<std::size_t>(wanted.seeds);
  std::vector<Run> runs(kPolicyKinds.size() * seeds);
  const ilp::CoreSolver solver;
  context.workers.each(runs.size(), [&](std::size_t i) {
    const auto policy = scheduler::make_policy(kPolicyKinds[i / seeds], solver);
    runs[i] = run(context, *policy, context.bed.scenario.seed + i % seeds);
  });

  Finding finding;
  finding.name = "neighbour";
  finding.title = "Beyond the paper: a noisy neighbour";
  finding.about =
      "Five tasks at " + number(wanted.fps.value(), 0).text + " frames/s for " +
      number(wanted.seconds.value(), 0).text + " s with " + std::to_string(wanted.seeds) +
      " seeds. Half-way another program takes a part of the processor and stays: everything takes " +
      number(wanted.factor, 1).text +
      " times as long, of which the profiles know nothing. The runtime may take 5 s to notice.";
  for (const Run& each : runs) {
    if (!each.breach.empty()) finding.breaches.push_back(each.breach);
  }
  FindingTable table{"neighbour",
                     "Mean over the seeds: achieved / relative accuracy / delivered accuracy (%)",
                     {"policy", "before", "the first 5 s", "afterwards", "achieved afterwards, worst seed"},
                     {}};
  app::BarChart chart{
      "Beyond the paper: a noisy neighbour, delivered accuracy", "delivered accuracy (%)", {}, {}};
  chart.series = {{"before", {}}, {"the first 5 s", {}}, {"afterwards", {}}};
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    std::vector<Cell> row{word(to_string(kPolicyKinds[kind]))};
    chart.groups.emplace_back(to_string(kPolicyKinds[kind]));
    Spread achieved;
    for (std::size_t part = 0; part < kParts; ++part) {
      std::vector<double> rates, accuracies, delivered;
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        const Fared& fared = runs[kind * seeds + seed].parts[part];
        rates.push_back(fared.achieved);
        accuracies.push_back(fared.accuracy);
        delivered.push_back(fared.delivered);
      }
      achieved = spread_of(rates);
      const double mean = 100.0 * spread_of(delivered).mean;
      row.push_back(word(number(100.0 * achieved.mean, 1).text + " / " +
                         number(100.0 * spread_of(accuracies).mean, 1).text + " / " + number(mean, 1).text));
      chart.series[part].values.emplace_back(mean);
    }
    row.push_back(percent(achieved.least, 2));
    table.rows.push_back(std::move(row));
  }
  finding.tables.push_back(std::move(table));
  finding.figures.push_back({"neighbour", std::move(chart)});
  finding.remarks = {
      "Until the runtime has noticed, frames are lost. Then it plans with the factor that it measured: "
      "transprecision pays with accuracy where the others pay with frames."};
  return finding;
}

}  // namespace saccade::bench
