#include "bench/fleet/figures.hpp"

#include <utility>

#include "bench/paper/finding.hpp"
#include "bench/report.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

std::string percents(double share, int digits = 2) { return number(100.0 * share, digits).text; }
std::string seconds_text(double seconds) { return number(seconds, 2).text; }
std::string milliseconds_text(double seconds) { return number(1e3 * seconds, 1).text; }

}  // namespace

std::vector<Sheet> sheets_of(const std::vector<Figures>& all) {
  Sheet plans{{"instance", "cameras", "boxes", "plan (CPU s)", "value (%)", "bound (%)", "gap (%)", "off",
               "weight off, proven", "improvement (CPU s)", "gap then (%)"}};
  Sheet losses{{"instance", "losses played", "median (ms)", "worst (ms)", "cameras left off",
                "N-1 of all boxes (CPU s)", "certified", "10 % of demands: moved", "gap (%)", "CPU s"}};
  Sheet naive{{"instance", "way", "value (%)", "off", "lowered"}, 2};
  for (const Figures& f : all) {
    const std::string name = f.instance->name;
    plans.rows.push_back({name, std::to_string(f.instance->size.cameras),
                          std::to_string(f.instance->size.boxes), seconds_text(f.seconds), percents(f.value),
                          percents(f.bound), percents(f.gap(f.value), 3), number(f.off, 0).text,
                          number(f.off_bound, 1).text, seconds_text(f.improve_seconds),
                          percents(f.gap(f.improved), 3)});
    losses.rows.push_back(
        {name, std::to_string(f.loss_seconds.size()), milliseconds_text(quantile(f.loss_seconds, 0.5)),
         milliseconds_text(f.loss_seconds.back()), number(f.orphans_off, 0).text,
         seconds_text(f.certify_seconds), std::to_string(f.certified) + " of " + std::to_string(f.boxes),
         number(f.change_moves, 0).text, percents(f.change_gap, 3), seconds_text(f.change_seconds)});
    naive.rows.push_back({name, "this", percents(f.value), number(f.off, 0).text, "-"});
    for (const Figures::Naive& way : f.naive) {
      naive.rows.push_back(
          {name, way.name, percents(way.value), number(way.off, 0).text, number(way.lowered, 0).text});
    }
  }
  return {plans, losses, naive};
}

std::vector<FigureCheck> checks_of(const std::vector<Figures>& all) {
  std::vector<FigureCheck> checks;
  for (const Figures& f : all) {
    const std::string name = std::string(f.instance->name) + ": ";
    if (f.instance->seconds > 0.0) {
      checks.push_back({name + "first full plan, CPU s", f.instance->seconds, false, f.seconds});
      checks.push_back({name + "gap, %", f.instance->gap, false, 100.0 * f.gap(f.value)});
      checks.push_back({name + "cameras off", 0.0, false, f.off});
    }
    if (std::string(f.instance->name) == "500" || std::string(f.instance->name) == "200") {
      checks.push_back(
          {name + "loss of a box, median, ms", 10.0, false, 1e3 * quantile(f.loss_seconds, 0.5)});
      checks.push_back({name + "loss of a box, worst, ms", 250.0, false, 1e3 * f.loss_seconds.back()});
    }
    if (std::string(f.instance->name) != "500") continue;
    checks.push_back({name + "N-1 of all boxes, CPU s", 1.0, false, f.certify_seconds});
    checks.push_back({name + "10 % of demands change: cameras moved, %", 0.5, false,
                      100.0 * f.change_moves / static_cast<double>(f.instance->size.cameras)});
    checks.push_back({name + "10 % of demands change: gap, %", 0.3, false, 100.0 * f.change_gap});
  }
  return checks;
}

ordered_json json_of(const Figures& f) {
  ordered_json naive = ordered_json::array();
  for (const Figures::Naive& way : f.naive) {
    naive.push_back({{"way", way.name}, {"value", way.value}, {"off", way.off}, {"lowered", way.lowered}});
  }
  return {{"instance", f.instance->name},
          {"cameras", f.instance->size.cameras},
          {"boxes", f.instance->size.boxes},
          {"plan_seconds", f.seconds},
          {"value", f.value},
          {"bound", f.bound},
          {"off", f.off},
          {"weight_off_bound", f.off_bound},
          {"improve_seconds", f.improve_seconds},
          {"improved", f.improved},
          {"losses_played", f.loss_seconds.size()},
          {"loss_median_seconds", quantile(f.loss_seconds, 0.5)},
          {"loss_worst_seconds", f.loss_seconds.back()},
          {"orphans_off", f.orphans_off},
          {"certify_seconds", f.certify_seconds},
          {"certified", f.certified},
          {"boxes_serving", f.boxes},
          {"change_moves", f.change_moves},
          {"change_gap", f.change_gap},
          {"change_seconds", f.change_seconds},
          {"naive", std::move(naive)},
          {"wrong", f.wrong}};
}

}  // namespace saccade::bench
