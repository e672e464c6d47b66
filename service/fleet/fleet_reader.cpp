#include "service/fleet/fleet_reader.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/fleet_file.hpp"
#include "service/fleet/box_report.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::service {
namespace {

using FleetJson = nlohmann::ordered_json;
using fleet_store::Entry;

constexpr int kMostRounds = 8;  // of leaving out what is wrong

// An object of this format, without the mark of it.
std::optional<FleetJson> document_of(const Entry& entry) {
  FleetJson json = FleetJson::parse(entry.value, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("format") && json.at("format") != 1) return std::nullopt;
  json.erase("format");
  return json;
}

// "fleet:1 /cameras/12/fps": {"cameras", 12}.
struct FleetPlace {
  std::string list;
  std::string item;
};
FleetPlace fleet_place(const std::string& where) {
  const std::size_t begin = where.find(" /");
  if (begin == std::string::npos) return {};
  const std::size_t middle = std::min(where.find('/', begin + 2), where.size());
  const std::size_t end = std::min(where.find('/', std::min(middle + 1, where.size())), where.size());
  return {where.substr(begin + 2, middle - begin - 2),
          middle < where.size() ? where.substr(middle + 1, end - middle - 1) : std::string()};
}

std::string kind_name(const FleetJson& kind) { return "k" + digest_of(kind.dump()); }

}  // namespace

struct FleetReader::Drafted {
  struct Camera {
    std::string id;
    std::string text;  // as it is in the store
    FleetJson json;
  };
  FleetJson policy = FleetJson::object();
  FleetJson kinds = FleetJson::object();
  std::vector<FleetJson> boxes;
  std::vector<Camera> cameras;

  [[nodiscard]] std::string text() const {
    FleetJson list = FleetJson::array();
    for (const Camera& camera : cameras) list.push_back(camera.json);
    const FleetJson whole = {{"format", config::kFleetFormat},
                             {"policy", policy},
                             {"kinds", kinds},
                             {"boxes", boxes},
                             {"cameras", std::move(list)}};
    return whole.dump();
  }
};

void FleetReader::complain(const std::string& where, const std::string& what) {
  complaints_.push_back({where, what, "what was read before stays in force"});
}

void FleetReader::lay_profiles(const std::string& digest, const std::string& text) {
  if (laid_.contains(digest)) return;
  if (digest_of(text) != digest) {
    complain("profiles/" + digest, "is not what its name says");
    return;
  }
  if (text::write_text_file(folder_ / (digest + ".json"), text)) laid_.insert(digest);
}

void FleetReader::add_box(const std::string& id, const Entry& report, const Entry* box, Drafted& drafted) {
  const std::optional<FleetJson> said = document_of(report);
  const auto has = [&](const char* key, FleetJson::value_t type) {
    return said && said->contains(key) && said->at(key).type() == type;
  };
  if (!has("processors", FleetJson::value_t::array) || !has("networks", FleetJson::value_t::object)) {
    complain("report/" + id, "cannot be read");
    return;
  }
  FleetJson sets = FleetJson::array();
  for (const FleetJson& digest : said->at("networks")) {
    const bool known = digest.is_string() && laid_.contains(digest.get<std::string>());
    if (known) sets.push_back(digest.get<std::string>() + ".json");
  }
  FleetJson kind = {{"processors", said->at("processors")},
                    {"limits", said->value("limits", FleetJson::object())},
                    {"idle_power_watts", said->value("idle_power_watts", FleetJson())},
                    {"profiles", std::move(sets)}};
  const std::string name = kind_name(kind);
  FleetJson one = {{"id", id}, {"kind", name}, {"labels", said->value("labels", FleetJson::object())}};
  drafted.kinds[name] = std::move(kind);
  if (has("livez", FleetJson::value_t::string)) livez_[id] = said->at("livez").get<std::string>();
  if (const std::optional<FleetJson> configured = box == nullptr ? std::nullopt : document_of(*box)) {
    for (const char* key : {"labels", "state", "reserve", "max_cameras"}) {
      if (configured->contains(key)) one[key] = configured->at(key);
    }
  } else if (box != nullptr) {
    complain("box/" + id, "cannot be read");
  }
  drafted.boxes.push_back(std::move(one));
}

void FleetReader::gather(const std::map<std::string, Entry>& entries, Drafted& drafted) {
  const auto entry_of = [&](const std::string& key) {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  };
  for (const auto& [key, entry] : entries) {
    const fleet_store::Keys::Parts parts = keys_.parts(key);
    if (parts.kind == "profiles") lay_profiles(parts.id, entry.value);
  }
  for (const auto& [key, entry] : entries) {
    const fleet_store::Keys::Parts parts = keys_.parts(key);
    if (parts.kind == "report") {
      add_box(parts.id, entry, entry_of(keys_.box(parts.id)), drafted);
    } else if (parts.kind == "policy") {
      const std::optional<FleetJson> policy = document_of(entry);
      if (policy) drafted.policy = *policy;
      if (!policy) complain("policy", "cannot be read");
    } else if (parts.kind == "camera") {
      std::optional<FleetJson> camera = document_of(entry);
      std::string text = entry.value;
      if (!camera) {
        complain("camera/" + parts.id, "cannot be read");
        const auto good = good_cameras_.find(parts.id);
        if (good == good_cameras_.end()) continue;
        text = good->second;
        camera = document_of({"", text, 0, 0});
      }
      (*camera)["id"] = parts.id;
      camera->erase("serving");
      drafted.cameras.push_back({parts.id, std::move(text), *std::move(camera)});
    }
  }
}

