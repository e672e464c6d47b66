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
#include "app/report/placement_plot.hpp"
#include "app/report/placement_report.hpp"
#include "app/verbs/place_set.hpp"
#include "app/verbs/placing.hpp"
#include "app/verbs/verbs.hpp"
#include "config/layer_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

const CommandSpec& place_spec() {
  static const CommandSpec spec{
      "place",
      "LAYERS.json|SET.json",
      "Decides which processor runs which layers of a network: finds placements by the strategies of four\n"
      "papers and exactly, and scores all of them by one evaluation. With a profile set and --layers, the\n"
      "layers of its variants as `saccade profile --layers` measured them, the network is cut, and the set\n"
      "with the variants that several processors share is written to --out. Nothing is run.",
      {{"strategy", "NAME",
        "single, two-stage, k-stage, dynamic-cut, lnt, knapsack, pipe-search, jedi, exact or all\n(default: "
        "exact)"},
       {"objective", "NAME", "throughput, latency or energy (default: throughput)"},
       {"deadline", "SECONDS", "on the latency of a frame alone"},
       {"max-stages", "N", "stages that a placement may have (default: 4)"},
       {"profit", "NAME", "of knapsack: ratio, as published, or joule (default: ratio)"},
       {"overhead", "NAME", "of lnt: transfers counted or ignored (default: counted)"},
       {"layers", "FILE", "measured layers of a variant of SET.json; may be given several times", true},
       {"columns", "N", "of --layers: placements that are kept of each variant (default: 64)"},
       {"config", "CONFIG.json",
        "of --layers: add placements until the plan of its tasks lacks none, and print the\nplan's gap to "
        "all placements"},
       {"out", "SET2.json", "of --layers: the set to write, the cut models beside it"},
       {"plot", "FOLDER", "draw the best placement, the loads and what latency costs there"},
       {"json", "", "as JSON"}},
      1,
      1,
      "Exit codes: 0 a placement was found, 3 none meets the aim, 78 the layer file cannot be used."};
  return spec;
}

}  // namespace

int verb_place(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(place_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::vector<std::string> mistakes;
  PlacementReport report;
  report.request = placement_request(call, mistakes);
  const auto chosen = strategies_of(call, mistakes);
  if (call.has("layers")) return place_set(call, report.request, chosen, mistakes, out, err);
  for (const char* option : {"columns", "config", "out"}) {
    if (call.has(option)) mistakes.push_back("--" + std::string(option) + " is for --layers");
  }
  if (!mistakes.empty()) return usage_error("place", mistakes, err);

  const std::string& name = call.arguments().front();
  const auto file = config::read_layer_file(name);
  if (!file) return fail(file.errors(), kExitConfig, err);
  Errors wrong = complaints_of(file.value(), name, report.request);
  const Status model = check_model(file.value(), name);
  if (!model) wrong.insert(wrong.end(), model.errors().begin(), model.errors().end());
  if (!wrong.empty()) return fail(wrong, kExitConfig, err);

  const placement::Costs costs(placement::joined(file.value().chain));
  report.network = file.value().network.empty() ? fs::path(name).stem().string() : file.value().network;
  report.costs = &costs;
  for (const placement::Strategy* strategy : chosen)
    report.rows.push_back({strategy, strategy->run(costs, report.request)});
  if (report.best() == nullptr) return fail({none_meets(costs, report.request, name)}, kExitInfeasible, err);
  if (const auto folder = call.value("plot")) {
    const auto note = plot_placements(report, *folder);
    if (!note) return fail(note.errors(), kExitFailed, err);
    if (!note.value().empty()) err << note.value() << '\n';
  }
  if (call.has("json")) {
    out << to_json(report).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  } else {
    print_report(report, out);
  }
  return kExitOk;
}

}  // namespace saccade::app
