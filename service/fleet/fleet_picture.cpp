#include "service/fleet/fleet_picture.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "fleet/control/planner.hpp"
#include "fleet/control/view.hpp"
#include "service/fleet/fleet_text.hpp"
#include "service/fleet/planner_metrics.hpp"

namespace saccade::service {
namespace {

using ShownJson = nlohmann::ordered_json;
using fleet::BoxId;

std::string shown_text(const ShownJson& json) {
  return json.dump(1, ' ', false, ShownJson::error_handler_t::replace) + "\n";
}

// One reading, and what follows from it.
class Painter {
 public:
  Painter(const fleet_store::PlannerLink& link, const PlannerFacts& facts)
      : view_(link.view()),
        link_(link),
        facts_(facts),
        keys_(facts.fleet),
        where_(fleet::whereabouts(link.view().assigned)) {
    for (const auto& [box, held] : view_.assigned) {
      for (const fleet::StandbyCamera& each : held.document.standby) standby_.emplace(each.id, box);
    }
  }

  FleetPicture paint() {
    FleetPicture picture;
    ShownJson boxes = ShownJson::array();
    for (const fleet::Box& box : view_.problem.boxes) {
      ShownJson one = box_json(box);
      picture.box[box.id.str()] = item(one, keys_.box(box.id.str()));
      boxes.push_back(std::move(one));
    }
    ShownJson cameras = ShownJson::array();
    for (const fleet::Camera& camera : view_.problem.cameras) {
      ShownJson one = camera_json(camera);
      picture.camera[camera.task.id.str()] = item(one, keys_.camera(camera.task.id.str()));
      cameras.push_back(std::move(one));
    }
    picture.boxes = shown_text({{"boxes", std::move(boxes)}});
    picture.cameras = shown_text({{"cameras", std::move(cameras)}});
    picture.plan = shown_text(plan_json());
    picture.status = shown_text(status_json());
    picture.policy = policy_item();
    picture.moves = facts_.chronicle == nullptr ? "{\"moves\": []}\n" : facts_.chronicle->moves();
    picture.metrics = metrics();
    picture.connected = facts_.connected;
    for (const auto& [status, count] : cameras_) {
      if (status != "serving" && status != "idle") picture.unserved += static_cast<std::size_t>(count);
    }
    picture.ready_detail = facts_.connected ? (link_.leading() ? "leads" : "stands by") : facts_.fault;
    return picture;
  }

 private:
  // With the document that is configured, as it is in the store.
  [[nodiscard]] FleetShown item(ShownJson shown, const std::string& key) const {
    const auto entry = link_.session().mirror().find(key);
    if (entry == link_.session().mirror().end()) return {shown_text(shown), ""};
    std::optional<ShownJson> configured = store_json(entry->second.value);
    if (configured) (*configured)["format"] = 1;
    shown["configured"] = configured ? *std::move(configured) : ShownJson();
    return {shown_text(shown), "\"" + std::to_string(entry->second.changed) + "\""};
  }

  // What is expected of a box or camera; null: nothing is known.
  [[nodiscard]] const fleet::Forecast* forecast() const {
    return link_.planner() == nullptr ? nullptr : link_.planner()->figures().forecast.get();
  }

  ShownJson box_json(const fleet::Box& box) {
    const std::string health = health_of(link_, box.id);
    ++boxes_[health];
    const auto assigned = view_.assigned.find(box.id);
    const std::size_t cameras =
        assigned == view_.assigned.end() ? 0 : assigned->second.document.cameras.size();
    std::size_t serving = 0;
    const auto state = view_.states.find(box.id);
    if (state != view_.states.end()) {
      for (const fleet::CameraState& camera : state->second.document.cameras) {
        serving += camera.status == fleet::CameraStatus::serving ? 1 : 0;
      }
    }
    const std::size_t standby =
        assigned == view_.assigned.end() ? 0 : assigned->second.document.standby.size();
    const std::size_t ready = state == view_.states.end() ? 0 : state->second.document.standby.size();
    const bool drained = box.state == fleet::BoxState::draining && cameras == 0;
    const bool held = link_.planner() != nullptr && link_.planner()->judge().held(box.id);
    held_ = held_ || held;
    ShownJson networks = ShownJson::array();
    for (const auto& [network, set] : box.profiles) networks.push_back(network);
    ShownJson json = {{"id", box.id.str()},   {"state", drained ? "drained" : to_string(box.state)},
                      {"health", health},     {"held", held},
                      {"labels", box.labels}, {"cameras", cameras},
                      {"serving", serving},   {"standby", standby},
                      {"ready", ready},       {"networks", networks}};
    const auto api = view_.apis.find(box.id);
    json["api"] = api == view_.apis.end() ? ShownJson() : ShownJson(api->second);
    json["load"] = nullptr;
    json["survives"] = nullptr;
    if (forecast() == nullptr || !forecast()->boxes.contains(box.id)) return json;
    const fleet::Forecast::OfBox& expected = forecast()->boxes.at(box.id);
    json["load"] = {{"time", expected.time}, {"memory", expected.memory}, {"energy", expected.energy}};
    json["survives"] = expected.survives;
    return json;
  }

