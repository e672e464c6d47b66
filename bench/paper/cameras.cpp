// Beyond the paper: from one camera to many, all different or all alike.
#include "bench/paper/by_policy.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;
using scheduler::PolicyKind;

struct Crowd {  // one policy at one number of cameras
  double achieved = 0.0;
  double accuracy = 0.0;
  double delivered = 0.0;
  double gap = 0.0;
  std::string status;
  double cpu = 0.0;  // of the first decision, s
};

using Crowds = ByPolicy<std::vector<Crowd>>;  // one per number of cameras

Crowd crowd_of(const SimulatedRun& trial) {
  Crowd crowd;
  crowd.achieved = trial.summary.achieved_rate.value_or(0.0);
  crowd.accuracy = trial.summary.mean_relative_accuracy.value_or(0.0);
  crowd.delivered = trial.summary.delivered_accuracy.value_or(0.0);
  if (!trial.states.front()) return crowd;
  crowd.gap = trial.states.front()->plan.gap.value_or(0.0);
  crowd.status = to_string(trial.states.front()->plan.status);
  crowd.cpu = trial.cpu_seconds.front();
  return crowd;
}

Crowds run_crowds(const Context& context, const Networks& networks, std::vector<std::string>& breaches) {
  const CameraCounts& wanted = context.bed.scenario.cameras;
  Crowds crowds;
  for (const PolicyKind kind : kPolicyKinds) crowds[kind].resize(wanted.counts.size());
  std::vector<std::string> broken(kPolicyKinds.size() * wanted.counts.size());
  const ilp::CoreSolver solver;
  context.workers.each(broken.size(), [&](std::size_t i) {
    const PolicyKind kind = kPolicyKinds[i % kPolicyKinds.size()];
    const std::size_t at = i / kPolicyKinds.size();
    const Cameras cameras{static_cast<std::size_t>(wanted.counts[at]), wanted.columns, wanted.rows,
                          wanted.fps};
    const auto policy = scheduler::make_policy(kind, solver);
    const SimulatedRun trial = simulate(run_config(snapshot_of(context.bed, networks, cameras)), *policy,
                                        wanted.seconds, context.bed.scenario.seed);
    broken[i] = trial.breach;
    crowds[kind][at] = crowd_of(trial);
  });
  for (const std::string& each : broken) {
    if (!each.empty()) breaches.push_back(each);
  }
  return crowds;
}

FindingTable crowd_table(const std::string& name, const std::vector<int>& counts, const Crowds& crowds) {
  FindingTable table{name, "Achieved / relative accuracy / delivered accuracy (%)", {"cameras"}, {}};
  for (const PolicyKind kind : kPolicyKinds) table.columns.emplace_back(to_string(kind));
  for (const char* column : {"plan", "gap", "CPU ms of the decision"}) table.columns.emplace_back(column);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    std::vector<Cell> row{number(counts[at], 0)};
    for (const PolicyKind kind : kPolicyKinds) {
      const Crowd& each = crowds[kind][at];
      row.push_back(word(number(100.0 * each.achieved, 1).text + " / " +
                         number(100.0 * each.accuracy, 1).text + " / " +
                         number(100.0 * each.delivered, 1).text));
    }
    const Crowd& ilp = crowds[PolicyKind::transprecision][at];
    row.push_back(word(ilp.status));
    row.push_back(number(ilp.gap, 8));
    row.push_back(scaled(ilp.cpu, 1e3, 2));
    table.rows.push_back(std::move(row));
  }
  return table;
}

app::Chart crowd_chart(const std::string& title, const std::vector<int>& counts, const Crowds& crowds) {
  app::Chart chart;
  chart.title = title + ": delivered accuracy";
  chart.x_label = "cameras";
  chart.y_label = "delivered accuracy (%)";
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series;
    series.name = to_string(kind);
    series.style = app::Series::Style::lines;
    series.x.assign(counts.begin(), counts.end());
    for (const Crowd& each : crowds[kind]) series.y.push_back(100.0 * each.delivered);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Finding crowd_finding(const Context& context, const std::string& name, const std::string& title,
                      const Networks& networks) {
  const CameraCounts& wanted = context.bed.scenario.cameras;
  Finding finding;
  finding.name = name;
  finding.title = title;
  finding.about = "Every camera at " + number(wanted.fps.value(), 0).text + " frames/s with " +
                  std::to_string(wanted.columns * wanted.rows) + " regions; " +
                  number(wanted.seconds.value(), 0).text + " s each.";
  const Crowds crowds = run_crowds(context, networks, finding.breaches);
  finding.tables.push_back(crowd_table(name, wanted.counts, crowds));
  finding.figures.push_back({name, crowd_chart(title, wanted.counts, crowds)});
  return finding;
}

}  // namespace

Result<Finding> many_cameras(const Context& context) {
  return crowd_finding(context, "cameras", "Beyond the paper: from one camera to many", context.bed.measured);
}

Result<Finding> identical_cameras(const Context& context) {
  return crowd_finding(context, "identical", "Beyond the paper: cameras that are all alike",
                       {context.bed.measured.front()});
}

}  // namespace saccade::bench
