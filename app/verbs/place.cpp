#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/placement_report.hpp"
#include "app/verbs/verbs.hpp"
#include "config/layer_file.hpp"
#include "placement/paths.hpp"
#include "runtime/engines/model_file.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

const CommandSpec& place_spec() {
  static const CommandSpec spec{
      "place",
      "LAYERS.json",
      "Decides which processor runs which layers of a network: finds placements by the strategies of four\n"
      "papers and exactly, and scores all of them by one evaluation. Nothing is run or written.",
      {{"strategy", "NAME",
        "single, two-stage, k-stage, dynamic-cut, lnt, knapsack, pipe-search, jedi, exact or all\n(default: "
        "exact)"},
       {"objective", "NAME", "throughput, latency or energy (default: throughput)"},
       {"deadline", "SECONDS", "on the latency of a frame alone"},
       {"max-stages", "N", "stages that a placement may have (default: 4)"},
       {"profit", "NAME", "of knapsack: ratio, as published, or joule (default: ratio)"},
       {"overhead", "NAME", "of lnt: transfers counted or ignored (default: counted)"},
       {"json", "", "as JSON"}},
      1,
      1,
      "Exit codes: 0 a placement was found, 3 none meets the aim, 78 the layer file cannot be used."};
  return spec;
}

// The request of the options; every mistake is added.
placement::Request placement_request(const Invocation& call, std::vector<std::string>& mistakes) {
  placement::Request request;
  const std::string objective = call.value("objective").value_or("throughput");
  bool known = false;
  for (const placement::Objective each :
       {placement::Objective::throughput, placement::Objective::latency, placement::Objective::energy}) {
    if (objective != to_string(each)) continue;
    request.aim.objective = each;
    known = true;
  }
  if (!known)
    mistakes.push_back("--objective is throughput, latency or energy, not " + text::in_quotes(objective));
  if (const auto deadline = call.value("deadline")) {
    const auto seconds = number_from(*deadline, 0.0);
    if (!seconds) mistakes.emplace_back("--deadline is a number of seconds");
    request.aim.deadline = Seconds(seconds.value_or(0.0));
  }
  const auto stages = whole_number_from(call.value("max-stages").value_or("4"));
  if (!stages || *stages < 1 || *stages > 16)
    mistakes.emplace_back("--max-stages is a whole number from 1 to 16");
  request.max_stages = stages.value_or(4);
  const std::string profit = call.value("profit").value_or("ratio");
  if (profit != "ratio" && profit != "joule") mistakes.emplace_back("--profit is ratio or joule");
  if (profit == "joule") request.profit = placement::Profit::joule;
  const std::string overhead = call.value("overhead").value_or("counted");
  if (overhead != "counted" && overhead != "ignored")
    mistakes.emplace_back("--overhead is counted or ignored");
  request.count_transfers = overhead == "counted";
  return request;
}

// The chosen ones; `exact` is among them, for the gap of the others.
std::vector<const placement::Strategy*> strategies_of(const Invocation& call,
                                                      std::vector<std::string>& mistakes) {
  const std::string name = call.value("strategy").value_or("exact");
  std::vector<const placement::Strategy*> chosen;
  std::vector<std::string> names = {"all"};
  for (const placement::Strategy& strategy : placement::strategies()) {
    names.emplace_back(strategy.name);
    if (name == "all" || name == strategy.name || std::string(strategy.name) == "exact")
      chosen.push_back(&strategy);
  }
  if (name == "all" || placement::find_strategy(name) != nullptr) return chosen;
  const std::string meant = text::nearest(name, names);
  mistakes.push_back("there is no strategy " + text::in_quotes(name) +
                     (meant.empty() ? "" : "; did you mean `" + meant + "`?"));
  return {};
}

// What makes a file that was read useless for placing.
Errors complaints_of(const config::LayerFile& file, const std::string& name,
                     const placement::Request& request) {
  Errors errors;
  const placement::Chain& chain = file.chain;
  if (chain.processors.empty()) {
    return {{name, "it names no processors, so nothing can be placed",
             "add `processors`, and `seconds` of every layer on each of them"}};
  }
  bool energies = true;
  for (std::size_t i = 0; i < chain.layers.size(); ++i) {
    bool runs = false;
    for (const auto& cost : chain.layers[i].on) {
      runs = runs || cost.has_value();
      energies = energies && (!cost || cost->energy);
    }
    if (!runs) {
      errors.push_back({name + " /layers/" + std::to_string(i), "the layer has a time on no processor",
                        "write its `seconds`: measured, not estimated"});
    }
  }
  if (request.aim.objective == placement::Objective::energy && !energies) {
    errors.push_back({name, "not every layer has an energy wherever it runs",
                      "write `joules`, or choose another objective"});
  }
  return errors;
}

// The model beside the file must be the one that the file describes.
Status check_model(const config::LayerFile& file, const fs::path& path) {
  const fs::path model = path.parent_path() / file.model;
  std::error_code failure;
  if (file.model.empty() || file.sha256.empty() || !fs::exists(model, failure)) return Done{};
  const auto bytes = runtime::read_model(model, file.sha256);
  if (!bytes) return bytes.errors();
  return Done{};
}

int none_meets(const placement::Costs& costs, const std::string& name, std::ostream& err) {
  const placement::Paths quickest(costs, {std::vector<double>(costs.processors(), 1.0), 0.0, {}});
  const double least = quickest.cost();
  const std::string hint = std::isfinite(least) ? "a frame takes " + text::to_text(least) +
                                                      " s at least, with any number of stages"
                                                : "no processors together run every layer";
  return fail({{name, "no placement meets the aim", hint}}, kExitInfeasible, err);
}

}  // namespace

int verb_place(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(place_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::vector<std::string> mistakes;
  PlacementReport report;
  report.request = placement_request(call, mistakes);
  const auto chosen = strategies_of(call, mistakes);
  if (!mistakes.empty()) return usage_error("place", mistakes, err);

  const std::string& name = call.arguments().front();
  const auto file = config::read_layer_file(name);
  if (!file) return fail(file.errors(), kExitConfig, err);
  const Errors useless = complaints_of(file.value(), name, report.request);
  if (!useless.empty()) return fail(useless, kExitConfig, err);
  const Status model = check_model(file.value(), name);
  if (!model) return fail(model.errors(), kExitConfig, err);

  const placement::Costs costs(placement::joined(file.value().chain));
  report.network = file.value().network.empty() ? fs::path(name).stem().string() : file.value().network;
  report.costs = &costs;
  for (const placement::Strategy* strategy : chosen)
    report.rows.push_back({strategy, strategy->run(costs, report.request)});
  if (report.best() == nullptr) return none_meets(costs, name, err);
  if (call.has("json")) {
    out << to_json(report).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  } else {
    print_report(report, out);
  }
  return kExitOk;
}

}  // namespace saccade::app