  ShownJson camera_json(const fleet::Camera& camera) {
    const TaskId& id = camera.task.id;
    ShownJson json = {{"id", id.str()},       {"network", camera.network},
                      {"box", nullptr},       {"epoch", nullptr},
                      {"status", "off"},      {"reason", nullptr},
                      {"moves_to", nullptr},  {"exclusive", camera.exclusive},
                      {"since", nullptr},     {"expected", nullptr},
                      {"pinned_to", nullptr}, {"standby", standby_json(camera)}};
    if (const auto pin = view_.pins.find(id); pin != view_.pins.end()) json["pinned_to"] = pin->second.str();
    const auto at = where_.cameras.find(id);
    if (at != where_.cameras.end()) {
      if (at->second.take_over && at->second.serve) json["moves_to"] = at->second.take_over->box.str();
      const auto& here = at->second.serve ? at->second.serve : at->second.take_over;
      json["box"] = here->box.str();
      json["epoch"] = here->epoch;
      json["cause"] = to_string(here->cause);
      if (facts_.chronicle != nullptr && at->second.serve) {
        if (const auto since = facts_.chronicle->since(id)) json["since"] = *since;
      }
      json["expected"] = expected_json(id, here->box);
      const fleet::CameraState* state = fleet::state_of(view_, here->box, id, here->epoch);
      json["status"] = state == nullptr                                ? "starting"
                       : state->status == fleet::CameraStatus::serving ? "serving"
                       : state->status == fleet::CameraStatus::failed  ? "failed"
                                                                       : "starting";
      if (state != nullptr && !state->reason.empty()) json["reason"] = state->reason;
      if (health_of(link_, here->box) == "lost") json["status"] = "lost";
    }
    if (json["status"] == "off" && !camera.task.active()) json["status"] = "idle";
    ++cameras_[json["status"].get<std::string>()];
    return json;
  }

  // The box that keeps an engine ready for it; null: it has no `standby`, or there is no backup box.
  ShownJson standby_json(const fleet::Camera& camera) {
    if (!camera.where.standby) return nullptr;
    const auto found = standby_.find(camera.task.id);
    if (found == standby_.end()) {
      ++standbys_["none"];
      return nullptr;
    }
    const auto state = view_.states.find(found->second);
    const bool alive = health_of(link_, found->second) == "alive";
    const bool ready = alive && state != view_.states.end() &&
                       std::binary_search(state->second.document.standby.begin(),
                                          state->second.document.standby.end(), camera.task.id);
    ++standbys_[ready ? "ready" : "waiting"];
    return {{"box", found->second.str()}, {"ready", ready}};
  }

  [[nodiscard]] ShownJson expected_json(const TaskId& camera, const BoxId& box) const {
    if (forecast() == nullptr) return nullptr;
    const auto found = forecast()->cameras.find(camera);
    if (found == forecast()->cameras.end() || found->second.box != box) return nullptr;
    return {{"variant", found->second.variant.str()},
            {"fps", found->second.rate.value()},
            {"relative_accuracy", found->second.accuracy}};
  }

  [[nodiscard]] FleetShown policy_item() const {
    const fleet::FleetPolicy& policy = view_.problem.policy;
    return item({{"objective", to_string(policy.objective)},
                 {"moving_cost", policy.moving_cost},
                 {"most_moves", policy.most_moves ? ShownJson(*policy.most_moves) : ShownJson()},
                 {"survive", to_string(policy.survive)},
                 {"moves_per_hour", policy.moves_per_hour},
                 {"handover_seconds", policy.handover.value()},
                 {"lease_seconds", policy.lease.value()},
                 {"settle_seconds", policy.settle.value()},
                 {"brake_share", policy.brake_share},
                 {"brake_exempt_priority",
                  policy.brake_exempt_priority ? ShownJson(*policy.brake_exempt_priority) : ShownJson()},
                 {"configured", nullptr}},
                keys_.policy());
  }

  [[nodiscard]] ShownJson plan_json() const {
    ShownJson json = {{"number", view_.plan.document.number},
                      {"term", view_.plan.document.term},
                      {"last_epoch", view_.plan.document.last_epoch},
                      {"exclusive_between_boxes", view_.plan.document.released.size()}};
    if (const fleet::Planner* planner = link_.planner()) {
      const fleet::PlannerFigures& figures = planner->figures();
      json["value"] = figures.value;
      json["bound"] = figures.bound;
      json["rounds"] = figures.rounds;
      json["moves"] = figures.moves;
      json["moves_withdrawn"] = figures.withdrawn;
      json["failovers"] = figures.failovers;
      if (figures.forecast) {
        json["relative_accuracy"] = figures.forecast->accuracy;
        json["boxes_that_serve"] = figures.forecast->boxes.size();
        json["boxes_survived"] = figures.forecast->survived;
      }
    }
    return json;
  }

