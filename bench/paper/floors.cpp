// Figure 4: least memory and least energy against one accuracy floor for every task, by selection.
// Planned only: nothing has to run to add up what a plan takes.
#include <algorithm>
#include <array>

#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

using pareto::Selection;
using scheduler::Objective;

struct Planned {  // of one floor; absent where the selection leaves nothing that fits
  bool fits = false;
  double accuracy = 0.0;
  double memory = 0.0;
  double energy = 0.0;
  double time = 0.0;
};

struct Aim {
  Objective objective;
  const char* name;
  std::array<Selection, 4> selections;
  double Planned::*least;
};
const std::array<Aim, 2>& aims() {
  static const std::array<Aim, 2> both = {
      Aim{Objective::min_memory,
          "memory",
          {Selection::time, Selection::time_memory, Selection::memory, Selection::active},
          &Planned::memory},
      Aim{Objective::min_energy,
          "energy",
          {Selection::time, Selection::time_energy, Selection::energy, Selection::active},
          &Planned::energy}};
  return both;
}

Planned plan(const Bed& bed, Objective objective, Selection selection, double floor) {
  scheduler::Snapshot snapshot = snapshot_of(bed, bed.modelled, bed.scenario.floors.fps);
  for (scheduler::Task& task : snapshot.tasks) task.min_relative_accuracy = floor;
  snapshot.objective = objective;
  snapshot.selection = selection;
  snapshot.degrade = scheduler::Degrade::refuse;
  const ilp::CoreSolver solver;
  const scheduler::Plan decided = scheduler::Transprecision(solver).decide(snapshot, {});
  Planned planned;
  planned.fits =
      decided.status == scheduler::PlanStatus::optimal || decided.status == scheduler::PlanStatus::feasible;
  if (!planned.fits) return planned;
  for (const scheduler::Assignment& task : decided.tasks) {
    planned.accuracy += task.relative_accuracy / static_cast<double>(decided.tasks.size());
  }
  planned.memory = decided.totals.memory.value_or(Bytes(0.0)).value();
  planned.energy =
      (decided.totals.energy_per_second.value_or(snapshot.idle_power) - snapshot.idle_power).value();
  planned.time = decided.totals.time_share.front();
  return planned;
}

struct Difference {       // of a selection to the time selection, over the floors where both fit
  double least = 0.0;     // relative
  double accuracy = 0.0;  // points of relative accuracy
  std::size_t floors = 0;
};
Difference between(const std::vector<Planned>& selection, const std::vector<Planned>& time,
                   double Planned::*measure) {
  Difference difference;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!selection[i].fits || !time[i].fits) continue;
    difference.least += selection[i].*measure / (time[i].*measure) - 1.0;
    difference.accuracy += selection[i].accuracy - time[i].accuracy;
    ++difference.floors;
  }
  if (difference.floors == 0) return difference;
  difference.least /= static_cast<double>(difference.floors);
  difference.accuracy /= static_cast<double>(difference.floors);
  return difference;
}

std::string words(const Difference& difference) {
  return percent(difference.least).text + " at " + number(100.0 * difference.accuracy, 1).text + " points";
}

}  // namespace

