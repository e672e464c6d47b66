#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fleet/problem.hpp"
#include "scheduler/text.hpp"

namespace saccade::fleet {
namespace {

using scheduler::quoted;

bool runs_on(const profiles::ProfileSet& set, const Box& box) {
  const auto has = [&](const auto& time) {
    return std::any_of(box.processors.begin(), box.processors.end(),
                       [&](const scheduler::Processor& processor) { return processor.id == time.first; });
  };
  return std::any_of(set.variants.begin(), set.variants.end(), [&](const profiles::Variant& variant) {
    return std::all_of(variant.frame_time.begin(), variant.frame_time.end(), has);
  });
}

class Check {
 public:
  explicit Check(const Problem& problem) : problem_(problem) {
    for (const Box& box : problem.boxes) boxes_.insert(box.id);
  }

  Findings run() {
    check_counts();
    check_boxes();
    for (const Camera& camera : problem_.cameras) check_camera(camera);
    check_groups();
    check_measures();
    return std::move(found_);
  }

 private:
  void error(std::string where, std::string what, std::string hint = "") {
    found_.errors.push_back({std::move(where), std::move(what), std::move(hint)});
  }
  void warning(std::string where, std::string what, std::string hint = "") {
    found_.warnings.push_back({std::move(where), std::move(what), std::move(hint)});
  }
  static std::string at(const Camera& camera, const std::string& key) {
    return "/cameras/" + camera.task.id.str() + key;
  }

  void check_counts() {
    if (problem_.boxes.empty()) error("/boxes", "there is no box");
    if (problem_.boxes.size() > kMostBoxes) {
      error("/boxes", "there are more than " + std::to_string(kMostBoxes) + " boxes");
    }
    if (problem_.cameras.size() > kMostCameras) {
      error("/cameras", "there are more than " + std::to_string(kMostCameras) + " cameras");
    }
  }

  void check_boxes() {
    std::set<BoxId> seen;
    for (const Box& box : problem_.boxes) {
      const std::string where = "/boxes/" + box.id.str();
      if (!seen.insert(box.id).second) error(where, "the id is used twice");
      if (!(box.reserve >= 0.0 && box.reserve < 1.0)) error(where + "/reserve", "must lie in [0, 1)");
      if (box.max_cameras && *box.max_cameras < 1) error(where + "/max_cameras", "must be 1 or more");
      for (const Error& complaint : scheduler::validate(snapshot_of(problem_, box, {}))) {
        error(where + complaint.where, complaint.what, complaint.hint);
      }
    }
  }

  void check_camera(const Camera& camera) {
    if (!cameras_.insert(camera.task.id).second) error(at(camera, ""), "the id is used twice");
    if (camera.exclusive && camera.where.standby) {
      error(at(camera, "/where/standby"), "an exclusive camera has no standby",
            "two boxes would hold it; drop `exclusive` or `standby`");
    }
    if (camera.where.standby && camera.where.boxes.size() == 1) {
      warning(at(camera, "/where/standby"), "a camera that may be on one box alone has no other to stand by",
              "name several boxes, or none");
    }
    for (const auto& [key, ids] : {std::pair("boxes", &camera.where.boxes), {"avoid", &camera.where.avoid}}) {
      for (const BoxId& box : *ids) {
        if (boxes_.contains(box)) continue;
        error(at(camera, std::string("/where/") + key), "there is no box " + quoted(box.str()));
      }
    }
    for (const auto& [label, values] : camera.where.labels) {
      for (const std::string& value : values) {
        if (label_known(label, value)) continue;
        warning(at(camera, "/where/labels/" + label), "no box has " + label + " = " + quoted(value));
      }
    }
    if (camera.where.spread && camera.where.spread->most < 1) {
      error(at(camera, "/where/spread/most"), "must be 1 or more");
    }
    check_allowed(camera);
  }

  [[nodiscard]] bool label_known(const std::string& label, const std::string& value) {
    if (labels_.empty()) {
      for (const Box& box : problem_.boxes) labels_.insert(box.labels.begin(), box.labels.end());
      labels_.emplace("", "");
    }
    return labels_.contains({label, value});
  }

