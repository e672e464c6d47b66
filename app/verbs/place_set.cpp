#include "app/verbs/place_set.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "app/report/placement_plot.hpp"
#include "app/report/placement_report.hpp"
#include "app/report/table.hpp"
#include "app/verbs/place_pricing.hpp"
#include "app/verbs/placing.hpp"
#include "app/verbs/profile_subject.hpp"
#include "app/verbs/staged_variants.hpp"
#include "profiles/profile_io.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using placement::Column;

struct PlaceSetRequest {
  placement::Request placement;
  placement::ColumnOptions columns;
  std::string out;
};

PlaceSetRequest place_set_request(const Invocation& call, const placement::Request& placement,
                                  std::vector<std::string>& mistakes) {
  PlaceSetRequest request{placement, {}, call.value("out").value_or("")};
  const auto most = whole_number_from(call.value("columns").value_or("64"));
  if (!most || *most < 1 || *most > 4096) mistakes.emplace_back("--columns is a whole number from 1 to 4096");
  request.columns.most = most.value_or(64);
  request.columns.max_stages = placement.max_stages;
  if (request.out.empty()) mistakes.emplace_back("--layers wants --out SET2.json, the set to write");
  return request;
}

// All layer files that can be used with the set, or everything that is wrong with them.
Result<std::vector<PlacedLayers>> read_layers(const std::vector<std::string>& names,
                                              const profiles::ProfileSet& set,
                                              const placement::Request& request) {
  Errors errors;
  std::vector<PlacedLayers> all;
  const auto add = [&](const Errors& more) { errors.insert(errors.end(), more.begin(), more.end()); };
  for (const std::string& name : names) {
    auto file = config::read_layer_file(name);
    if (!file) {
      add(file.errors());
      continue;
    }
    Errors useless = complaints_of(file.value(), name, request);
    auto placed = placed_layers(set, std::move(file).value(), name, std::move(useless));
    if (!placed) {
      add(placed.errors());
      continue;
    }
    const bool twice = std::any_of(all.begin(), all.end(), [&](const PlacedLayers& other) {
      return other.variant == placed.value().variant;
    });
    if (twice) {
      add({{name, "another file has the layers of this variant already", "give one of them"}});
    } else {
      all.push_back(std::move(placed).value());
    }
  }
  if (!errors.empty()) return errors;
  return all;
}

