#include "service/fleet/fleet_preview.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace saccade::service {
namespace {

using PreviewJson = nlohmann::ordered_json;

PreviewJson application_json(const FleetApplication& application, std::int64_t revision) {
  PreviewJson documents = PreviewJson::array();
  for (std::size_t i = 0; i < application.documents.size(); ++i) {
    documents.push_back(
        {{"key", application.documents[i].key}, {"change", application.fresh[i] ? "new" : "changed"}});
  }
  return {{"revision", revision}, {"documents", std::move(documents)}, {"same", application.same}};
}

PreviewJson side_json(const fleet::Forecast& side) {
  return {{"cameras", side.demanded},
          {"served", side.cameras.size()},
          {"relative_accuracy", side.accuracy},
          {"value", side.value},
          {"bound", side.bound},
          {"boxes", side.boxes.size()},
          {"boxes_survived", side.survived}};
}

PreviewJson box_name(const std::optional<fleet::BoxId>& box) {
  return box ? PreviewJson(box->str()) : PreviewJson();
}

std::string preview_dump(const PreviewJson& json) {
  return json.dump(1, ' ', false, PreviewJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string application_text(const FleetApplication& application, std::int64_t revision) {
  return preview_dump(application_json(application, revision));
}

std::string preview_text(const FleetApplication& application, std::int64_t revision,
                         const fleet::Preview& preview) {
  PreviewJson json = application_json(application, revision);
  json["before"] = side_json(preview.before);
  json["after"] = side_json(preview.after);
  PreviewJson moved = PreviewJson::array();
  for (const fleet::Preview::Moved& each : preview.moved) {
    PreviewJson one = {
        {"camera", each.camera.str()}, {"from", box_name(each.from)}, {"to", box_name(each.to)}};
    if (!each.why.empty()) one["reason"] = each.why;
    moved.push_back(std::move(one));
  }
  json["moved"] = std::move(moved);
  return preview_dump(json);
}

}  // namespace saccade::service