  // Cameras tend to share their `where`: each distinct one is compared with the boxes once.
  void check_allowed(const Camera& camera) {
    std::string key;
    for (const BoxId& box : camera.where.boxes) key += "b" + box.str() + "\n";
    for (const BoxId& box : camera.where.avoid) key += "a" + box.str() + "\n";
    for (const auto& [label, values] : camera.where.labels) {
      key += "l" + label + "\n";
      for (const std::string& value : values) key += "v" + value + "\n";
    }
    const auto [found, added] = empty_.emplace(std::move(key), false);
    if (added) {
      found->second = std::none_of(problem_.boxes.begin(), problem_.boxes.end(),
                                   [&](const Box& box) { return allows(camera.where, box); });
    }
    if (found->second && !problem_.boxes.empty()) {
      error(at(camera, "/where"), "no box is allowed", "boxes, labels and avoid leave none over");
    }
  }

  // Rules that several cameras share.
  void check_groups() {
    std::map<std::string, const Camera*> spreads;
    std::map<std::string, std::vector<const Camera*>> units;
    for (const Camera& camera : problem_.cameras) {
      if (!camera.where.together.empty()) units[camera.where.together].push_back(&camera);
      if (!camera.where.spread) continue;
      const auto [first, added] = spreads.emplace(camera.where.spread->group, &camera);
      if (!added && *first->second->where.spread != *camera.where.spread) {
        error(at(camera, "/where/spread"),
              "differs from that of camera " + quoted(first->second->task.id.str()) + " in the same group",
              "one group, one rule");
      }
    }
    for (const auto& [word, cameras] : units) {
      const auto for_all = [&members = cameras](const Box& box) {
        return std::all_of(members.begin(), members.end(),
                           [&](const Camera* camera) { return allows(camera->where, box); });
      };
      if (std::any_of(problem_.boxes.begin(), problem_.boxes.end(), for_all)) continue;
      error(at(*cameras.front(), "/where/together"),
            "no box is allowed to all " + std::to_string(cameras.size()) + " cameras of " + quoted(word));
    }
  }

  // A limit or objective needs a measure that a profile set lacks: per distinct hardware, a camera per
  // network.
  void check_measures() {
    if (!found_.errors.empty()) return;
    std::map<std::string, std::size_t> example;
    for (std::size_t i = 0; i < problem_.cameras.size(); ++i) {
      if (problem_.cameras[i].task.active()) example.emplace(problem_.cameras[i].network, i);
    }
    std::vector<std::size_t> cameras;
    for (const auto& [network, camera] : example) cameras.push_back(camera);
    std::vector<const Box*> seen;
    for (const Box& box : problem_.boxes) {
      const auto same = [&](const Box* other) {
        return other->processors == box.processors && other->profiles == box.profiles &&
               other->limits.memory.has_value() == box.limits.memory.has_value() &&
               other->limits.memories == box.limits.memories &&
               other->limits.energy_per_second.has_value() == box.limits.energy_per_second.has_value() &&
               other->limits.peak_power.has_value() == box.limits.peak_power.has_value();
      };
      if (std::any_of(seen.begin(), seen.end(), same)) continue;
      seen.push_back(&box);
      for (const Error& complaint :
           scheduler::validate(snapshot_of(problem_, box, those_that_run(box, cameras)))) {
        error("/boxes/" + box.id.str() + complaint.where, complaint.what, complaint.hint);
      }
    }
  }

  // Boxes may share profile sets that not all of them have the processors for: what does not run on a box is
  // served elsewhere.
  [[nodiscard]] std::vector<std::size_t> those_that_run(const Box& box,
                                                        const std::vector<std::size_t>& cameras) {
    std::vector<std::size_t> run;
    for (const std::size_t camera : cameras) {
      const std::string& network = problem_.cameras[camera].network;
      const auto set = box.profiles.find(network);
      if (set == box.profiles.end() || runs_on(*set->second, box)) {
        run.push_back(camera);
      } else {
        warning("/boxes/" + box.id.str(),
                "no variant of network " + quoted(network) + " runs on its processors",
                "its cameras are served by other boxes; `kind` is how profile sets call a processor");
      }
    }
    return run;
  }

  const Problem& problem_;
  std::set<BoxId> boxes_;
  std::set<TaskId> cameras_;
  std::set<std::pair<std::string, std::string>> labels_;
  std::map<std::string, bool> empty_;
  Findings found_;
};

}  // namespace

Findings validate(const Problem& problem) { return Check(problem).run(); }

}  // namespace saccade::fleet
