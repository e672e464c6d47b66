#include "results/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

namespace saccade::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRoomForCut = 32;  // "cut":n
constexpr std::size_t kMostPresenceBytes = 16 * 1024;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Rounded to so many digits after the point, which is then all that is written.
double rounded(double number, double digits) { return std::round(number * digits) / digits; }
double six_digits(double number) { return rounded(number, 1e6); }
double pixels(float number) { return rounded(static_cast<double>(number), 10.0); }

Json box_json(const vision::Box& box) {
  return {pixels(box.x), pixels(box.y), pixels(box.width), pixels(box.height)};
}

Json object_json(const SeenObject& object) {
  return {{"label", object.label},
          {"class", object.label_index},
          {"score", rounded(object.score, 1e4)},
          {"box", box_json(object.box)},
          {"region", object.region}};
}

Json region_json(const SeenObject& region) {
  return {{"region", region.region},
          {"box", box_json(region.box)},
          {"label", region.label},
          {"class", region.label_index},
          {"score", rounded(region.score, 1e4)}};
}

std::vector<SeenObject> in_order_of_regions(std::vector<SeenObject> regions) {
  std::stable_sort(regions.begin(), regions.end(),
                   [](const SeenObject& a, const SeenObject& b) { return a.region < b.region; });
  return regions;
}

Json presence_json(const std::map<std::string, int>& presence) {
  Json json = Json::object();
  std::size_t bytes = 0;
  for (const auto& [label, count] : presence) {
    bytes += line_of(Json(label)).size() + kRoomForCut;
    if (bytes > kMostPresenceBytes) break;
    json[label] = count;
  }
  return json;
}

}  // namespace

const char* to_string(CapturedBy by) {
  return std::array{"camera", "arrival", "client"}.at(static_cast<std::size_t>(by));
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto whole = static_cast<std::time_t>(seconds.count());
  std::tm utc{};
  ::gmtime_r(&whole, &utc);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 8> part{};
  std::snprintf(part.data(), part.size(), ".%03dZ", static_cast<int>((since - seconds).count()));
  return std::string(date.data()) + part.data();
}

std::string record_of(const Result& result, const std::string& node) {
  const char* const key = result.classifies ? "regions" : "objects";
  Json json = {{"format", "saccade-result/1"},
               {"node", node},
               {"task", result.task},
               {"frame", result.frame},
               {"generation", result.generation},
               {"captured_at", utc_text(result.captured_at)},
               {"captured_by", to_string(result.captured_by)},
               {"captured_monotonic_seconds", six_digits(result.captured_monotonic_seconds)},
               {"variant", result.variant},
               {"processor", result.processor},
               {"accuracy", six_digits(result.accuracy)},
               {"relative_accuracy", six_digits(result.relative_accuracy)},
               {"size", result.width > 0 ? Json{result.width, result.height} : Json()},
               {key, Json::array()},
               {"presence", presence_json(result.presence)},
               {"latency_seconds", six_digits(result.latency_seconds)},
               {"age_seconds", six_digits(result.age_seconds)}};
  std::size_t bytes = line_of(json).size() + kRoomForCut;
  std::vector<SeenObject> regions;
  if (result.classifies) regions = in_order_of_regions(result.objects);
  const std::vector<SeenObject>& seen = result.classifies ? regions : result.objects;
  Json& list = json[key];
  for (const SeenObject& each : seen) {
    Json shown = result.classifies ? region_json(each) : object_json(each);
    bytes += line_of(shown).size() + 1;
    if (bytes > kMostRecordBytes) break;
    list.push_back(std::move(shown));
  }
  const std::size_t cut = seen.size() - list.size();
  if (cut > 0) json["cut"] = cut;
  return line_of(json);
}

}  // namespace saccade::results
