// Figures 4, 6 and 7 and table I again, on the energy that a meter measured beside the energy of the model.
// Planned only: nothing has to run to add up what a plan takes, and neither memory of the device nor load
// times of these engines were measured. Without a limit on memory on both, so that they can be compared.
#include <algorithm>
#include <array>
#include <functional>

#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

using pareto::Selection;
using scheduler::Objective;

constexpr std::array kCompared = {Selection::time, Selection::time_energy, Selection::energy,
                                  Selection::active};

struct EnergySource {
  std::string name;
  const Networks& networks;
  Cameras cameras;
  FloorSweep floors;
  RandomRanges random;
};

struct PlannedEnergy {  // of one plan; absent where the selection leaves nothing that fits
  bool fits = false;
  double accuracy = 0.0;  // mean relative
  double energy = 0.0;    // J/s above idle
};
using PlannedBySelection = std::array<std::vector<PlannedEnergy>, kCompared.size()>;  // by selection, case

PlannedEnergy planned_energy(scheduler::Snapshot snapshot, Objective objective, Selection selection) {
  snapshot.objective = objective;
  snapshot.selection = selection;
  snapshot.degrade = scheduler::Degrade::refuse;
  const ilp::CoreSolver solver;
  const scheduler::Plan plan = scheduler::Transprecision(solver).decide(snapshot, {});
  PlannedEnergy planned;
  planned.fits = fits(plan);
  if (!planned.fits) return planned;
  for (const scheduler::Assignment& task : plan.tasks)
    planned.accuracy += task.relative_accuracy / static_cast<double>(plan.tasks.size());
  planned.energy =
      (plan.totals.energy_per_second.value_or(snapshot.idle_power) - snapshot.idle_power).value();
  return planned;
}

PlannedBySelection plan_cases(const Workers& workers, const std::vector<scheduler::Snapshot>& cases,
                              Objective objective) {
  PlannedBySelection planned;
  for (auto& each : planned) each.resize(cases.size());
  workers.each(kCompared.size() * cases.size(), [&](std::size_t i) {
    planned[i % kCompared.size()][i / kCompared.size()] =
        planned_energy(cases[i / kCompared.size()], objective, kCompared[i % kCompared.size()]);
  });
  return planned;
}

std::vector<scheduler::Snapshot> floor_cases(const Context& context, const EnergySource& source) {
  Cameras cameras = source.cameras;
  cameras.fps = source.floors.fps;
  scheduler::Snapshot snapshot = snapshot_of(context.bed, source.networks, cameras);
  std::vector<scheduler::Snapshot> cases;
  const int count = static_cast<int>((source.floors.to - source.floors.from) / source.floors.step + 1.5);
  for (int i = 0; i < count; ++i) {
    for (scheduler::Task& task : snapshot.tasks)
      task.min_relative_accuracy = std::min(source.floors.from + source.floors.step * i, source.floors.to);
    cases.push_back(snapshot);
  }
  return cases;
}

std::vector<scheduler::Snapshot> random_cases(const Context& context, const EnergySource& source) {
  const scheduler::Snapshot wanted = snapshot_of(context.bed, source.networks, source.cameras);
  std::vector<scheduler::Snapshot> cases;
  for (runtime::TimelineState& step : draw_steps(wanted, source.random, context.bed.scenario.seed))
    cases.push_back(std::move(step.snapshot));
  return cases;
}

struct SelectionMeans {  // over the cases that fit under every selection
  std::size_t common = 0;
  std::size_t all = 0;
  std::array<double, kCompared.size()> accuracy{};
  std::array<double, kCompared.size()> energy{};

  [[nodiscard]] double saved(std::size_t selection) const { return energy[selection] / energy[0] - 1.0; }
  [[nodiscard]] double points(std::size_t selection) const {
    return 100.0 * (accuracy[selection] - accuracy[0]);
  }
};

SelectionMeans means_of(const PlannedBySelection& planned) {
  SelectionMeans means;
  means.all = planned[0].size();
  for (std::size_t i = 0; i < means.all; ++i) {
    if (!std::all_of(planned.begin(), planned.end(), [i](const auto& each) { return each[i].fits; }))
      continue;
    ++means.common;
    for (std::size_t s = 0; s < kCompared.size(); ++s) {
      means.accuracy[s] += planned[s][i].accuracy;
      means.energy[s] += planned[s][i].energy;
    }
  }
  for (std::size_t s = 0; means.common > 0 && s < kCompared.size(); ++s) {
    means.accuracy[s] /= static_cast<double>(means.common);
    means.energy[s] /= static_cast<double>(means.common);
  }
  return means;
}

