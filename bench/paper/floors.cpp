// Figure 4: least memory and least energy against one accuracy floor for every task, by selection.
// Planned only: nothing has to run to add up what a plan takes.
#include <algorithm>
#include <array>
#include <iterator>

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
  std::string name;
  std::array<Selection, 4> selections;  // all are compared with the first, `time`
  double Planned::*least;
  const char* paper;  // its own selection against `time`
  Selection own;      // the selection by what is to be least
};
const std::array<Aim, 2>& aims() {
  static const std::array<Aim, 2> both = {
      Aim{Objective::min_memory,
          "memory",
          {Selection::time, Selection::time_memory, Selection::memory, Selection::active},
          &Planned::memory,
          "-4.1 % at -3 points",
          Selection::memory},
      Aim{Objective::min_energy,
          "energy",
          {Selection::time, Selection::time_energy, Selection::energy, Selection::active},
          &Planned::energy,
          "-50.2 % at -3.7 points",
          Selection::energy}};
  return both;
}

Planned plan_at(const Bed& bed, Objective objective, Selection selection, double floor) {
  scheduler::Snapshot snapshot = snapshot_of(bed, bed.modelled, bed.scenario.floors.fps);
  for (scheduler::Task& task : snapshot.tasks) task.min_relative_accuracy = floor;
  snapshot.objective = objective;
  snapshot.selection = selection;
  snapshot.degrade = scheduler::Degrade::refuse;
  const ilp::CoreSolver solver;
  const scheduler::Plan decided = scheduler::Transprecision(solver).decide(snapshot, {});
  Planned planned;
  planned.fits = fits(decided);
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
Difference difference_of(const std::vector<Planned>& selection, const std::vector<Planned>& time,
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

std::string difference_words(const Difference& difference) {
  return percent(difference.least).text + " at " + number(100.0 * difference.accuracy, 1).text + " points";
}

std::vector<double> floors_of(const FloorSweep& wanted) {
  std::vector<double> floors;
  const int count = static_cast<int>((wanted.to - wanted.from) / wanted.step + 1.5);
  for (int i = 0; i < count; ++i) floors.push_back(std::min(wanted.from + wanted.step * i, wanted.to));
  return floors;
}

// What one aim's selections plan at every floor.
class FloorPlans {
 public:
  FloorPlans(const Context& context, const Aim& aim, const std::vector<double>& floors)
      : aim_(aim), floors_(floors) {
    const std::size_t selections = planned_.size();
    for (auto& each : planned_) each.resize(floors.size());
    context.workers.each(selections * floors.size(), [&](std::size_t i) {
      planned_[i % selections][i / selections] =
          plan_at(context.bed, aim.objective, aim.selections[i % selections], floors[i / selections]);
    });
  }
  [[nodiscard]] FindingTable differences() const;
  [[nodiscard]] FindingTable all_floors() const;
  [[nodiscard]] std::vector<Comparison> comparisons() const;
  [[nodiscard]] std::vector<Figure> figures() const;

 private:
  [[nodiscard]] Difference against_time(Selection selection) const {
    const auto at = std::find(aim_.selections.begin(), aim_.selections.end(), selection);
    return difference_of(planned_[static_cast<std::size_t>(at - aim_.selections.begin())], planned_.front(),
                         aim_.least);
  }
  [[nodiscard]] std::string objective() const { return to_string(aim_.objective); }

  const Aim& aim_;
  const std::vector<double>& floors_;
  std::array<std::vector<Planned>, 4> planned_;  // by selection, then floor
};

FindingTable FloorPlans::differences() const {
  FindingTable table{"fig4-" + aim_.name,
                     objective() + ": a selection against `time`, mean over the floors where both fit",
                     {"selection", aim_.name, "accuracy (points)", "floors that fit", "of"},
                     {},
                     true};
  for (std::size_t s = 0; s < planned_.size(); ++s) {
    const Difference difference = against_time(aim_.selections[s]);
    const auto fit =
        std::count_if(planned_[s].begin(), planned_[s].end(), [](const Planned& each) { return each.fits; });
    table.rows.push_back({word(to_string(aim_.selections[s])), percent(difference.least),
                          number(100.0 * difference.accuracy, 2), number(static_cast<double>(fit), 0),
                          number(static_cast<double>(floors_.size()), 0)});
  }
  return table;
}

FindingTable FloorPlans::all_floors() const {
  FindingTable table{"fig4-" + aim_.name + "-floors",
                     objective() + ", all floors",
                     {"selection", "floor", "fits", "mean relative accuracy", "memory (bytes)",
                      "energy above idle (J/s, modelled)", "time share"},
                     {},
                     true,
                     false};
  for (std::size_t s = 0; s < planned_.size(); ++s) {
    for (std::size_t i = 0; i < floors_.size(); ++i) {
      const Planned& each = planned_[s][i];
      std::vector<Cell> row{word(to_string(aim_.selections[s])), number(floors_[i], 2),
                            word(each.fits ? "yes" : "no")};
      for (const double value : {each.accuracy, each.memory, each.energy, each.time}) {
        row.push_back(each.fits ? number(value, 4) : absent());
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::vector<Comparison> FloorPlans::comparisons() const {
  return {{aim_.name + " selection against `time`, " + objective(), aim_.paper,
           difference_words(against_time(aim_.own))},
          {"`active` against `time`, " + objective(), "not in the paper",
           difference_words(against_time(Selection::active))}};
}

std::vector<Figure> FloorPlans::figures() const {
  struct Shown {
    const char* name;
    const char* label;
    double Planned::*value;
    double factor;
    bool modelled;
  };
  std::vector<Figure> figures;
  for (const Shown& shown :
       {Shown{"accuracy", "mean relative accuracy (%)", &Planned::accuracy, 100.0, false},
        Shown{"memory", "memory of all engines (MB)", &Planned::memory, 1e-6, false},
        Shown{"energy", "energy above idle (J/s, modelled)", &Planned::energy, 1.0, true},
        Shown{"time", "time share (%)", &Planned::time, 100.0, false}}) {
    app::Chart chart;
    chart.title = "Figure 4, " + objective() + ": " + shown.name;
    chart.x_label = "floor of relative accuracy of every task (%)";
    chart.y_label = shown.label;
    for (std::size_t s = 0; s < planned_.size(); ++s) {
      app::Series series;
      series.name = to_string(aim_.selections[s]);
      series.style = app::Series::Style::lines;
      for (std::size_t i = 0; i < floors_.size(); ++i) {
        if (!planned_[s][i].fits) continue;
        series.x.push_back(100.0 * floors_[i]);
        series.y.push_back(shown.factor * (planned_[s][i].*shown.value));
      }
      chart.series.push_back(std::move(series));
    }
    figures.push_back({"fig4-" + aim_.name + "-" + shown.name, std::move(chart),
                       shown.modelled || aim_.objective == Objective::min_energy});
  }
  return figures;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Result<Finding> least_against_floor(const Context& context) {
  const FloorSweep& wanted = context.bed.scenario.floors;
  const std::vector<double> floors = floors_of(wanted);
  Finding finding;
  finding.name = "fig4";
  finding.title = "Figure 4: least memory and energy against the accuracy floor";
  finding.about =
      "Every task at " + number(wanted.fps.value(), 0).text +
      " frames/s with one floor of relative accuracy for all; planned, not run. Energy is that of the "
      "model (see the end of this page), above idle.";
  for (const Aim& aim : aims()) {
    const FloorPlans plans(context, aim, floors);
    append(finding.comparisons, plans.comparisons());
    finding.tables.push_back(plans.differences());
    finding.tables.push_back(plans.all_floors());
    append(finding.figures, plans.figures());
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
