#include "bench/solver/summary.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "bench/report.hpp"

namespace saccade::bench {
namespace {

double share_of(const std::vector<Run>& runs, const std::function<bool(const Run&)>& is) {
  const auto count = std::count_if(runs.begin(), runs.end(), is);
  return static_cast<double>(count) / static_cast<double>(runs.size());
}

template <class Value>
std::vector<double> sorted(const std::vector<Run>& runs, const Value& value) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(value(run));
  std::sort(values.begin(), values.end());
  return values;
}

Summary summarise(const Case& which, const Column& column, const Column& ours) {
  Summary summary;
  summary.solver = column.name;
  summary.n = column.runs.size();
  if (column.runs.empty()) return summary;
  const std::vector<double> wall = sorted(column.runs, [](const Run& run) { return run.wall_ms; });
  summary.median_ms = quantile(wall, 0.5);
  summary.p99_ms = quantile(wall, 0.99);
  summary.worst_ms = wall.back();
  const std::vector<double> cpu = sorted(column.runs, [](const Run& run) { return run.cpu_ms; });
  summary.median_cpu_ms = quantile(cpu, 0.5);
  summary.worst_cpu_ms = cpu.back();
  std::vector<double> gaps;
  for (const Run& run : column.runs) {
    if (run.gap) gaps.push_back(*run.gap);
  }
  std::sort(gaps.begin(), gaps.end());
  if (!gaps.empty()) {
    summary.median_gap = quantile(gaps, 0.5);
    summary.worst_gap = gaps.back();
  }
  summary.proven = share_of(column.runs, [&](const Run& run) {
    return run.verdict == ilp::Verdict::optimal || run.verdict == ilp::Verdict::infeasible ||
           (&column == &ours && run.gap && *run.gap <= which.gap);
  });
  summary.infeasible =
      share_of(column.runs, [](const Run& run) { return run.verdict == ilp::Verdict::infeasible; });
  summary.culprit = share_of(column.runs, [](const Run& run) { return run.culprit; });
  const auto count = [&](bool Run::*member) {
    return static_cast<std::size_t>(std::count_if(column.runs.begin(), column.runs.end(),
                                                  [member](const Run& run) { return run.*member; }));
  };
  summary.late = count(&Run::late);
  summary.wrong = count(&Run::wrong);
  summary.median_late = 2 * summary.late > summary.n;

  std::map<std::uint64_t, double> ours_by_seed;
  for (const Run& run : ours.runs) ours_by_seed[run.seed] = run.wall_ms;
  std::vector<double> ratios, late_ratios;
  for (const Run& run : column.runs) {
    const auto own = ours_by_seed.find(run.seed);
    if (own == ours_by_seed.end() || own->second <= 0.0) continue;
    ratios.push_back(run.wall_ms / own->second);
    if (run.late) late_ratios.push_back(ratios.back());
  }
  std::sort(ratios.begin(), ratios.end());
  if (!ratios.empty()) summary.times_ours = quantile(ratios, 0.5);
  summary.times_at_least = std::any_of(late_ratios.begin(), late_ratios.end(),
                                       [&](double ratio) { return ratio <= *summary.times_ours; });
  return summary;
}

std::vector<Check> check(const Case& which, const std::vector<Summary>& solvers) {
  const Asked& asked = which.asked;
  const Summary& ours = solvers.front();
  std::vector<Check> checks;
  if (ours.n == 0) return checks;
  if (asked.median_ms) {
    checks.push_back({"median_ms", *asked.median_ms, ours.median_ms, ours.median_ms < *asked.median_ms});
  }
  if (asked.worst_ms) {
    checks.push_back({"worst_ms", *asked.worst_ms, ours.worst_ms, ours.worst_ms < *asked.worst_ms});
  }
  if (asked.gap) {
    const bool all_tell = ours.proven >= 1.0;
    checks.push_back({"gap", *asked.gap, ours.worst_gap,
                      all_tell && ours.infeasible == 0.0 && ours.worst_gap.value_or(1.0) <= *asked.gap});
  }
  if (asked.verdict) {
    checks.push_back({"infeasible_share", 1.0, ours.infeasible, ours.infeasible >= 1.0});
    checks.push_back({"culprit_share", 1.0, ours.culprit, ours.culprit >= 1.0});
  }
  if (asked.loss) {
    checks.push_back({"wrong", 0.0, static_cast<double>(ours.wrong), ours.wrong == 0});
  }
  if (asked.times_faster) {
    const auto glpk = std::find_if(solvers.begin(), solvers.end(),
                                   [](const Summary& summary) { return summary.solver == "glpk"; });
    const std::optional<double> times = glpk == solvers.end() ? std::nullopt : glpk->times_ours;
    checks.push_back({"times_glpk", *asked.times_faster, times, times.value_or(0.0) >= *asked.times_faster});
  }
  return checks;
}

}  // namespace

const Summary* CaseSummary::of(const std::string& solver) const {
  for (const Summary& summary : solvers) {
    if (summary.solver == solver && summary.n > 0) return &summary;
  }
  return nullptr;
}

CaseSummary summarise(const Measured& measured) {
  CaseSummary summary{
      .which = measured.which, .solvers = {}, .checks = {}, .complaints = measured.complaints};
  for (const Column& column : measured.columns) {
    summary.solvers.push_back(summarise(*measured.which, column, measured.columns.front()));
  }
  summary.checks = check(*measured.which, summary.solvers);
  return summary;
}

}  // namespace saccade::bench