void append_rows(FindingTable& table, const EnergySource& source, const std::string& what,
                 const SelectionMeans& means) {
  for (std::size_t s = 0; s < kCompared.size(); ++s) {
    table.rows.push_back({word(source.name), word(what), word(to_string(kCompared[s])),
                          word(std::to_string(means.common) + " of " + std::to_string(means.all)),
                          percent(means.accuracy[s], 2), number(means.points(s), 2),
                          number(means.energy[s], 2), percent(means.saved(s))});
  }
}

double batch_seconds(const profiles::Variant& variant, int regions) {
  double sum = 0.0;
  for (const auto& [processor, time] : profiles::time_per_frame(variant, regions)) sum += time.value();
  return sum;
}

using MeteredRatio = std::function<double(const profiles::Variant& reduced, const profiles::Variant& full)>;

// Of every fp16 variant and the fp32 variant of its size.
std::vector<double> half_ratios(const profiles::ProfileSet& set, const MeteredRatio& ratio) {
  std::vector<double> values;
  for (const profiles::Variant& reduced : set.variants) {
    if (reduced.precision != profiles::Precision::fp16) continue;
    for (const profiles::Variant& full : set.variants) {
      if (full.precision == profiles::Precision::fp32 && full.width == reduced.width &&
          full.depth == reduced.depth)
        values.push_back(ratio(reduced, full));
    }
  }
  return values;
}

struct HalfGains {  // fp16 against fp32, one value per size
  std::vector<double> one, batch, power, energy;
};

HalfGains half_gains(const profiles::ProfileSet& set, int regions) {
  using profiles::Variant;
  const auto energy = [&](const Variant& v) { return profiles::energy_per_frame(v, regions)->value(); };
  return {half_ratios(set, [](const Variant& a,
                              const Variant& b) { return batch_seconds(b, 1) / batch_seconds(a, 1); }),
          half_ratios(set,
                      [&](const Variant& a, const Variant& b) {
                        return batch_seconds(b, regions) / batch_seconds(a, regions);
                      }),
          half_ratios(set,
                      [](const Variant& a, const Variant& b) {
                        return profiles::peak_power(a)->value() / profiles::peak_power(b)->value();
                      }),
          half_ratios(set, [&](const Variant& a, const Variant& b) { return energy(a) / energy(b); })};
}

Cell mean_and(const std::vector<double>& values, double best) {
  return word(number(spread_of(values).mean, 2).text + " / " + number(best, 2).text);
}

void append_table1(const Networks& networks, int regions, Finding& finding) {
  FindingTable table{
      "metered-table1",
      "Table I: fp16 against fp32 as CUDA graphs, mean / best over the sizes",
      {"network", "speed-up, one image", "speed-up, a frame of " + std::to_string(regions) + " regions",
       "power above idle", "energy of a frame above idle"},
      {}};
  HalfGains all;
  for (const profiles::ProfileSetPtr& set : networks) {
    const HalfGains gains = half_gains(*set, regions);
    table.rows.push_back({word(set->network), mean_and(gains.one, spread_of(gains.one).most),
                          mean_and(gains.batch, spread_of(gains.batch).most),
                          mean_and(gains.power, spread_of(gains.power).least),
                          mean_and(gains.energy, spread_of(gains.energy).least)});
    for (std::vector<double> HalfGains::*part :
         {&HalfGains::one, &HalfGains::batch, &HalfGains::power, &HalfGains::energy})
      (all.*part).insert((all.*part).end(), (gains.*part).begin(), (gains.*part).end());
  }
  finding.comparisons.push_back({"fp16 against fp32, speed-up, mean / best", "1.0 to 1.1 / 2.2",
                                 mean_and(all.batch, spread_of(all.batch).most).text});
  finding.comparisons.push_back({"fp16 against fp32, power, mean / least", "0.4 to 0.8 (mean)",
                                 mean_and(all.power, spread_of(all.power).least).text});
  finding.tables.push_back(std::move(table));
}

std::string saved_words(const SelectionMeans& means, std::size_t selection) {
  return percent(means.saved(selection)).text + " at " + number(means.points(selection), 1).text + " points";
}

