// The writing half of profile_io.hpp.
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "profiles/profile_io.hpp"
#include "profiles/text_file.hpp"

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

Json variant(const Variant& v) {
  Json batches = Json::object();
  for (const auto& [batch, times] : v.batch_time) batches[std::to_string(batch)] = by_processor(times);
  Json json;
  json["id"] = v.id.str();
  json["precision"] = to_string(v.precision);
  json["width"] = plain(v.width);
  json["depth"] = plain(v.depth);
  json["model"] = text(v.model);
  json["sha256"] = text(v.sha256);
  json["accuracy"] = number(v.accuracy);
  json["accuracy_images"] = plain(v.accuracy_images);
  json["frame_time_seconds"] = by_processor(v.frame_time);
  json["frame_time_p99_seconds"] = by_processor(v.frame_time_p99);
  json["batch_time_seconds"] = std::move(batches);
  json["power_watts"] = power(v.power);
  json["energy_joules_per_frame"] = number(v.energy_per_inference);
  json["memory_bytes"] = number(v.memory);
  json["load_time_seconds"] = number(v.load_time);
  json["load_time_uncached_seconds"] = number(v.load_time_uncached);
  json["load_peak_bytes"] = number(v.load_peak);
  return json;
}

}  // namespace

std::string to_json(const ProfileSet& set) {
  Json json;
  json["format"] = kProfileFormat;
  json["network"] = set.network;
  Json processors = Json::array();
  for (const ProcessorId& processor : set.device.processors) processors.push_back(processor.str());
  json["device"] = {{"name", set.device.name},
                    {"processors", std::move(processors)},
                    {"idle_power_watts", number(set.device.idle_power)}};
  json["provenance"] = {{"measured_by", set.provenance.measured_by},
                        {"engine", set.provenance.engine},
                        {"frames", plain(set.provenance.frames)},
                        {"warmup_frames", plain(set.provenance.warmup_frames)},
                        {"date", set.provenance.date},
                        {"instruction_set", set.provenance.instruction_set},
                        {"measuring_seconds", number(set.provenance.measuring)},
                        {"energy_source", set.provenance.energy_source}};
  if (set.input.size() > 0) {
    json["input"] = {
        {"width", set.input.width}, {"height", set.input.height}, {"channels", set.input.channels}};
  }
  json["labels"] = set.labels;
  json["variants"] = Json::array();
  for (const Variant& v : set.variants) json["variants"].push_back(variant(v));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_profile_set(const ProfileSet& set, const std::filesystem::path& path) {
  return write_text_file(path, to_json(set));
}

}  // namespace saccade::profiles