// What is wrong with the layer files by themselves, whatever set they belong to.
Errors mistakes_in(const std::vector<std::string>& names, const placement::Request& request) {
  Errors errors;
  for (const std::string& name : names) {
    const auto file = config::read_layer_file(name);
    const Errors more = file ? complaints_of(file.value(), name, request) : file.errors();
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

// The start set, without placements that miss the deadline.
std::vector<Column> columns_of(const placement::Costs& costs, const PlaceSetRequest& request) {
  std::vector<Column> columns = placement::start_set(costs, request.columns);
  const auto& deadline = request.placement.aim.deadline;
  std::erase_if(columns,
                [&](const Column& column) { return deadline && column.evaluation.latency > *deadline; });
  return columns;
}

PlacementReport report_of(const PlacedLayers& layers, const profiles::ProfileSet& set,
                          const placement::Request& request,
                          const std::vector<const placement::Strategy*>& strategies) {
  PlacementReport report;
  report.network = set.network + " " + set.variants[layers.variant].id.str();
  report.costs = &layers.costs;
  report.request = request;
  for (const placement::Strategy* strategy : strategies)
    report.rows.push_back({strategy, strategy->run(layers.costs, request)});
  return report;
}

void add_processors(const PlacedLayers& layers, profiles::Device& device) {
  for (const placement::Processor& processor : layers.costs.chain().processors) {
    const bool known = std::find(device.processors.begin(), device.processors.end(), processor.id) !=
                       device.processors.end();
    if (!known) device.processors.push_back(processor.id);
  }
}

std::string stages_text(const profiles::Variant& variant) {
  if (variant.staging.empty()) return variant.frame_time.begin()->first.str() + " alone";
  std::string text;
  for (const profiles::Stage& stage : variant.staging.stages) {
    text += (text.empty() ? "" : ", ") + stage.places() + " " + std::to_string(stage.first_layer) + "-" +
            std::to_string(stage.last_layer);
  }
  return text;
}

double rate_of(const profiles::Variant& variant) {
  return variant.staging.empty() ? 1.0 / variant.frame_time.begin()->second.value()
                                 : variant.staging.max_fps.value();
}

double latency_of(const profiles::Variant& variant) {
  return variant.staging.empty() ? variant.frame_time.begin()->second.value()
                                 : variant.staging.latency.value();
}

void print_variants(const profiles::ProfileSet& set, const std::vector<std::size_t>& added,
                    std::ostream& out) {
  constexpr auto kRight = Table::Align::right;
  Table table({{"variant"}, {"fps", kRight}, {"latency ms", kRight}, {"in flight", kRight}, {"stages"}});
  for (const std::size_t v : added) {
    const profiles::Variant& variant = set.variants[v];
    table.add_row({variant.id.str(), short_number(rate_of(variant)), short_number(1e3 * latency_of(variant)),
                   std::to_string(variant.staging.empty() ? 1 : variant.staging.max_in_flight),
                   stages_text(variant)});
  }
  table.print(out);
}

ordered_json variants_json(const profiles::ProfileSet& set, const std::vector<std::size_t>& added) {
  ordered_json list = ordered_json::array();
  for (const std::size_t v : added) {
    const profiles::Variant& variant = set.variants[v];
    list.push_back({{"id", variant.id.str()},
                    {"max_fps", rate_of(variant)},
                    {"latency_seconds", latency_of(variant)},
                    {"stages", variant.staging.stages.size()},
                    {"placement", stages_text(variant)}});
  }
  return list;
}

// The columns of each layer file, with those that the configuration's plan lacks; nothing of the set is
// written yet. `exit_code`: of a failure that was reported.
struct Placed {
  std::vector<std::vector<Column>> columns;
  std::optional<PlacePricing> priced;
};
std::optional<Placed> place_columns(const std::vector<PlacedLayers>& layers, const profiles::ProfileSet& set,
                                    const PlaceSetRequest& request, const std::optional<std::string>& config,
                                    int& exit_code, std::ostream& err) {
  Placed placed;
  Errors unmet;
  for (const PlacedLayers& each : layers) {
    placed.columns.push_back(columns_of(each.costs, request));
    if (placed.columns.back().empty())
      unmet.push_back(none_meets(each.costs, request.placement, set.variants[each.variant].id.str()));
  }
  if (!unmet.empty()) {
    exit_code = fail(unmet, kExitInfeasible, err);
    return std::nullopt;
  }
  if (!config) return placed;
  auto priced = price_for(*config, set, layers, placed.columns);
  if (!priced) {
    exit_code = fail(priced.errors(), kExitConfig, err);
    return std::nullopt;
  }
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const std::vector<Column>& more = priced.value().pricing.added[k];
    placed.columns[k].insert(placed.columns[k].end(), more.begin(), more.end());
  }
  placed.priced = std::move(priced).value();
  return placed;
}

// The set with the variants of the columns, written and read again; the indices of what was added.
Result<std::vector<std::size_t>> write_set(const std::vector<PlacedLayers>& layers, const Placed& placed,
                                           const std::string& path, profiles::ProfileSet& set) {
  if (const Status moved = move_to(path, set); !moved) return moved.errors();
  std::vector<std::size_t> added;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const auto more = add_variants(layers[k], placed.columns[k], set);
    if (!more) return more.errors();
    added.insert(added.end(), more.value().begin(), more.value().end());
  }
  for (const PlacedLayers& each : layers) add_processors(each, set.device);
  if (const Status written = profiles::write_profile_set(set, path); !written) return written.errors();
  if (const auto back = profiles::read_profile_set(path); !back) return back.errors();
  return added;
}

}  // namespace

int place_set(const Invocation& call, const placement::Request& placement,
              const std::vector<const placement::Strategy*>& strategies, std::vector<std::string> mistakes,
              std::ostream& out, std::ostream& err) {
  const PlaceSetRequest request = place_set_request(call, placement, mistakes);
  if (!mistakes.empty()) return usage_error("place", mistakes, err);
  auto read = profiles::read_profile_set(call.arguments().front());
  if (!read) {
    Errors errors = read.errors();
    const Errors more = mistakes_in(call.values("layers"), placement);
    errors.insert(errors.end(), more.begin(), more.end());
    return fail(errors, kExitConfig, err);
  }
  profiles::ProfileSet set = std::move(read).value();
  const auto layers = read_layers(call.values("layers"), set, placement);
  if (!layers) return fail(layers.errors(), kExitConfig, err);
  int exit_code = kExitOk;
  const auto placed = place_columns(layers.value(), set, request, call.value("config"), exit_code, err);
  if (!placed) return exit_code;
  const auto added = write_set(layers.value(), *placed, request.out, set);
  if (!added) return fail(added.errors(), kExitFailed, err);

  ordered_json reports = ordered_json::array();
  for (const PlacedLayers& each : layers.value()) {
    const PlacementReport report = report_of(each, set, placement, strategies);
    reports.push_back(to_json(report));
    if (const auto folder = call.value("plot")) {
      const auto note = plot_placements(report, *folder);
      if (!note) return fail(note.errors(), kExitFailed, err);
      if (!note.value().empty()) err << note.value() << '\n';
    }
    if (!call.has("json")) print_report(report, out);
  }
  if (call.has("json")) {
    ordered_json json = {
        {"file", request.out}, {"variants", variants_json(set, added.value())}, {"networks", reports}};
    if (placed->priced) json["pricing"] = to_json(*placed->priced);
    out << json.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
    return kExitOk;
  }
  out << '\n';
  print_variants(set, added.value(), out);
  if (placed->priced) print_pricing(*placed->priced, out);
  out << "written to " << request.out << '\n';
  return kExitOk;
}

}  // namespace saccade::app
