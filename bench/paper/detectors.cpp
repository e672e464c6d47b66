// Beyond the paper: cameras that all run the zoo's detector, from rates at which its most accurate variant
// serves them all to rates at which hardly the cheapest one does.
#include <string>
#include <vector>

#include "bench/paper/sweep.hpp"
#include "profiles/profile_io.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;
using scheduler::PolicyKind;

FindingTable rates_table(const Sweep& sweep, double best, bool all) {
  FindingTable table{all ? "detectors-rates" : "detectors",
                     "Achieved rate (%) / mAP of what serves / delivered mAP",
                     {"demand of every camera (frames/s)"},
                     {}};
  table.in_report = !all;
  for (const PolicyKind kind : kPolicyKinds) table.columns.emplace_back(to_string(kind));
  for (std::size_t i = 0; i < sweep.rates.size(); ++i) {
    if (!all && static_cast<int>(sweep.rates[i]) % 10 != 0) continue;
    std::vector<Cell> row{number(sweep.rates[i], 0)};
    for (const PolicyKind kind : kPolicyKinds) {
      const Point& point = sweep.points[kind][i];
      row.push_back(word(number(100.0 * point.achieved.mean, 1).text + " / " +
                         number(best * point.accuracy, 3).text + " / " +
                         number(best * point.delivered, 3).text));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Figure delivered_figure(const DetectorCameras& wanted, const Sweep& sweep, double best) {
  app::Chart chart = sweep_chart(
      wanted.rates, std::to_string(wanted.count) + " detector cameras: delivered mAP", "delivered mAP");
  chart.y_from = 0.0;
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series = sweep_line(sweep, to_string(kind));
    for (const Point& point : sweep.points[kind]) series.y.push_back(best * point.delivered);
    chart.series.push_back(std::move(series));
  }
  return {"detectors", std::move(chart)};
}

// By how much transprecision delivers more than the best heuristic at a rate; the largest of all rates.
Comparison largest_lead(const Sweep& sweep, double best) {
  double lead = 0.0;
  std::string words = "none";
  for (std::size_t i = 0; i < sweep.rates.size(); ++i) {
    PolicyKind next = kHeuristics.front();
    for (const PolicyKind kind : kHeuristics) {
      if (sweep.points[kind][i].delivered > sweep.points[next][i].delivered) next = kind;
    }
    const double ours = sweep.points[PolicyKind::transprecision][i].delivered;
    const double theirs = sweep.points[next][i].delivered;
    if (ours - theirs <= lead) continue;
    lead = ours - theirs;
    words = number(best * ours, 3).text + " against " + number(best * theirs, 3).text + " (" +
            to_string(next) + ") at " + number(sweep.rates[i], 0).text + " frames/s";
  }
  return {"delivered mAP, the largest lead over the best heuristic", "–", words};
}

}  // namespace

Result<Finding> detector_cameras(const Context& context) {
  const DetectorCameras& wanted = context.bed.scenario.detectors;
  const Result<profiles::ProfileSet> read = profiles::read_profile_set(wanted.profiles);
  if (!read) return read.errors();
  const Networks networks{std::make_shared<const profiles::ProfileSet>(read.value())};
  const double best = networks.front()->best_accuracy();
  const RateTrial trial{wanted.rates, [&](Fps rate) {
                          const Cameras cameras{static_cast<std::size_t>(wanted.count), 1, 1, rate};
                          return snapshot_of(context.bed, networks, cameras);
                        }};
  Finding finding;
  finding.name = "detectors";
  finding.title = "Beyond the paper: cameras with a detector";
  finding.about = std::to_string(wanted.count) + " cameras with the zoo's detector, " +
                  std::to_string(networks.front()->variants.size()) +
                  " variants (width, size of the input, precision) with their measured profiles; the most "
                  "accurate one (mAP " +
                  number(best, 3).text + ") fills the core at " + number(full_at(trial), 1).text +
                  " frames/s per camera. " + number(wanted.rates.seconds.value(), 0).text + " s with " +
                  std::to_string(wanted.rates.seeds) +
                  " seeds at every rate. Delivered mAP: that of the variant which served, 0 for a frame that "
                  "was not processed.";
  const Sweep sweep = sweep_rates(context, trial, finding.breaches);
  finding.comparisons = {largest_lead(sweep, best)};
  finding.tables = {rates_table(sweep, best, false), rates_table(sweep, best, true)};
  finding.figures = {delivered_figure(wanted, sweep, best)};
  return finding;
}

}  // namespace saccade::bench
