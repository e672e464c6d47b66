// The writing half of profile_io.hpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "profiles/interface_io.hpp"
#include "profiles/profile_io.hpp"
#include "text/json_text.hpp"
#include "text/text_file.hpp"

namespace saccade::profiles {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers without ".0", as people write bytes.
Json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

template <class Tag>
Json number(const std::optional<Quantity<Tag>>& value) {
  return value ? number(value->value()) : Json();
}

template <class T>
Json plain(const std::optional<T>& value) {
  return value ? Json(number(*value)) : Json();
}

Json text(const std::string& value) { return value.empty() ? Json() : Json(value); }

template <class Measure>
Json by_processor(const std::map<ProcessorId, Measure>& measures) {
  Json object = Json::object();
  for (const auto& [processor, measure] : measures) object[processor.str()] = number(measure.value());
  return object;
}

Json power(const std::optional<Power>& power) {
  if (!power) return nullptr;
  return power->device ? number(power->device->value()) : by_processor(power->by_processor);
}

Json document(const text::JsonValue& value) { return Json::parse(text::write_json(value, -1)); }

Json provenance(const Provenance& p, bool second) {
  Json json = {{"measured_by", p.measured_by},
               {"engine", p.engine},
               {"frames", plain(p.frames)},
               {"warmup_frames", plain(p.warmup_frames)},
               {"date", p.date},
               {"instruction_set", p.instruction_set},
               {"measuring_seconds", number(p.measuring)},
               {"energy_source", p.energy_source}};
  if (!p.provider.empty()) json["provider"] = p.provider;
  if (!p.provider_options.empty()) json["provider_options"] = p.provider_options;
  if (!second) return json;
  if (p.accuracy_source) json["accuracy_source"] = to_string(*p.accuracy_source);
  if (!p.accuracy_data.empty()) json["accuracy_data"] = p.accuracy_data;
  if (!p.read_from.empty()) json["read_from"] = p.read_from;
  if (!p.guessed.empty()) json["guessed"] = p.guessed;
  return json;
}

// The interface of a set, with its size.
ModelInterface whole_interface(const ProfileSet& set) { return interface_of(set, Variant{}); }

// Whether the numbers of the input and the metric say all of it.
bool is_plain(const ProfileSet& set) {
  const ModelInterface whole = whole_interface(set);
  ModelInterface plain = plain_interface(set.input);
  plain.metric = whole.metric;
  return whole == plain && std::none_of(set.variants.begin(), set.variants.end(), [&](const Variant& v) {
           return v.interface && *v.interface != whole;
         });
}

bool needs_format_2(const ProfileSet& set) {
  const Provenance& p = set.provenance;
  const auto variant_needs = [](const Variant& v) {
    return !v.staging.empty() || v.accuracy_interval || !v.accuracy_known || v.frame_time.empty();
  };
  return !is_plain(set) || has_foreign_metric(set.interface) || p.accuracy_source ||
         !p.accuracy_data.empty() || !p.read_from.empty() || !p.guessed.empty() ||
         std::any_of(set.variants.begin(), set.variants.end(), variant_needs);
}

Json tensors(const std::vector<StageTensor>& list) {
  Json json = Json::array();
  for (const StageTensor& tensor : list)
    json.push_back({{"name", tensor.name}, {"type", to_string(tensor.type)}, {"shape", tensor.shape}});
  return json;
}

void add_stages(const Staging& staging, Json& json) {
  if (staging.empty()) return;
  Json list = Json::array();
  for (const Stage& stage : staging.stages) {
    Json item = {{"kind", stage.kind.str()},
                 {"unit", 0},
                 {"model", text(stage.model)},
                 {"sha256", text(stage.sha256)},
                 {"layers", {stage.first_layer, stage.last_layer}},
                 {"frame_time_seconds", number(stage.frame_time.value())},
                 {"transfer_seconds", number(stage.transfer.value())}};
    for (const ProcessorId& copy : stage.copies) item["copies"].push_back(copy.str());
    if (!stage.takes.empty()) item["takes"] = tensors(stage.takes);
    if (!stage.gives.empty()) item["gives"] = tensors(stage.gives);
    if (stage.period_if_earlier) item["period_if_earlier_seconds"] = number(stage.period_if_earlier);
    if (stage.period_if_later) item["period_if_later_seconds"] = number(stage.period_if_later);
    list.push_back(std::move(item));
  }
  json["stages"] = std::move(list);
  json["latency_seconds"] = number(staging.latency.value());
  json["max_fps"] = number(staging.max_fps.value());
  json["max_in_flight"] = staging.max_in_flight;
}

Json variant(const Variant& v, const ModelInterface& base) {
  Json batches = Json::object();
  for (const auto& [batch, times] : v.batch_time) batches[std::to_string(batch)] = by_processor(times);
  Json json;
  json["id"] = v.id.str();
  json["precision"] = to_string(v.precision);
  json["width"] = plain(v.width);
  json["depth"] = plain(v.depth);
  json["model"] = text(v.model);
  json["sha256"] = text(v.sha256);
  if (v.interface) {
    const InterfaceOverrides own = overrides_of(*v.interface, base);
    if (!own.input.members.empty()) json["input"] = document(own.input);
    if (!own.decoder.members.empty()) json["decoder"] = document(own.decoder);
  }
  json["accuracy"] = v.accuracy_known ? number(v.accuracy) : Json();
  json["accuracy_images"] = plain(v.accuracy_images);
  if (v.accuracy_interval)
    json["accuracy_interval"] = {number(v.accuracy_interval->first), number(v.accuracy_interval->second)};
  json["frame_time_seconds"] = v.frame_time.empty() ? Json() : by_processor(v.frame_time);
  json["frame_time_p99_seconds"] = by_processor(v.frame_time_p99);
  if (const auto& parts = v.frame_time_parts) {
    json["frame_time_parts_seconds"] = {{"prepare", number(parts->prepare.value())},
                                        {"infer", number(parts->infer.value())},
                                        {"decode", number(parts->decode.value())}};
  }
  json["batch_time_seconds"] = std::move(batches);
  json["power_watts"] = power(v.power);
  json["energy_joules_per_frame"] = number(v.energy_per_inference);
  for (const auto& [batch, energy] : v.batch_energy)
    json["batch_energy_joules"][std::to_string(batch)] = number(energy.value());
  json["memory_bytes"] = number(v.memory);
  json["load_time_seconds"] = number(v.load_time);
  json["load_time_uncached_seconds"] = number(v.load_time_uncached);
  json["load_peak_bytes"] = number(v.load_peak);
  if (v.device_memory) json["device_memory_bytes"] = number(v.device_memory);
  if (v.device_load_peak) json["device_load_peak_bytes"] = number(v.device_load_peak);
  add_stages(v.staging, json);
  return json;
}

}  // namespace

