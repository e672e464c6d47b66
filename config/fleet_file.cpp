#include "config/fleet_file.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "config/profile_sets.hpp"
#include "config/source_config.hpp"
#include "config/state_settings.hpp"
#include "runtime/run/run_config.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

using fleet::BoxId;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr double kLongestAutonomy = 30.0 * 24.0 * 3600.0;
constexpr double kLongestHandover = 600.0;
constexpr double kLongestSettling = 600.0;
constexpr int kMostPriority = 1000;  // as of a task
constexpr std::size_t kMostProcessorsOfBox = 256;

// The profile sets as they are planned with on the same processors. Kinds of boxes that have these share
// them.
struct SetsOnProcessors {
  SetsOnProcessors(const std::filesystem::path& directory, std::vector<profiles::KindOfProcessor> on)
      : processors(std::move(on)), library(directory, known) {
    library.plan_on(processors);
  }
  const std::vector<profiles::KindOfProcessor> processors;
  KnownProfileSets known;
  ProfileLibrary library;
};

std::vector<profiles::KindOfProcessor> kinds_of(const std::vector<scheduler::Processor>& processors) {
  std::vector<profiles::KindOfProcessor> kinds;
  for (const scheduler::Processor& processor : processors) {
    kinds.push_back({processor.id, processor.kind.str().empty() ? processor.id : processor.kind});
  }
  return kinds;
}

class FleetReader {
 public:
  FleetReader(const JsonValue& root, const std::filesystem::path& directory, JsonReport& report)
      : root_(root), directory_(directory), report_(report) {}

  LoadedFleet read() {
    ObjectReader top({&root_, ""}, report_);
    if (const auto format = top.require("format")) read_format(*format);
    if (const auto policy = top.find("policy")) read_policy(*policy);
    if (const auto kinds = top.require("kinds")) {
      for (const auto& [name, at] : text::read_members(*kinds, report_)) read_kind(name, at);
    }
    if (const auto boxes = top.require("boxes")) {
      for (const JsonAt& at : text::read_list(*boxes, report_)) read_box(at);
    }
    if (const auto cameras = top.require("cameras")) {
      for (const JsonAt& at : text::read_list(*cameras, report_)) read_camera(at);
    }
    LoadedFleet loaded;
    if (!report_.empty()) return loaded;
    fleet::sort(problem_);
    const fleet::Findings found = fleet::validate(problem_);
    for (const Error& error : found.errors) {
      const auto [line, pointer] = place_of(error.where);
      report_.add_at_line(line, pointer, error.what, error.hint);
    }
    for (const Error& warning : found.warnings) {
      const auto [line, pointer] = place_of(warning.where);
      loaded.warnings.push_back({report_.where(line, pointer), warning.what, warning.hint});
    }
    loaded.problem = std::move(problem_);
    return loaded;
  }

 private:
  void read_format(const JsonAt& at) {
    if (at->kind == JsonValue::Kind::string && at->string == kFleetFormat) return;
    report_.add(at, std::string("this program reads fleets of the format ") + kFleetFormat,
                std::string("write \"format\": \"") + kFleetFormat + "\"");
  }

  void read_policy(const JsonAt& at) {
    using scheduler::Objective;
    fleet::FleetPolicy& policy = problem_.policy;
    ObjectReader reader(at, report_);
    reader.choice("objective", policy.objective,
                  {Objective::max_accuracy, Objective::min_energy, Objective::min_memory});
    reader.number("moving_cost", policy.moving_cost, text::kNotNegative);
    std::optional<int> moves;
    reader.integer("most_moves", moves, 0, static_cast<int>(fleet::kMostCameras));
    if (moves) policy.most_moves = static_cast<std::size_t>(*moves);
    reader.choice("survive", policy.survive, {fleet::Survive::report, fleet::Survive::require});
    reader.number("moves_per_hour", policy.moves_per_hour, {0.0, false, 1.0});
    reader.quantity("handover_seconds", policy.handover, {1.0, false, kLongestHandover});
    read_lease(reader, policy.lease);
    reader.quantity("settle_seconds", policy.settle, {0.0, false, kLongestSettling});
    reader.number("brake_share", policy.brake_share, {0.0, false, 1.0});
    reader.integer("brake_exempt_priority", policy.brake_exempt_priority, -kMostPriority, kMostPriority);
  }

