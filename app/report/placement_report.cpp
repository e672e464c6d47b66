#include "app/report/placement_report.hpp"

#include <cmath>
#include <ostream>
#include <string_view>
#include <utility>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using placement::Answer;
using placement::Costs;
using placement::Evaluation;
using placement::kImpossible;

std::string milli(double value) { return short_number(value * 1e3); }

// In milliseconds or millijoules, as the aim is.
std::string value_text(double value) { return value < kImpossible ? milli(value) : "-"; }

std::string gap_text(double value, const std::optional<double>& bound) {
  if (!bound || *bound <= 0.0 || value == kImpossible) return "-";
  return app::percent(std::max(0.0, value / *bound - 1.0), 2);
}

const char* unit_of(placement::Objective objective) {
  return objective == placement::Objective::energy ? "mJ" : "ms";
}

void print_rows(const PlacementReport& report, std::ostream& out) {
  constexpr auto kRight = Table::Align::right;
  const std::string unit = unit_of(report.request.aim.objective);
  Table table({{"strategy"},
               {"believed " + unit, kRight},
               {"evaluated " + unit, kRight},
               {"above bound", kRight},
               {"fps", kRight},
               {"latency ms", kRight},
               {"energy mJ", kRight},
               {"compared", kRight},
               {"placement"}});
  for (const StrategyRow& row : report.rows) {
    const Answer& answer = row.answer;
    if (!answer.placement) {
      table.add_row({row.strategy->name, "-", "-", "-", "-", "-", "-", "-", answer.reason});
      continue;
    }
    const Evaluation& evaluation = *answer.evaluation;
    std::string note = to_string(*report.costs, *answer.placement);
    if (!answer.reason.empty()) note += " (" + answer.reason + ")";
    if (!answer.complete) note += " (its work was limited)";
    table.add_row({row.strategy->name, value_text(answer.believed), value_text(answer.value),
                   gap_text(answer.value, report.bound()), short_number(evaluation.pipelined().value()),
                   milli(evaluation.latency.value()),
                   evaluation.energy ? milli(evaluation.energy->value()) : "-",
                   std::to_string(answer.evaluations), std::move(note)});
  }
  table.print(out);
}

// What binds and what crosses.
void print_reasons(const PlacementReport& report, const StrategyRow& row, std::ostream& out) {
  const Costs& costs = *report.costs;
  const placement::Placement& placement = *row.answer.placement;
  const Evaluation& evaluation = *row.answer.evaluation;
  const auto& processors = costs.chain().processors;
  out << "\n" << row.strategy->name << ": " << to_string(costs, placement) << '\n';
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    out << "  " << processors[p].id.str() << " is busy " << milli(evaluation.load[p].value())
        << " ms a frame, " << app::percent(evaluation.load[p] / evaluation.period) << " of the period"
        << (p == evaluation.binding ? ": it binds" : "") << '\n';
  }
  for (std::size_t k = 1; k < placement.size(); ++k) {
    const std::size_t from = placement[k - 1].processor, to = placement[k].processor, b = placement[k].first;
    const double seconds = costs.send(b, from, to) + costs.receive(b, from, to);
    out << "  before layer " << b << ", " << short_bytes(costs.chain().boundaries[b - 1].bytes.value())
        << " cross from " << processors[from].id.str() << " to " << processors[to].id.str() << ": "
        << milli(seconds) << " ms\n";
  }
}

ordered_json json_or_null(double value) {
  return value < kImpossible ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json stages_json(const Costs& costs, const placement::Placement& placement) {
  ordered_json stages = ordered_json::array();
  for (const placement::Stage& stage : placement) {
    ordered_json processors = ordered_json::array();
    for (std::size_t k = 0; k < stage.copies; ++k) {
      processors.push_back(costs.chain().processors[stage.processor + k].id.str());
    }
    stages.push_back(
        {{"first_layer", stage.first}, {"last_layer", stage.last - 1}, {"processors", processors}});
  }
  return stages;
}

ordered_json evaluation_json(const Costs& costs, const Evaluation& evaluation) {
  ordered_json loads = ordered_json::object(), memory = ordered_json::object();
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    loads[costs.chain().processors[p].id.str()] = evaluation.load[p].value();
    memory[costs.chain().processors[p].id.str()] = evaluation.memory[p].value();
  }
  ordered_json json = {{"period_seconds", evaluation.period.value()},
                       {"max_fps", evaluation.pipelined().value()},
                       {"latency_seconds", evaluation.latency.value()},
                       {"max_in_flight", evaluation.max_in_flight},
                       {"binding", costs.chain().processors[evaluation.binding].id.str()},
                       {"load_seconds", std::move(loads)},
                       {"memory_bytes", std::move(memory)}};
  if (evaluation.energy) json["energy_joules"] = evaluation.energy->value();
  return json;
}

}  // namespace

std::optional<double> PlacementReport::bound() const {
  for (const StrategyRow& row : rows) {
    if (std::string_view(row.strategy->name) == "exact" && row.answer.placement) return row.answer.bound;
  }
  return std::nullopt;
}

const StrategyRow* PlacementReport::best() const {
  const StrategyRow* best = nullptr;
  for (const StrategyRow& row : rows) {
    if (!row.answer.placement || row.answer.value == kImpossible) continue;
    if (best == nullptr || row.answer.value < best->answer.value) best = &row;
  }
  return best;
}

void print_report(const PlacementReport& report, std::ostream& out) {
  out << report.network << ": " << report.costs->layers() << " layers, " << report.costs->processors()
      << " processors, aim " << to_string(report.request.aim.objective);
  if (report.request.aim.deadline) out << " within " << milli(report.request.aim.deadline->value()) << " ms";
  out << ", at most " << report.request.max_stages << " stages\n\n";
  print_rows(report, out);
  if (const StrategyRow* row = report.best()) print_reasons(report, *row, out);
}

ordered_json to_json(const PlacementReport& report) {
  ordered_json rows = ordered_json::array();
  for (const StrategyRow& row : report.rows) {
    const Answer& answer = row.answer;
    ordered_json json = {{"strategy", row.strategy->name}, {"source", row.strategy->source}};
    if (!answer.reason.empty()) json["note"] = answer.reason;
    if (answer.placement) {
      json["believed"] = json_or_null(answer.believed);
      json["evaluated"] = json_or_null(answer.value);
      json["compared"] = answer.evaluations;
      json["complete"] = answer.complete;
      json["stages"] = stages_json(*report.costs, *answer.placement);
      json["evaluation"] = evaluation_json(*report.costs, *answer.evaluation);
    }
    rows.push_back(std::move(json));
  }
  ordered_json json = {{"network", report.network},
                       {"layers", report.costs->layers()},
                       {"objective", to_string(report.request.aim.objective)},
                       {"max_stages", report.request.max_stages}};
  if (report.request.aim.deadline) json["deadline_seconds"] = report.request.aim.deadline->value();
  json["bound"] = report.bound() ? ordered_json(*report.bound()) : ordered_json(nullptr);
  json["best"] =
      report.best() != nullptr ? ordered_json(report.best()->strategy->name) : ordered_json(nullptr);
  json["strategies"] = std::move(rows);
  return json;
}

}  // namespace saccade::app
