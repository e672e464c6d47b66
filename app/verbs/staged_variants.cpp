#include "app/verbs/staged_variants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "placement/evaluate.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/stages.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using placement::Column;
using placement::Placement;
using profiles::Variant;

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + text::in_quotes(name);
  return text;
}

// The variant whose model the file was made of.
std::optional<std::size_t> described(const profiles::ProfileSet& set, const config::LayerFile& file,
                                     const std::string& name, Errors& errors) {
  if (file.sha256.empty()) {
    errors.push_back({name, "it does not say which model it was measured with",
                      "measure the variant's layers: `saccade profile --layers SET.json --only VARIANT`"});
    return std::nullopt;
  }
  std::vector<std::size_t> made_of_it;
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const Variant& variant = set.variants[v];
    if (variant.sha256 == file.sha256 && variant.staging.empty() && !variant.model.empty())
      made_of_it.push_back(v);
  }
  if (made_of_it.empty()) {
    errors.push_back(
        {name, "it describes another model: none of " + set.network + "'s has the SHA-256 " + file.sha256,
         "measure the layers of a variant of this set"});
    return std::nullopt;
  }
  bool one_size = true;
  const profiles::PictureInput first = profiles::input_of(set, set.variants[made_of_it.front()]);
  for (const std::size_t v : made_of_it) {
    if (file.network == set.network + " " + set.variants[v].id.str()) return v;
    const profiles::PictureInput other = profiles::input_of(set, set.variants[v]);
    one_size = one_size && first.width == other.width && first.height == other.height;
  }
  if (one_size) return made_of_it.front();
  errors.push_back({name,
                    "several variants of " + set.network +
                        " have this model, with pictures of different "
                        "sizes, and its `network` names none of them",
                    "write set and variant, as in " +
                        text::in_quotes(set.network + " " + set.variants[made_of_it.front()].id.str())});
  return std::nullopt;
}

// Where each joined layer begins, in layers of the file.
std::vector<std::size_t> starts_of(const placement::Chain& chain) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < chain.layers.size(); ++i) {
    if (chain.boundaries[i - 1].legal) starts.push_back(i);
  }
  starts.push_back(chain.layers.size());
  return starts;
}

// Why the network has no cut where these tensors would cross.
std::string obstacle_at(const vision::OnnxChain& chain, const std::vector<std::string>& tensors) {
  for (const std::string& place : chain.unknown) {  // "after Relu: the shape of `x` is not known"
    const std::size_t reason = place.find(": ");
    for (const std::string& tensor : tensors) {
      if (reason != std::string::npos && place.find(text::in_quotes(tensor), reason) != std::string::npos)
        return place.substr(reason + 2);
    }
  }
  return "that is inside a layer";
}

std::vector<std::size_t> groups_of(const vision::OnnxChain& chain, const config::LayerFile& file,
                                   const std::vector<std::size_t>& starts, const std::string& name,
                                   Errors& errors) {
  std::map<std::vector<std::string>, std::size_t> by_tensors;
  for (std::size_t g = 1; g < chain.groups.size(); ++g) {
    std::vector<std::string> names;
    for (const vision::LiveTensor& tensor : chain.groups[g].inputs) names.push_back(tensor.name);
    by_tensors[sorted(std::move(names))] = g;
  }
  std::vector<std::size_t> groups = {0};
  for (std::size_t k = 1; k + 1 < starts.size(); ++k) {
    const std::size_t layer = starts[k];
    const std::vector<std::string>& tensors = file.tensors[layer - 1];
    const std::string where = name + " /layers/" + std::to_string(layer) + "/before";
    const auto found = by_tensors.find(sorted(tensors));
    if (tensors.empty()) {
      errors.push_back({where, "it does not say which tensors cross there", "write `tensors`"});
    } else if (found == by_tensors.end()) {
      errors.push_back(
          {where,
           "the network cannot be cut where " + listed(tensors) + " cross: " + obstacle_at(chain, tensors),
           "measure the layers again, or write \"cut\": false"});
    } else if (found->second <= groups.back()) {
      errors.push_back({where, "the cut lies before the one before it", "the layers are in another order"});
    } else {
      groups.push_back(found->second);
    }
  }
  groups.push_back(chain.groups.size());
  return groups;
}