  // Whole seconds: a store's leases are.
  static void read_lease(ObjectReader& reader, Seconds& lease) {
    int seconds = static_cast<int>(lease.value());
    reader.integer("lease_seconds", seconds, fleet::kLeastLeaseSeconds, fleet::kMostLeaseSeconds);
    lease = Seconds(static_cast<double>(seconds));
  }

  void read_kind(const std::string& name, const JsonAt& at) {
    fleet::Box& kind = kinds_[name];
    ObjectReader reader(at, report_);
    if (const auto processors = reader.require("processors")) {
      const std::vector<JsonAt> items = text::read_list(*processors, report_);
      if (items.size() > kMostProcessorsOfBox) {  // sets have every variant once per processor of its kind
        report_.add(*processors,
                    "there are more than " + std::to_string(kMostProcessorsOfBox) + " processors");
      } else {
        for (const JsonAt& item : items) read_processor(item, kind);
      }
      if ((*processors)->kind == JsonValue::Kind::array && items.empty()) {
        report_.add(*processors, "there is no processor", "for example [{\"name\": \"gpu\"}]");
      }
    }
    if (const auto limits = reader.find("limits")) read_limits(*limits, kind.limits, report_);
    if (const auto sets = reader.require("profiles")) {
      ProfileLibrary& library = library_on(kinds_of(kind.processors));
      for (const JsonAt& item : text::read_list(*sets, report_)) read_profiles(item, library, kind);
    }
    if (const auto features = reader.find_given("features")) {
      kind.features.clear();
      for (const JsonAt& item : text::read_list(*features, report_)) {
        if (const auto feature = text::read_id(item, report_)) kind.features.insert(*feature);
      }
    }
    std::optional<double> idle;
    reader.number("idle_power_watts", idle, text::kNotNegative);
    if (idle) kind.idle_power = Watts(*idle);
  }

  void read_processor(const JsonAt& at, fleet::Box& kind) {
    scheduler::Processor processor;
    ObjectReader reader(at, report_);
    if (const auto name = reader.require("name")) {
      processor.id = ProcessorId(text::read_id(*name, report_).value_or(""));
      const auto same = [&](const scheduler::Processor& other) { return other.id == processor.id; };
      if (std::any_of(kind.processors.begin(), kind.processors.end(), same)) {
        report_.add(*name, "the name " + in_quotes(processor.id.str()) + " is used by two processors",
                    "rename one of the two");
      }
    }
    if (const auto kind_name = reader.find_given("kind")) {
      processor.kind = ProcessorId(text::read_id(*kind_name, report_).value_or(""));
    }
    reader.number("capacity", processor.capacity, {0.0, true, 1.0});
    reader.quantity("guard_seconds", processor.guard, text::kNotNegative);
    read_memory(reader, processor);
    if (processor.budget() <= 0.0) report_.add(at, "the guard leaves nothing of the capacity");
    kind.processors.push_back(std::move(processor));
  }

  [[nodiscard]] ProfileLibrary& library_on(const std::vector<profiles::KindOfProcessor>& processors) {
    for (SetsOnProcessors& sets : sets_) {
      if (sets.processors == processors) return sets.library;
    }
    return sets_.emplace_back(directory_, processors).library;
  }

  void read_profiles(const JsonAt& at, ProfileLibrary& library, fleet::Box& kind) {
    const profiles::ProfileSetPtr set = library.load(at, report_);
    if (!set) return;
    if (!kind.profiles.emplace(set->network, set).second) {
      report_.add(at, "a second profile set of network " + in_quotes(set->network),
                  "one set per network and kind");
    }
    if (set->device.idle_power) kind.idle_power = std::max(kind.idle_power, *set->device.idle_power);
  }