Result<Finding> least_against_floor(const Context& context) {
  const FloorSweep& wanted = context.bed.scenario.floors;
  std::vector<double> floors;
  const int count = static_cast<int>((wanted.to - wanted.from) / wanted.step + 1.5);
  for (int i = 0; i < count; ++i) floors.push_back(std::min(wanted.from + wanted.step * i, wanted.to));

  Finding finding;
  finding.name = "fig4";
  finding.title = "Figure 4: least memory and energy against the accuracy floor";
  finding.about =
      "Every task at " + number(wanted.fps.value(), 0).text +
      " frames/s with one floor of relative accuracy for all; planned, not run. Energy is that of the "
      "model (see the end of this page), above idle.";
  for (const Aim& aim : aims()) {
    std::array<std::vector<Planned>, 4> planned;
    for (auto& each : planned) each.resize(floors.size());
    context.workers.each(4 * floors.size(), [&](std::size_t i) {
      planned[i % 4][i / 4] = plan(context.bed, aim.objective, aim.selections[i % 4], floors[i / 4]);
    });
    const std::string objective = to_string(aim.objective);
    FindingTable table{"fig4-" + std::string(aim.name),
                       objective + ": a selection against `time`, mean over the floors where both fit",
                       {"selection", aim.name, "accuracy (points)", "floors that fit", "of"},
                       {},
                       true};
    FindingTable all{"fig4-" + std::string(aim.name) + "-floors",
                     objective + ", all floors",
                     {"selection", "floor", "fits", "mean relative accuracy", "memory (bytes)",
                      "energy above idle (J/s, modelled)", "time share"},
                     {},
                     true,
                     false};
    std::array<Difference, 4> differences;
    for (std::size_t s = 0; s < 4; ++s) {
      differences[s] = between(planned[s], planned[0], aim.least);
      const auto fit =
          std::count_if(planned[s].begin(), planned[s].end(), [](const Planned& each) { return each.fits; });
      table.rows.push_back({word(to_string(aim.selections[s])), percent(differences[s].least),
                            number(100.0 * differences[s].accuracy, 2), number(static_cast<double>(fit), 0),
                            number(static_cast<double>(floors.size()), 0)});
      for (std::size_t i = 0; i < floors.size(); ++i) {
        const Planned& each = planned[s][i];
        std::vector<Cell> row{word(to_string(aim.selections[s])), number(floors[i], 2),
                              word(each.fits ? "yes" : "no")};
        for (const double value : {each.accuracy, each.memory, each.energy, each.time}) {
          row.push_back(each.fits ? number(value, 4) : absent());
        }
        all.rows.push_back(std::move(row));
      }
    }
    finding.comparisons.push_back(
        {std::string(aim.name) + " selection against `time`, " + objective,
         aim.objective == Objective::min_memory ? "-4.1 % at -3 points" : "-50.2 % at -3.7 points",
         words(differences[2])});
    finding.comparisons.push_back(
        {"`active` against `time`, " + objective, "not in the paper", words(differences[3])});
    finding.tables.push_back(std::move(table));
    finding.tables.push_back(std::move(all));

    struct Shown {
      const char* name;
      const char* label;
      double Planned::*value;
      double factor;
      bool modelled;
    };
    for (const Shown& shown :
         {Shown{"accuracy", "mean relative accuracy (%)", &Planned::accuracy, 100.0, false},
          Shown{"memory", "memory of all engines (MB)", &Planned::memory, 1e-6, false},
          Shown{"energy", "energy above idle (J/s, modelled)", &Planned::energy, 1.0, true},
          Shown{"time", "time share (%)", &Planned::time, 100.0, false}}) {
      app::Chart chart;
      chart.title = "Figure 4, " + objective + ": " + shown.name;
      chart.x_label = "floor of relative accuracy of every task (%)";
      chart.y_label = shown.label;
      for (std::size_t s = 0; s < 4; ++s) {
        app::Series series;
        series.name = to_string(aim.selections[s]);
        series.style = app::Series::Style::lines;
        for (std::size_t i = 0; i < floors.size(); ++i) {
          if (!planned[s][i].fits) continue;
          series.x.push_back(100.0 * floors[i]);
          series.y.push_back(shown.factor * (planned[s][i].*shown.value));
        }
        chart.series.push_back(std::move(series));
      }
      finding.figures.push_back({std::string("fig4-") + aim.name + "-" + shown.name, std::move(chart),
                                 shown.modelled || aim.objective == Objective::min_energy});
    }
  }
  finding.remarks = {
      "What a selection can save depends on how far its measure is from time. Memory of the zoo goes with "
      "precision "
      "as time does, and the modelled power differs less between variants than the paper's measured one: the "
      "time "
      "front loses less here. `active` is never behind any selection that fits, which is what it is for."};
  return finding;
}

}  // namespace saccade::bench
