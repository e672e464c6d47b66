#include "app/report/layer_report.hpp"

#include <ostream>
#include <utility>

#include "app/report/table.hpp"
#include "config/layer_file.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using vision::ChainGroup;

ordered_json layer_json(const vision::OnnxChain& chain, std::size_t k) {
  const ChainGroup& group = chain.groups[k];
  ordered_json layer = {{"name", std::to_string(k) + " " + group.operators.front()},
                        {"operators", vision::operators_text(group)},
                        {"weight_bytes", group.weight_bytes},
                        {"working_bytes", group.working_bytes},
                        {"multiply_adds", group.multiply_adds},
                        {"work", group.work}};
  if (k == 0) return layer;
  ordered_json tensors = ordered_json::array();
  for (const vision::LiveTensor& tensor : group.inputs) tensors.push_back(tensor.name);
  layer["before"] = {{"bytes", chain.bytes_before(k)}, {"tensors", std::move(tensors)}};
  return layer;
}

// Of every processor, under its name.
template <class Value>
ordered_json by_processor(const LayerMeasurement& measured, const Value& value) {
  ordered_json json = ordered_json::object();
  for (const MeasuredProcessor& processor : measured.processors)
    json[processor.id] = processor.slowdown * value(processor.times);
  return json;
}

// Of an emulated processor it is that of its job: while it waits it computes nothing.
void add_energies(const LayerMeasurement& measured, std::size_t k, ordered_json& layer) {
  ordered_json joules = ordered_json::object();
  for (const MeasuredProcessor& processor : measured.processors) {
    if (k < processor.times.energy.size() && processor.times.energy[k])
      joules[processor.id] = *processor.times.energy[k];
  }
  if (!joules.empty()) layer["joules"] = std::move(joules);
}

void add_times(const LayerMeasurement& measured, std::size_t k, ordered_json& layer) {
  layer["seconds"] = by_processor(measured, [&](const auto& times) { return times.share[k]; });
  layer["seconds_alone"] = by_processor(measured, [&](const auto& times) { return times.alone[k]; });
  layer["seconds_p99"] = by_processor(measured, [&](const auto& times) { return times.alone_p99[k]; });
  if (k > 0)
    layer["before"]["apart_seconds"] =
        by_processor(measured, [&](const auto& times) { return times.apart[k - 1]; });
}

ordered_json whole_json(const MeasuredProcessor& processor) {
  const runtime::LayerTimes& times = processor.times;
  return {{"frame_time_seconds", processor.slowdown * times.whole},
          {"frame_time_p99_seconds", processor.slowdown * times.whole_p99},
          {"layers_alone_seconds", processor.slowdown * times.sum_alone()},
          {"layers_seconds", processor.slowdown * times.sum_shares()},
          {"rounds", times.rounds}};
}

std::string microseconds(double seconds) { return short_number(seconds * 1e6); }

}  // namespace

ordered_json layers_json(const LayerSubject& subject) {
  ordered_json layers = ordered_json::array();
  for (std::size_t k = 0; k < subject.chain->groups.size(); ++k)
    layers.push_back(layer_json(*subject.chain, k));
  return {
      {"format", config::kLayerFormat}, {"network", subject.network},          {"model", subject.model},
      {"sha256", subject.sha256},       {"processors", ordered_json::array()}, {"layers", std::move(layers)}};
}

ordered_json layers_json(const LayerSubject& subject, const LayerMeasurement& measured) {
  const ordered_json bare = layers_json(subject);
  ordered_json processors = ordered_json::array(), links = ordered_json::array();
  ordered_json whole = ordered_json::object(), layers = bare["layers"];
  for (const MeasuredProcessor& processor : measured.processors) {
    processors.push_back({{"id", processor.id}});
    whole[processor.id] = whole_json(processor);
  }
  for (const MeasuredLink& link : measured.links) {
    links.push_back({{"from", measured.processors[link.from].id},
                     {"to", measured.processors[link.to].id},
                     {"fixed_seconds", link.line.fixed},
                     {"seconds_per_byte", link.line.seconds_per_byte},
                     {"residual_seconds", link.line.residual}});
  }
  for (std::size_t k = 0; k < layers.size(); ++k) {
    add_times(measured, k, layers[k]);
    add_energies(measured, k, layers[k]);
  }
  return {{"format", bare["format"]},  {"network", bare["network"]}, {"model", bare["model"]},
          {"sha256", bare["sha256"]},  {"source", measured.source},  {"processors", std::move(processors)},
          {"links", std::move(links)}, {"whole", std::move(whole)},  {"layers", std::move(layers)}};
}

void print_layers(const LayerSubject& subject, const LayerMeasurement& measured, std::ostream& out) {
  constexpr auto kRight = Table::Align::right;
  std::vector<Table::Column> columns = {{"layer", kRight}, {"bytes before", kRight}};
  for (const MeasuredProcessor& processor : measured.processors) {
    columns.push_back({processor.id + " us", kRight});
    columns.push_back({"p99", kRight});
    columns.push_back({"cut before", kRight});
  }
  columns.push_back({"operators"});
  Table table(columns);
  for (std::size_t k = 0; k < subject.chain->groups.size(); ++k) {
    std::vector<std::string> row = {std::to_string(k), std::to_string(subject.chain->bytes_before(k))};
    for (const MeasuredProcessor& processor : measured.processors) {
      row.push_back(microseconds(processor.slowdown * processor.times.alone[k]));
      row.push_back(microseconds(processor.slowdown * processor.times.alone_p99[k]));
      row.push_back(k == 0 ? "" : microseconds(processor.slowdown * processor.times.apart[k - 1]));
    }
    row.push_back(vision::operators_text(subject.chain->groups[k]));
    table.add_row(std::move(row));
  }
  table.print(out);
  for (const MeasuredProcessor& processor : measured.processors) {
    const runtime::LayerTimes& times = processor.times;
    const double f = processor.slowdown;
    out << processor.id << ": the whole network " << microseconds(f * times.whole)
        << " us a frame; its layers " << microseconds(f * times.sum_alone()) << " us one by one, "
        << microseconds(f * times.sum_shares()) << " us less what they save together (median of "
        << times.rounds << " rounds" << (f > 1.0 ? ", emulated " + short_number(f) + " times slower" : "")
        << ")\n";
  }
  for (const MeasuredLink& link : measured.links) {
    out << measured.processors[link.from].id << " to " << measured.processors[link.to].id << ": "
        << microseconds(link.line.fixed) << " us and " << microseconds(link.line.seconds_per_byte * 1e6)
        << " us a megabyte, +- " << microseconds(link.line.residual) << " us\n";
  }
}

}  // namespace saccade::app
