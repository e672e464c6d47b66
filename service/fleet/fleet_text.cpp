#include "service/fleet/fleet_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "config/fleet_file.hpp"
#include "service/fleet/box_report.hpp"
#include "text/object_reader.hpp"
#include "text/service_url.hpp"

namespace saccade::service {
namespace {

using FleetJson = nlohmann::ordered_json;

// The library's writer calls itself for every level.
bool is_shallow(const std::string& text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      if (letter == '\\') ++i;
      if (letter == '"') quoted = false;
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == '[' || letter == '{') {
      if (++depth > text::kMaxJsonDepth) return false;
    } else if ((letter == ']' || letter == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

std::string kind_name(const FleetJson& kind) { return "k" + digest_of(kind.dump()); }

// Those that are words: what a later version writes otherwise is nothing that this one knows.
FleetJson words_of(const FleetJson& list) {
  FleetJson words = FleetJson::array();
  for (const FleetJson& each : list) {
    if (each.is_string() && text::is_id(each.get<std::string>())) words.push_back(each);
  }
  return words;
}

class TextOfFleet {
 public:
  TextOfFleet(const FleetDocuments& documents, const std::set<std::string>& profiles)
      : documents_(documents), profiles_(profiles) {}

  FleetText build() {
    for (const auto& [key, text] : documents_) {
      const std::size_t slash = key.find('/');
      const std::string kind = key.substr(0, slash);
      const std::string id = slash == std::string::npos ? std::string() : key.substr(slash + 1);
      if (kind == "policy") add_policy(key, text);
      if (kind == "report") add_box(key, id, text);
      if (kind == "camera") add_camera(key, id, text);
    }
    const FleetJson whole = {{"format", config::kFleetFormat},
                             {"policy", std::move(policy_)},
                             {"kinds", std::move(kinds_)},
                             {"boxes", std::move(boxes_)},
                             {"cameras", std::move(cameras_)}};
    built_.text = whole.dump();
    return std::move(built_);
  }

 private:
  std::optional<FleetJson> read(const std::string& key, const std::string& id, const std::string& text) {
    std::optional<FleetJson> json = text::is_id(id) ? store_json(text) : std::nullopt;
    if (!json) built_.unreadable.push_back(key);
    return json;
  }

  void add_policy(const std::string& key, const std::string& text) {
    if (std::optional<FleetJson> policy = read(key, "policy", text)) policy_ = *std::move(policy);
  }

  void add_camera(const std::string& key, const std::string& id, const std::string& text) {
    std::optional<FleetJson> camera = read(key, id, text);
    if (!camera) return;
    (*camera)["id"] = id;
    camera->erase("serving");
    cameras_.push_back(*std::move(camera));
    built_.cameras.push_back(id);
  }

  void add_box(const std::string& key, const std::string& id, const std::string& text) {
    const std::optional<FleetJson> report = read(key, id, text);
    if (!report) return;
    const auto has = [&](const char* name, FleetJson::value_t type) {
      return report->contains(name) && report->at(name).type() == type;
    };
    if (!has("processors", FleetJson::value_t::array) || !has("networks", FleetJson::value_t::object)) {
      built_.unreadable.push_back(key);
      return;
    }
    FleetJson sets = FleetJson::array();
    std::vector<std::string> digests;
    for (const FleetJson& digest : report->at("networks")) {
      if (!digest.is_string() || !profiles_.contains(digest.get<std::string>())) continue;
      digests.push_back(digest.get<std::string>());
      sets.push_back(digests.back() + ".json");
    }
    FleetJson kind = {{"processors", report->at("processors")},
                      {"limits", report->value("limits", FleetJson::object())},
                      {"idle_power_watts", report->value("idle_power_watts", FleetJson())},
                      {"profiles", std::move(sets)}};
    if (has("features", FleetJson::value_t::array)) kind["features"] = words_of(report->at("features"));
    const std::string name = kind_name(kind);
    FleetJson box = {{"id", id}, {"kind", name}, {"labels", report->value("labels", FleetJson::object())}};
    kinds_[name] = std::move(kind);
    built_.boxes_of_kind[name].push_back(id);
    built_.profiles_of_kind[name] = std::move(digests);
    if (has("livez", FleetJson::value_t::string)) built_.livez[id] = report->at("livez").get<std::string>();
    if (has("api", FleetJson::value_t::string)) {
      const std::string api = report->at("api").get<std::string>();
      if (text::is_service_url(api)) built_.api[id] = api;
    }
    configure(id, box);
    boxes_.push_back(std::move(box));
    built_.boxes.push_back(id);
  }

  void configure(const std::string& id, FleetJson& box) {
    const std::string key = "box/" + id;
    const auto configured = documents_.find(key);
    if (configured == documents_.end()) return;
    const std::optional<FleetJson> json = read(key, id, configured->second);
    if (!json) return;
    for (const std::string_view name : kKeysOfBox) {
      const std::string word(name);
      if (json->contains(word)) box[word] = json->at(word);
    }
  }

  const FleetDocuments& documents_;
  const std::set<std::string>& profiles_;
  FleetText built_;
  FleetJson policy_ = FleetJson::object();
  FleetJson kinds_ = FleetJson::object();
  FleetJson boxes_ = FleetJson::array();
  FleetJson cameras_ = FleetJson::array();
};

// "/cameras/12/fps": the words, and what follows the second.
struct Pointer {
  std::string list;
  std::string item;
  std::string below;
};
Pointer pointer_in(const std::string& where) {
  const std::size_t begin = where.find(" /");
  if (begin == std::string::npos) return {};
  const std::size_t middle = std::min(where.find('/', begin + 2), where.size());
  const std::size_t end = std::min(where.find('/', std::min(middle + 1, where.size())), where.size());
  return {where.substr(begin + 2, middle - begin - 2),
          middle < where.size() ? where.substr(middle + 1, end - middle - 1) : std::string(),
          where.substr(end)};
}

std::optional<std::size_t> index_in(const std::string& item, std::size_t size) {
  std::size_t index = 0;
  const char* const end = item.data() + item.size();
  const auto read = std::from_chars(item.data(), end, index);
  return read.ec == std::errc{} && read.ptr == end && index < size ? std::optional(index) : std::nullopt;
}

}  // namespace

std::optional<nlohmann::ordered_json> store_json(const std::string& text) {
  if (!is_shallow(text)) return std::nullopt;
  FleetJson json = FleetJson::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("format") && json.at("format") != 1) return std::nullopt;
  json.erase("format");
  return json;
}

FleetText fleet_text(const FleetDocuments& documents, const std::set<std::string>& profiles) {
  return TextOfFleet(documents, profiles).build();
}

FleetText::Place FleetText::place_of(const std::string& where, const FleetDocuments& documents) const {
  const Pointer pointer = pointer_in(where);
  Place place{{}, pointer.below};
  if (pointer.list == "cameras") {
    if (const auto index = index_in(pointer.item, cameras.size()))
      place.documents = {"camera/" + cameras[*index]};
  } else if (pointer.list == "boxes") {
    const auto index = index_in(pointer.item, boxes.size());
    if (!index) return place;
    const std::string configured = "box/" + boxes[*index];
    place.documents = {documents.contains(configured) ? configured : "report/" + boxes[*index]};
  } else if (pointer.list == "kinds" && boxes_of_kind.contains(pointer.item)) {
    const std::vector<std::string>& digests = profiles_of_kind.at(pointer.item);
    const std::string of_profiles = "/profiles/";
    if (pointer.below.starts_with(of_profiles)) {
      if (const auto index = index_in(pointer.below.substr(of_profiles.size()), digests.size()))
        place.documents = {"profiles/" + digests[*index]};
      return place;
    }
    for (const std::string& box : boxes_of_kind.at(pointer.item)) place.documents.push_back("report/" + box);
  } else if (pointer.list == "policy") {
    place.documents = {"policy"};
    place.below = (pointer.item.empty() ? "" : "/" + pointer.item) + pointer.below;
  }
  return place;
}

}  // namespace saccade::service