// Leaves out what the complaints are about. False: nothing that can be left out.
bool FleetReader::drop(const Errors& errors, Drafted& drafted) {
  std::set<std::size_t> cameras;
  std::set<std::size_t> boxes;
  bool dropped = false;
  for (const Error& error : errors) {
    const FleetPlace place = fleet_place(error.where);
    std::size_t index = 0;
    const auto read = std::from_chars(place.item.data(), place.item.data() + place.item.size(), index);
    const bool is_index = read.ec == std::errc{};
    if (place.list == "cameras" && is_index && index < drafted.cameras.size()) {
      if (cameras.insert(index).second) complain("camera/" + drafted.cameras[index].id, error.what);
    } else if (place.list == "boxes" && is_index && index < drafted.boxes.size()) {
      if (boxes.insert(index).second)
        complain("box/" + drafted.boxes[index].at("id").get<std::string>(), error.what);
    } else if (place.list == "kinds") {
      for (std::size_t i = 0; i < drafted.boxes.size(); ++i) {
        const bool of_kind = drafted.boxes[i].at("kind") == place.item;
        if (of_kind && boxes.insert(i).second) {
          complain("report/" + drafted.boxes[i].at("id").get<std::string>(), error.what);
        }
      }
      dropped = drafted.kinds.erase(place.item) > 0 || dropped;
    } else if (place.list == "policy" && !drafted.policy.empty()) {
      complain("policy", error.what);
      drafted.policy = FleetJson::object();
      dropped = true;
    }
  }
  for (auto it = boxes.rbegin(); it != boxes.rend(); ++it) {
    drafted.boxes.erase(drafted.boxes.begin() + static_cast<std::ptrdiff_t>(*it));
  }
  for (auto it = cameras.rbegin(); it != cameras.rend(); ++it) {
    Drafted::Camera& camera = drafted.cameras[*it];
    const auto good = good_cameras_.find(camera.id);
    if (good != good_cameras_.end() && good->second != camera.text) {
      camera.text = good->second;
      camera.json = document_of({"", camera.text, 0, 0}).value_or(FleetJson::object());
      camera.json["id"] = camera.id;
    } else {
      drafted.cameras.erase(drafted.cameras.begin() + static_cast<std::ptrdiff_t>(*it));
    }
  }
  return dropped || !boxes.empty() || !cameras.empty();
}

Errors FleetReader::mistakes(std::map<std::string, Entry> entries, const std::string& kind,
                             const std::string& id, const std::string& text) {
  text::JsonReport report("#", [](std::size_t, const std::string& pointer) { return "#" + pointer; });
  const std::optional<text::JsonValue> parsed = text::parse_json(text, report);
  if (!parsed || !report.empty()) return report.errors();
  if (!text::is_id(id)) return {{"#", "the name is no id", ""}};
  const std::optional<FleetJson> json = document_of({"", text, 0, 0});
  if (!json) return {{"#", "is no object of the format 1", ""}};
  if (json->contains("id") && json->at("id") != id)
    return {{"#/id", "is another one than that of the path", ""}};
  if (kind == "box") {
    Errors errors;
    for (const auto& [key, value] : json->items()) {
      const bool known =
          key == "id" || key == "labels" || key == "state" || key == "reserve" || key == "max_cameras";
      if (!known) errors.push_back({"#/" + key, "is no key of a box", ""});
    }
    if (!errors.empty()) return errors;
  }
  const std::string key = kind == "box" ? keys_.box(id) : keys_.camera(id);
  entries[key] = {key, text, 1, 1};
  const Errors kept = std::exchange(complaints_, {});
  const std::map<std::string, std::string> known_livez = livez_;
  Drafted drafted;
  gather(entries, drafted);
  complaints_ = kept;
  livez_ = known_livez;
  const Result<config::LoadedFleet> loaded = config::parse_fleet(drafted.text(), "fleet", folder_);
  if (loaded) return {};
  std::string item = "none";
  for (std::size_t i = 0; i < drafted.cameras.size() && kind == "camera"; ++i) {
    if (drafted.cameras[i].id == id) item = std::to_string(i);
  }
  for (std::size_t i = 0; i < drafted.boxes.size() && kind == "box"; ++i) {
    if (drafted.boxes[i].at("id") == id) item = std::to_string(i);
  }
  const std::string list = kind == "box" ? "boxes" : "cameras";
  Errors errors;
  for (const Error& error : loaded.errors()) {
    const FleetPlace place = fleet_place(error.where);
    if (place.list != list || place.item != item) continue;
    const std::string above = " /" + list + "/" + item;
    errors.push_back(
        {"#" + error.where.substr(error.where.find(above) + above.size()), error.what, error.hint});
  }
  return errors;
}

std::optional<fleet_store::Configured> FleetReader::read(const std::map<std::string, Entry>& entries) {
  complaints_.clear();
  livez_.clear();
  Drafted drafted;
  gather(entries, drafted);
  for (int round = 0; round < kMostRounds && !drafted.boxes.empty(); ++round) {
    Result<config::LoadedFleet> loaded = config::parse_fleet(drafted.text(), "fleet", folder_);
    if (!loaded) {
      if (!drop(loaded.errors(), drafted)) break;
      continue;
    }
    fleet_store::Configured configured{std::move(loaded.value().problem), {}, {}};
    good_cameras_.clear();
    for (Drafted::Camera& camera : drafted.cameras) {
      good_cameras_[camera.id] = camera.text;
      configured.tasks.emplace(TaskId(camera.id), std::move(camera.text));
    }
    for (const fleet::Box& box : configured.problem.boxes) {
      if (!livez_.contains(box.id.str())) configured.mute.insert(box.id);
    }
    return configured;
  }
  return std::nullopt;
}

}  // namespace saccade::service