  void read_box(const JsonAt& at) {
    fleet::Box box;
    ObjectReader reader(at, report_);
    if (const auto kind = reader.require("kind")) box = kind_of(*kind);
    if (const auto id = reader.require("id")) box.id = BoxId(text::read_id(*id, report_).value_or(""));
    if (const auto labels = reader.find("labels")) {
      for (const auto& [label, value] : text::read_members(*labels, report_)) {
        if (const auto word = text::read_id(value, report_)) box.labels[label] = *word;
      }
    }
    using fleet::BoxState;
    reader.choice("state", box.state,
                  {BoxState::active, BoxState::cordoned, BoxState::draining, BoxState::retired});
    reader.number("reserve", box.reserve, {0.0, false, 0.99});
    std::optional<int> most;
    reader.integer("max_cameras", most, 1, static_cast<int>(fleet::kMostCamerasPerBox));
    if (most) box.max_cameras = static_cast<std::size_t>(*most);
    reader.quantity("autonomy_seconds", box.autonomy, {0.0, false, kLongestAutonomy});
    remember(box_places_, box.id.str(), at, "boxes");
    problem_.boxes.push_back(std::move(box));
  }

  [[nodiscard]] fleet::Box kind_of(const JsonAt& at) {
    const std::string name = text::read_text(at, report_).value_or("");
    const auto found = kinds_.find(name);
    if (found != kinds_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, box] : kinds_) names.push_back(known);
    const std::string meant = text::nearest(name, names);
    if (at->kind == JsonValue::Kind::string) {
      report_.add(at, "there is no kind " + in_quotes(name),
                  meant.empty() ? "describe it in `kinds`" : "did you mean " + in_quotes(meant) + "?");
    }
    return {};
  }

  void read_camera(const JsonAt& at) {
    fleet::Camera camera;
    ObjectReader reader(at, report_);
    if (const auto id = reader.require("id")) {
      camera.task.id = TaskId(text::read_id(*id, report_).value_or(""));
    }
    if (const auto network = reader.require("network")) {
      camera.network = text::read_text(*network, report_).value_or("");
    }
    (void)reader.require("fps");
    read_task_settings(reader, 1.0, camera.task);
    if (const auto regions = reader.find("regions")) {
      camera.task.regions = std::max(1, runtime::region_count(read_regions(*regions, report_)));
    }
    reader.boolean("exclusive", camera.exclusive);
    if (const auto where = reader.find("where")) read_where(*where, camera.where);
    if (const auto source = reader.find("source")) check_source(*source, camera.where);
    if (const auto serving = reader.find_given("serving")) {
      if (const auto id = text::read_id(*serving, report_)) camera.serving = BoxId(*id);
    }
    remember(camera_places_, camera.task.id.str(), at, "cameras");
    problem_.cameras.push_back(std::move(camera));
  }

  // Devices, files and folders are on one machine.
  void check_source(const JsonAt& at, const fleet::Where& where) {
    const auto source = read_source(at, directory_, report_);
    if (!source || where.boxes.size() == 1) return;
    const auto* video = std::get_if<runtime::VideoSource>(&*source);
    const bool local = std::holds_alternative<runtime::CameraSource>(*source) ||
                       std::holds_alternative<runtime::ImagesSource>(*source) ||
                       (video != nullptr && video->path.find("://") == std::string::npos);
    if (local) {
      report_.add(at,
                  "this source is on one box, and the camera may be on " +
                      (where.boxes.empty() ? std::string("any") : std::to_string(where.boxes.size())),
                  "name the box: \"where\": {\"boxes\": [\"...\"]}");
    }
  }

  void read_where(const JsonAt& at, fleet::Where& where) {
    ObjectReader reader(at, report_);
    if (const auto boxes = reader.find("boxes")) where.boxes = read_boxes(*boxes);
    if (const auto avoid = reader.find("avoid")) where.avoid = read_boxes(*avoid);
    if (const auto labels = reader.find("labels")) {
      for (const auto& [label, values] : text::read_members(*labels, report_)) {
        for (const JsonAt& value : text::read_list(values, report_)) {
          if (const auto word = text::read_id(value, report_)) where.labels[label].push_back(*word);
        }
        if (values->kind == JsonValue::Kind::array && values->items.empty()) {
          report_.add(values, "no value is allowed", "name one, or leave the label out");
        }
      }
    }
    if (const auto spread = reader.find_given("spread")) where.spread = read_spread(*spread);
    if (const auto together = reader.find_given("together")) {
      where.together = text::read_id(*together, report_).value_or("");
    }
    reader.boolean("standby", where.standby);
  }

  [[nodiscard]] std::vector<BoxId> read_boxes(const JsonAt& at) {
    std::vector<BoxId> boxes;
    for (const JsonAt& item : text::read_list(at, report_)) {
      if (const auto id = text::read_id(item, report_)) boxes.emplace_back(*id);
    }
    return boxes;
  }

  [[nodiscard]] fleet::Spread read_spread(const JsonAt& at) {
    fleet::Spread spread;
    ObjectReader reader(at, report_);
    if (const auto group = reader.require("group")) {
      spread.group = text::read_id(*group, report_).value_or("");
    }
    std::string by = "box";
    reader.text("by", by);
    if (by != "box") spread.label = by;
    int most = 1;
    reader.integer("most", most, 1, static_cast<int>(fleet::kMostCamerasPerBox));
    spread.most = static_cast<std::size_t>(most);
    return spread;
  }

  using Places = std::map<std::string, JsonAt>;

  // The second thing of an id is a mistake that only the file's lines can tell apart.
  void remember(Places& places, const std::string& id, const JsonAt& at, const char* what) {
    if (id.empty()) return;
    const auto [first, fresh] = places.emplace(id, at);
    if (fresh) return;
    report_.add(at.member("id", *at->find("id")), "the id " + in_quotes(id) + " is used by two " + what,
                "rename one of the two; the other is in line " + std::to_string(first->second->line));
  }

  // "/cameras/gate/where/boxes" of fleet::validate() is the nearest value that the file has.
  [[nodiscard]] std::pair<std::size_t, std::string> place_of(const std::string& where) const {
    for (const auto& [prefix, places] :
         {std::pair(std::string("/cameras/"), &camera_places_), {std::string("/boxes/"), &box_places_}}) {
      if (!where.starts_with(prefix)) continue;
      const std::size_t end = std::min(where.find('/', prefix.size()), where.size());
      const auto found = places->find(where.substr(prefix.size(), end - prefix.size()));
      if (found == places->end()) continue;
      JsonAt at = found->second;
      for (std::size_t begin = end + 1; begin < where.size();) {
        const std::size_t next = std::min(where.find('/', begin), where.size());
        const std::string key = where.substr(begin, next - begin);
        const JsonValue* child = at->find(key);
        if (child == nullptr) break;
        at = at.member(key, *child);
        begin = next + 1;
      }
      return {at->line, at.pointer};
    }
    return {1, ""};
  }

  const JsonValue& root_;
  const std::filesystem::path& directory_;
  JsonReport& report_;
  std::deque<SetsOnProcessors> sets_;        // their libraries stay where they are
  std::map<std::string, fleet::Box> kinds_;  // without ids
  Places box_places_;
  Places camera_places_;
  fleet::Problem problem_;
};

Result<LoadedFleet> finish_fleet(const std::optional<JsonValue>& document,
                                 const std::filesystem::path& directory, JsonReport& report) {
  if (!document) return report.errors();
  LoadedFleet loaded = FleetReader(*document, directory, report).read();
  if (!report.empty()) return report.errors();
  return loaded;
}

}  // namespace

Result<LoadedFleet> read_fleet(const std::filesystem::path& path) {
  JsonReport report(path.string());
  return finish_fleet(text::read_json_file(path, report, kFleetLimits), path.parent_path(), report);
}

Result<LoadedFleet> parse_fleet(std::string_view text, const std::string& name,
                                const std::filesystem::path& directory) {
  JsonReport report(name);
  return finish_fleet(text::parse_json(text, report, kFleetLimits), directory, report);
}

}  // namespace saccade::config