// The period if the cut before stage k lay at another boundary.
std::optional<Seconds> period_with(const placement::Costs& costs, Placement placement, std::size_t k,
                                   std::size_t boundary) {
  if (boundary <= placement[k - 1].first || boundary >= placement[k].last) return std::nullopt;
  placement[k - 1].last = placement[k].first = boundary;
  if (!placement::complaints(costs, placement).empty()) return std::nullopt;
  return placement::evaluate(costs, placement).period;
}

// Without the tensors that cross.
profiles::Stage timed_stage(const PlacedLayers& layers, const Placement& placement, std::size_t k) {
  const placement::Costs& costs = layers.costs;
  const placement::Stage& placed = placement[k];
  const std::size_t p = placed.processor;
  profiles::Stage stage;
  stage.kind = costs.chain().processors[p].id;
  for (std::size_t copy = 1; copy < placed.copies; ++copy)
    stage.copies.push_back(costs.chain().processors[p + copy].id);
  stage.first_layer = static_cast<int>(layers.starts[placed.first]);
  stage.last_layer = static_cast<int>(layers.starts[placed.last]) - 1;
  double seconds = costs.time(p, placed.first, placed.last);
  if (k > 0) {
    const std::size_t from = placement[k - 1].processor;
    const double received = costs.receive(placed.first, from, p);
    stage.transfer = Seconds(received + costs.send(placed.first, from, p));
    seconds += received;
    stage.period_if_earlier = period_with(costs, placement, k, placed.first - 1);
    stage.period_if_later = period_with(costs, placement, k, placed.first + 1);
  }
  if (k + 1 < placement.size()) seconds += costs.send(placed.last, p, placement[k + 1].processor);
  stage.frame_time = Seconds(seconds);
  return stage;
}

void add_tensors(const PlacedLayers& layers, const Placement& placement, Variant& variant) {
  for (std::size_t k = 0; k < variant.staging.stages.size(); ++k) {
    const vision::CutModel model =
        layers.cutter.cut(layers.groups[placement[k].first], layers.groups[placement[k].last]);
    profiles::Stage& stage = variant.staging.stages[k];
    if (k > 0) stage.takes = runtime::tensor_inputs(model.inputs);
    if (k + 1 < placement.size()) stage.gives = runtime::tensor_inputs(model.outputs);
  }
}

// What the placement's model of memory has more than that of the whole network on one processor, on top of
// what was measured of the whole.
std::optional<Bytes> memory_of(const Variant& whole, const placement::Costs& costs, const Column& column) {
  if (!whole.memory) return std::nullopt;
  double placed = 0.0;
  for (const Bytes bytes : column.evaluation.memory) placed += bytes.value();
  const double alone = costs.memory(0, costs.layers());
  return *whole.memory + Bytes(std::max(placed - alone, 0.0));
}

}  // namespace

Result<PlacedLayers> placed_layers(const profiles::ProfileSet& set, config::LayerFile file,
                                   const std::string& name, Errors errors) {
  const auto with = [&](const Errors& more) {
    errors.insert(errors.end(), more.begin(), more.end());
    return errors;
  };
  const auto variant = described(set, file, name, errors);
  if (!variant) return errors;
  const fs::path model = set.directory / set.variants[*variant].model;
  const auto bytes = runtime::read_model(model, file.sha256);
  if (!bytes) return with(bytes.errors());
  vision::ChainOptions options;
  for (const auto& tensors : file.tensors)
    options.max_live_tensors = std::max(options.max_live_tensors, tensors.size());
  options.picture = profiles::input_of(set, set.variants[*variant]);
  auto cutter = vision::OnnxCutter::open(model, options);
  if (!cutter) return with(cutter.errors());
  auto starts = starts_of(file.chain);
  auto groups = groups_of(cutter.value().chain(), file, starts, name, errors);
  if (!errors.empty()) return errors;
  placement::Costs costs(placement::joined(file.chain));
  return PlacedLayers{std::move(file),   *variant,          std::move(costs),
                      std::move(starts), std::move(groups), std::move(cutter).value()};
}

bool is_new(const profiles::ProfileSet& set, const PlacedLayers& layers, const Column& column) {
  if (column.placement.size() > 1) return true;
  const auto& had = set.device.processors;
  const std::size_t p = column.placement.front().processor;
  return std::find(had.begin(), had.end(), layers.costs.chain().processors[p].id) == had.end();
}