app::Chart floors_chart(const std::string& title, const EnergySource& source,
                        const PlannedBySelection& planned) {
  app::Chart chart;
  chart.title = title;
  chart.x_label = "floor of relative accuracy of every task (%)";
  chart.y_label = "energy above idle (J/s)";
  for (std::size_t s = 0; s < kCompared.size(); ++s) {
    app::Series series;
    series.name = to_string(kCompared[s]);
    series.style = app::Series::Style::lines;
    for (std::size_t i = 0; i < planned[s].size(); ++i) {
      if (!planned[s][i].fits) continue;
      series.x.push_back(100.0 * (source.floors.from + source.floors.step * static_cast<double>(i)));
      series.y.push_back(planned[s][i].energy);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

constexpr std::size_t kEnergyAt = 2, kActiveAt = 3;  // in kCompared

void compare_sources(const Context& context, const EnergySource& source, bool measured, FindingTable& table,
                     Finding& finding) {
  const PlannedBySelection floors =
      plan_cases(context.workers, floor_cases(context, source), Objective::min_energy);
  const SelectionMeans floor_means = means_of(floors);
  const std::vector<scheduler::Snapshot> steps = random_cases(context, source);
  const SelectionMeans accurate = means_of(plan_cases(context.workers, steps, Objective::max_accuracy));
  const SelectionMeans least = means_of(plan_cases(context.workers, steps, Objective::min_energy));
  append_rows(table, source, "figure 4: floors, min_energy", floor_means);
  append_rows(table, source, "figure 6: random, max_accuracy", accurate);
  append_rows(table, source, "figure 7: random, min_energy", least);
  const std::string of = " (" + source.name + ")";
  finding.comparisons.push_back({"figure 4, energy selection against `time`" + of, "-50.2 % at -3.7 points",
                                 saved_words(floor_means, kEnergyAt), measured});
  finding.comparisons.push_back(
      {"figure 7, energy selection against `time`" + of, "-49 %", saved_words(least, kEnergyAt), measured});
  finding.comparisons.push_back(
      {"figure 6, accuracy with `time` / `energy` / `active`" + of, "97.5 % / 98.2 % / not in the paper",
       percent(accurate.accuracy[0], 2).text + " / " + percent(accurate.accuracy[kEnergyAt], 2).text + " / " +
           percent(accurate.accuracy[kActiveAt], 2).text});
  finding.figures.push_back({measured ? "metered-fig4" : "metered-fig4-modelled",
                             floors_chart("Figure 4, min_energy: " + source.name, source, floors),
                             !measured});
}

}  // namespace

Result<Finding> metered(const Context& context) {
  const Scenario& scenario = context.bed.scenario;
  const std::size_t tasks = scenario.tasks.size();
  const MeteredDevice& device = scenario.metered;
  const Cameras on_device{tasks, device.columns, device.rows, Fps(1.0)};
  RandomRanges without_memory = scenario.random;
  without_memory.memory = {};
  const std::array sources = {EnergySource{context.bed.metered.front()->device.name + ", measured",
                                           context.bed.metered, on_device, device.floors, device.random},
                              EnergySource{"CPU, modelled", context.bed.modelled,
                                           Cameras{tasks, scenario.columns, scenario.rows, Fps(1.0)},
                                           scenario.floors, without_memory}};
  const int regions = device.columns * device.rows;
  Finding finding;
  finding.name = "metered";
  finding.title = "Figures 4, 6 and 7 and table I on measured energy";
  finding.about =
      "The same five networks as CUDA graphs on an H100 (`profiles/h100`): time and power measured at the "
      "batch "
      "that serves, " +
      std::to_string(regions) +
      " regions per frame; power above that of an idle device with a context. Only the precisions whose "
      "power "
      "was measured: fp32 and fp16. Planned, not run; no limit on memory, since neither device memory nor "
      "load "
      "times of graphs were measured. Rates and limits are in the same relation to the device as those of "
      "the "
      "CPU: rates from a quarter to three times what the most accurate variants fill it with, energy from a "
      "half "
      "to 1.2 times what they draw. Beside it the CPU with modelled energy, planned in the same way.";
  FindingTable table{"metered",
                     "Selections on measured and on modelled energy, means over the cases that fit under all",
                     {"device, energy", "experiment", "selection", "cases", "relative accuracy",
                      "points against `time`", "energy above idle (J/s)", "against `time`"},
                     {}};
  compare_sources(context, sources[0], true, table, finding);
  compare_sources(context, sources[1], false, table, finding);
  finding.tables.push_back(std::move(table));
  append_table1(context.bed.metered, regions, finding);
  finding.remarks = {
      "An H100 is launched, not filled, by networks this small: half precision takes the same time and draws "
      "less. The quickest variant of an accuracy so is often not the one that needs least, which the energy "
      "selection can use. What it saves on one device says nothing of another."};
  return finding;
}

}  // namespace saccade::bench