std::string to_json(const ProfileSet& set) {
  Json json;
  const bool second = needs_format_2(set);
  json["format"] = second ? kProfileFormat2 : kProfileFormat1;
  json["network"] = set.network;
  Json processors = Json::array();
  for (const ProcessorId& processor : set.device.processors) processors.push_back(processor.str());
  json["device"] = {{"name", set.device.name}, {"processors", std::move(processors)}};
  for (const auto& [processor, threads] : set.device.threads) {
    json["device"]["threads"][processor.str()] = threads;
  }
  json["device"]["idle_power_watts"] = number(set.device.idle_power);
  json["provenance"] = provenance(set.provenance, second);
  const ModelInterface interface = whole_interface(set);
  if (!is_plain(set)) {
    json["interface"] = document(to_document(interface));
  } else if (set.input.size() > 0) {
    json["input"] = {
        {"width", set.input.width}, {"height", set.input.height}, {"channels", set.input.channels}};
  }
  if (has_foreign_metric(set.interface)) json["metric"] = set.interface.metric;
  json["labels"] = set.labels;
  json["variants"] = Json::array();
  for (const Variant& v : set.variants) json["variants"].push_back(variant(v, interface));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_profile_set(const ProfileSet& set, const std::filesystem::path& path) {
  return text::write_text_file(path, to_json(set));
}

}  // namespace saccade::profiles
