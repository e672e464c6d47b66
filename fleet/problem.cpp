#include "fleet/problem.hpp"

#include <algorithm>

namespace saccade::fleet {

const char* to_string(BoxState state) {
  switch (state) {
    case BoxState::active:
      return "active";
    case BoxState::cordoned:
      return "cordoned";
    case BoxState::draining:
      return "draining";
    case BoxState::retired:
      return "retired";
  }
  return "";
}

const char* to_string(Survive survive) { return survive == Survive::report ? "report" : "require"; }

std::set<std::string> known_features() { return {kMaxLatencyFeature, kStandbyFeature}; }

double hourly_moves(const FleetPolicy& policy, std::size_t cameras) {
  if (policy.moves_per_hour <= 0.0) return 0.0;
  return std::max(1.0, policy.moves_per_hour * static_cast<double>(cameras));
}

void sort(Problem& problem) {
  const auto by_id = [](const Box& a, const Box& b) { return a.id < b.id; };
  const auto by_task = [](const Camera& a, const Camera& b) { return a.task.id < b.task.id; };
  std::stable_sort(problem.boxes.begin(), problem.boxes.end(), by_id);
  std::stable_sort(problem.cameras.begin(), problem.cameras.end(), by_task);
}

bool labels_allow(const Where& where, const std::map<std::string, std::string>& labels) {
  return std::all_of(where.labels.begin(), where.labels.end(), [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() &&
           std::find(wanted.second.begin(), wanted.second.end(), found->second) != wanted.second.end();
  });
}

bool allows(const Where& where, const Box& box) {
  const auto among = [&](const std::vector<BoxId>& ids) {
    return std::find(ids.begin(), ids.end(), box.id) != ids.end();
  };
  return (where.boxes.empty() || among(where.boxes)) && !among(where.avoid) &&
         labels_allow(where, box.labels);
}

bool understands(const Box& box, const Camera& camera) {
  return !camera.task.max_latency || box.features.contains(kMaxLatencyFeature);
}

scheduler::Snapshot snapshot_of(const Problem& problem, const Box& box,
                                const std::vector<std::size_t>& cameras) {
  scheduler::Snapshot snapshot;
  snapshot.processors = box.processors;
  snapshot.limits = box.limits;
  snapshot.idle_power = box.idle_power;
  snapshot.objective = problem.policy.objective;
  for (const std::size_t camera : cameras) {
    const auto profiles = box.profiles.find(problem.cameras[camera].network);
    if (profiles == box.profiles.end()) continue;
    snapshot.tasks.push_back(problem.cameras[camera].task);
    snapshot.tasks.back().profiles = profiles->second;
  }
  return snapshot;
}

}  // namespace saccade::fleet
