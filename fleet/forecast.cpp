#include "fleet/forecast.hpp"

#include <algorithm>
#include <string>

namespace saccade::fleet {
namespace {

Forecast::OfBox fullness(const Assignment& assignment, std::size_t box) {
  const Model& model = assignment.model();
  const Kind& kind = model.kind_of(box);
  std::vector<double> used(kind.capacity.size(), 0.0);
  for (const std::size_t camera : assignment.box(box).cameras) {
    const Served& served = assignment.served(camera);
    const Offer& offer = model.menu_on(model.items()[camera], box)[served.offer];
    for (std::size_t row = 0; row < used.size(); ++row) used[row] += use_of(kind, offer, row, served.rate);
  }
  Forecast::OfBox of_box;
  for (std::size_t row = 0; row < used.size(); ++row) {
    const double share = used[row] / std::max(kind.capacity[row], 1e-12);
    const bool of_processor = row < kind.snapshot.processors.size();
    double& most = of_processor ? of_box.time : kind.per_frame[row] ? of_box.energy : of_box.memory;
    most = std::max(most, share);
  }
  return of_box;
}

std::map<std::string, double> best_accuracies(const Problem& problem) {
  std::map<std::string, double> best;
  for (const Box& box : problem.boxes) {
    for (const auto& [network, set] : box.profiles) {
      double& most = best[network];
      most = std::max(most, set->best_accuracy());
    }
  }
  return best;
}

}  // namespace

Forecast forecast_of(const FleetPlan& plan) {
  const Assignment& assignment = plan.assignment;
  const Model& model = assignment.model();
  const Problem& problem = model.problem();
  Forecast forecast;
  forecast.value = plan.value;
  forecast.bound = plan.bound;
  const std::map<std::string, double> best = best_accuracies(problem);
  double weight = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    const Camera& camera = problem.cameras[i];
    if (!camera.task.active()) continue;
    ++forecast.demanded;
    weight += camera.task.weight;
    const Served& served = assignment.served(i);
    if (served.off()) continue;
    const Box& box = problem.boxes[served.box];
    const Offer& offer = model.menu_on(model.items()[i], served.box)[served.offer];
    const profiles::Variant& variant = box.profiles.at(camera.network)->variants[offer.variant];
    const double accuracy = variant.accuracy / std::max(best.at(camera.network), 1e-12);
    forecast.cameras[camera.task.id] = {box.id, variant.id, Fps(served.rate), accuracy};
    sum += camera.task.weight * accuracy * served.rate / camera.task.demand.value();
  }
  if (weight > 0.0) forecast.accuracy = sum / weight;
  for (std::size_t b = 0; b < problem.boxes.size(); ++b) {
    if (!assignment.box(b).cameras.empty()) forecast.boxes[problem.boxes[b].id] = fullness(assignment, b);
  }
  for (const Certificate& certificate : plan.certificates) {
    for (std::size_t i = 0; i < certificate.cameras.size(); ++i) {
      const Camera& camera = problem.cameras[certificate.cameras[i]];
      if (!camera.where.standby || certificate.backup[i] == kNone) continue;
      forecast.backups.emplace(camera.task.id, problem.boxes[certificate.backup[i]].id);
    }
    const auto box = forecast.boxes.find(problem.boxes[certificate.box].id);
    if (!certificate.survives || box == forecast.boxes.end()) continue;
    box->second.survives = true;
    ++forecast.survived;
  }
  return forecast;
}

}  // namespace saccade::fleet