Variant planned_variant(const profiles::ProfileSet& set, const PlacedLayers& layers, const Column& column,
                        const std::string& id) {
  const Variant& whole = set.variants[layers.variant];
  const placement::Costs& costs = layers.costs;
  const placement::Evaluation& evaluation = column.evaluation;
  Variant variant = whole;
  variant.id = VariantId(id);
  variant.frame_time.clear();
  variant.frame_time_p99.clear();
  variant.frame_time_parts.reset();
  variant.batch_time.clear();
  variant.power.reset();
  variant.energy_per_inference = evaluation.energy;
  variant.batch_energy.clear();
  variant.memory = memory_of(whole, costs, column);
  for (const placement::Stage& stage : column.placement) {
    for (std::size_t p = stage.processor; p < stage.processor + stage.copies; ++p)
      variant.frame_time[costs.chain().processors[p].id] = evaluation.load[p];
  }
  if (column.placement.size() == 1) {
    const std::size_t p = column.placement.front().processor;
    if (layers.file.whole[p]) variant.frame_time.begin()->second = *layers.file.whole[p];
    return variant;
  }
  variant.model.clear();
  variant.sha256.clear();
  variant.load_time_uncached.reset();
  for (std::size_t k = 0; k < column.placement.size(); ++k)
    variant.staging.stages.push_back(timed_stage(layers, column.placement, k));
  variant.staging.latency = evaluation.latency;
  variant.staging.max_fps = evaluation.pipelined();
  variant.staging.max_in_flight = static_cast<int>(evaluation.max_in_flight);
  return variant;
}

Variant variant_of(const profiles::ProfileSet& set, const PlacedLayers& layers, const Column& column,
                   const std::string& id) {
  Variant variant = planned_variant(set, layers, column, id);
  add_tensors(layers, column.placement, variant);
  return variant;
}

Status write_stages(const PlacedLayers& layers, const fs::path& set_folder, const std::string& names,
                    WrittenStages& written, Variant& variant) {
  std::error_code failure;
  fs::create_directories((set_folder / names).parent_path(), failure);
  const auto group_at = [&](int layer) {
    const auto start = std::find(layers.starts.begin(), layers.starts.end(), static_cast<std::size_t>(layer));
    return layers.groups[static_cast<std::size_t>(start - layers.starts.begin())];
  };
  for (profiles::Stage& stage : variant.staging.stages) {
    const std::size_t first = group_at(stage.first_layer), last = group_at(stage.last_layer + 1);
    stage.model = names + "-" + std::to_string(first) + "-" + std::to_string(last - 1) + ".onnx";
    std::string& sha256 = written[{first, last}];
    if (sha256.empty()) {  // not yet a stage of another variant
      const vision::CutModel model = layers.cutter.cut(first, last);
      if (Status done = text::write_text_file(set_folder / stage.model, model.bytes); !done) return done;
      sha256 = runtime::sha256_hex(model.bytes);
    }
    stage.sha256 = sha256;
  }
  return Done{};
}

Result<std::vector<std::size_t>> add_variants(const PlacedLayers& layers, const std::vector<Column>& columns,
                                              profiles::ProfileSet& set) {
  const std::string base = set.variants[layers.variant].id.str();
  std::vector<Variant> made;
  std::size_t number = 0;
  for (const Column& column : columns) {
    if (!is_new(set, layers, column)) continue;
    const ProcessorId& first = layers.costs.chain().processors[column.placement.front().processor].id;
    const bool staged = column.placement.size() > 1;
    const std::string suffix = staged ? "-p" + std::to_string(++number) : "-on-" + first.str();
    made.push_back(variant_of(set, layers, column, base + suffix));
  }
  for (const Variant& variant : made) {
    if (variant.id.str().size() > 64)
      return Error{base, "the names of its placements would be longer than 64 letters", "rename the variant"};
    if (set.index_of(variant.id))
      return Error{base, "the set has a variant " + text::in_quotes(variant.id.str()) + " already",
                   "place the set that was there before the placements"};
  }
  // A model of open sides is that of several variants.
  const std::string whole = layers.cutter.chain().sized ? base : fs::path(layers.file.model).stem().string();
  std::vector<std::size_t> added;
  WrittenStages written;
  for (Variant& variant : made) {
    if (!variant.staging.empty()) {
      const Status done =
          write_stages(layers, set.directory, set.network + "-stages/" + whole, written, variant);
      if (!done) return done.errors();
    }
    added.push_back(set.variants.size());
    set.variants.push_back(std::move(variant));
  }
  return added;
}

}  // namespace saccade::app
