// Beyond the paper: from one camera to many, all different or all alike.
#include <array>

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

Finding crowd(const Context& context, const std::string& name, const std::string& title,
              const Networks& networks) {
  const CameraCounts& wanted = context.bed.scenario.cameras;
  Finding finding;
  finding.name = name;
  finding.title = title;
  finding.about = "Every camera at " + number(wanted.fps.value(), 0).text + " frames/s with " +
                  std::to_string(wanted.columns * wanted.rows) + " regions; " +
                  number(wanted.seconds.value(), 0).text + " s each.";
  std::array<std::vector<Crowd>, kPolicyKinds.size()> crowds;
  for (auto& each : crowds) each.resize(wanted.counts.size());
  std::vector<std::string> broken(kPolicyKinds.size() * wanted.counts.size());
  const ilp::CoreSolver solver;
  context.workers.each(broken.size(), [&](std::size_t i) {
    const std::size_t kind = i % kPolicyKinds.size(), at = i / kPolicyKinds.size();
    const Cameras cameras{static_cast<std::size_t>(wanted.counts[at]), wanted.columns, wanted.rows,
                          wanted.fps};
    const auto policy = scheduler::make_policy(kPolicyKinds[kind], solver);
    const Trial trial = simulate(run_config(snapshot_of(context.bed, networks, cameras)), *policy,
                                 wanted.seconds, context.bed.scenario.seed);
    broken[i] = trial.breach;
    Crowd& result = crowds[kind][at];
    result.achieved = trial.summary.achieved_rate.value_or(0.0);
    result.accuracy = trial.summary.mean_relative_accuracy.value_or(0.0);
    result.delivered = trial.summary.delivered_accuracy.value_or(0.0);
    if (!trial.states.front()) return;
    result.gap = trial.states.front()->plan.gap.value_or(0.0);
    result.status = to_string(trial.states.front()->plan.status);
    result.cpu = trial.cpu_seconds.front();
  });
  for (const std::string& each : broken) {
    if (!each.empty()) finding.breaches.push_back(each);
  }
  FindingTable table{name, "Achieved / relative accuracy / delivered accuracy (%)", {"cameras"}, {}};
  for (const PolicyKind kind : kPolicyKinds) table.columns.emplace_back(to_string(kind));
  for (const char* column : {"plan", "gap", "CPU ms of the decision"}) table.columns.emplace_back(column);
  app::Chart chart;
  chart.title = title + ": delivered accuracy";
  chart.x_label = "cameras";
  chart.y_label = "delivered accuracy (%)";
  for (std::size_t at = 0; at < wanted.counts.size(); ++at) {
    std::vector<Cell> row{number(wanted.counts[at], 0)};
    for (const auto& each : crowds) {
      row.push_back(word(number(100.0 * each[at].achieved, 1).text + " / " +
                         number(100.0 * each[at].accuracy, 1).text + " / " +
                         number(100.0 * each[at].delivered, 1).text));
    }
    const Crowd& ilp = crowds[0][at];
    row.push_back(word(ilp.status));
    row.push_back(number(ilp.gap, 8));
    row.push_back(scaled(ilp.cpu, 1e3, 2));
    table.rows.push_back(std::move(row));
  }
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    app::Series series;
    series.name = to_string(kPolicyKinds[kind]);
    series.style = app::Series::Style::lines;
    for (std::size_t at = 0; at < wanted.counts.size(); ++at) {
      series.x.push_back(wanted.counts[at]);
      series.y.push_back(100.0 * crowds[kind][at].delivered);
    }
    chart.series.push_back(std::move(series));
  }
  finding.tables.push_back(std::move(table));
  finding.figures.push_back({name, std::move(chart)});
  return finding;
}

}  // namespace

Result<Finding> many_cameras(const Context& context) {
  return crowd(context, "cameras", "Beyond the paper: from one camera to many", context.bed.measured);
}

Result<Finding> identical_cameras(const Context& context) {
  return crowd(context, "identical", "Beyond the paper: cameras that are all alike",
               {context.bed.measured.front()});
}

}  // namespace saccade::bench