  [[nodiscard]] ShownJson status_json() const {
    ShownJson complaints = ShownJson::array();
    for (const Error& error : facts_.complaints)
      complaints.push_back({{"key", error.where}, {"detail", error.what}});
    return {{"fleet", facts_.fleet},
            {"planner", facts_.planner},
            {"leads", link_.leading()},
            {"store",
             {{"connected", facts_.connected}, {"fault", facts_.fault}, {"term", link_.session().term()}}},
            {"brake", held_},
            {"boxes", boxes_},
            {"cameras", cameras_},
            {"standby", standbys_},
            {"plan", plan_json()},
            {"unreadable_documents", link_.unreadable()},
            {"complaints", std::move(complaints)}};
  }

  // A family of one gauge per state.
  static void put_states(MetricsText& text, const std::string& name, const char* help,
                         const std::vector<std::string>& states, const std::map<std::string, int>& counts) {
    text.family(name, "gauge", help);
    for (const std::string& state : states) {
      const auto found = counts.find(state);
      text.sample(name + "{state=\"" + state + "\"}", found == counts.end() ? 0.0 : found->second);
    }
  }

  [[nodiscard]] std::string metrics() const {
    MetricsText text;
    put_states(text, "boxes", "Boxes, by whether they live.", {"alive", "silent", "detached", "lost"},
               boxes_);
    put_states(text, "cameras", "Cameras, by what is served of them.",
               {"serving", "starting", "failed", "lost", "off", "idle"}, cameras_);
    text.family("unserved_seconds_total", "counter", "Seconds that cameras were demanded and not served.");
    text.sample("unserved_seconds_total", facts_.unserved_seconds);
    put_states(text, "standby_cameras", "Cameras with `standby`, by whether a box keeps an engine ready.",
               {"ready", "waiting", "none"}, standbys_);
    text.gauge("store_up", "1 while the store answers.", facts_.connected ? 1 : 0);
    text.gauge("leader", "1 while this planner leads.", link_.leading() ? 1 : 0);
    text.gauge("term", "Term of the plan that is in the store.",
               static_cast<double>(view_.plan.document.term));
    text.gauge("unreadable_documents", "Documents of the store that are not in force as they are.",
               static_cast<double>(facts_.complaints.size()));
    text.gauge("brake", "1 while losses are held until an operator releases them.", held_ ? 1 : 0);
    if (link_.planner() != nullptr) put_figures(text, link_.planner()->figures());
    if (facts_.times != nullptr) put_times(text, *facts_.times);
    return text.take();
  }

  static void put_figures(MetricsText& text, const fleet::PlannerFigures& figures) {
    text.gauge("plan_value", "Value of the last plan of this leader.", figures.value);
    text.gauge("plan_bound", "What no plan could exceed.", figures.bound);
    if (figures.value > 0.0) {
      text.gauge("plan_gap_ratio", "What the last plan may be missing at most, of its value.",
                 std::max(figures.bound - figures.value, 0.0) / figures.value);
    }
    if (const fleet::Forecast* expected = figures.forecast.get()) {
      text.gauge("survivable_boxes", "Boxes whose loss is certified to cost no demand.",
                 static_cast<double>(expected->survived));
      text.gauge("uncertified_boxes", "Boxes that serve and whose loss may cost demand.",
                 static_cast<double>(expected->boxes.size() - expected->survived));
      text.gauge("relative_accuracy", "Expected relative accuracy of all that is demanded.",
                 expected->accuracy);
    }
    text.family("moves_total", "counter", "Cameras that were moved by this leader.");
    text.sample("moves_total{reason=\"plan\",result=\"begun\"}", static_cast<double>(figures.moves));
    text.sample("moves_total{reason=\"plan\",result=\"withdrawn\"}", static_cast<double>(figures.withdrawn));
    text.sample("moves_total{reason=\"loss\",result=\"begun\"}", static_cast<double>(figures.failovers));
  }

  static void put_times(MetricsText& text, const FleetTimes& times) {
    text.histogram("store_request_seconds", "Time of the store's requests until they are answered or fail.",
                   times.requests, kShortTimes);
    text.histogram("plan_seconds", "Time of the plans of the whole fleet.", times.plans, kShortTimes);
    text.histogram("move_seconds", "Time from a move's decision until the new box alone serves the camera.",
                   times.moves, kLongTimes);
    text.histogram("failover_seconds",
                   "Time from the end of a lost box's lease until another box serves the camera.",
                   times.failovers, kLongTimes);
  }

  const fleet::FleetView& view_;
  const fleet_store::PlannerLink& link_;
  const PlannerFacts& facts_;
  const fleet_store::Keys keys_;
  const fleet::Whereabouts where_;
  std::map<std::string, int> boxes_;
  std::map<std::string, int> cameras_;
  std::map<std::string, int> standbys_;
  std::map<TaskId, BoxId> standby_;  // camera to box
  bool held_ = false;
};

}  // namespace

FleetPicture picture_of(const fleet_store::PlannerLink& link, const PlannerFacts& facts) {
  return Painter(link, facts).paint();
}

}  // namespace saccade::service
