// The optimum of a small fleet whose cameras are served whole or off, found by a solver of choice problems on
// the whole fleet at once: a group per camera, an option per box and variant, a row per box and resource.
// Built from the profiles with plain arithmetic; shares no code with the fleet's model, prices or searches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "fleet/problem.hpp"
#include "ilp/choice_solver.hpp"

namespace saccade::test {

struct FleetOptimum {
  bool solved = false;
  std::vector<double> losses;  // per class, highest first: weight off, then weighted frames/s lost
  double value = 0.0;          // sum of w a/a_best
};

class FleetOracle {
 public:
  FleetOracle(const fleet::Problem& problem, const ilp::ChoiceSolver& solver)
      : problem_(problem), solver_(solver) {
    for (const fleet::Camera& camera : problem.cameras) classes_[-camera.task.priority] = 0;
    for (const fleet::Box& box : problem.boxes) {
      first_row_.push_back(base_.capacities.size());
      for (const scheduler::Processor& p : box.processors)
        base_.capacities.push_back(p.capacity - p.guard.value());
      if (box.limits.memory) base_.capacities.push_back(box.limits.memory->value());
    }
    for (const fleet::Camera& camera : problem.cameras) base_.groups.push_back(group(camera));
  }

  [[nodiscard]] FleetOptimum optimum() {
    FleetOptimum found;
    for (const auto& each : classes_) {
      for (const bool frames : {false, true}) {
        const Loss loss{each.first, frames};
        const std::optional<double> least =
            solve([&](std::size_t camera, const Served& served) { return -lost(loss, camera, served); });
        if (!least) return found;
        found.losses.push_back(-*least);
        caps_.emplace_back(loss, -*least);
      }
    }
    const std::optional<double> value =
        solve([&](std::size_t, const Served& served) { return served.value; });
    if (!value) return found;
    found.value = *value;
    found.solved = true;
    return found;
  }

 private:
  struct Served {
    bool off = false;
    double value = 0.0;
  };
  struct Loss {
    int priority = 0;     // negated
    bool frames = false;  // of weighted frames/s; else of weight
  };

  [[nodiscard]] double lost(const Loss& loss, std::size_t camera, const Served& served) const {
    const scheduler::Task& task = problem_.cameras[camera].task;
    if (!served.off || -task.priority != loss.priority) return 0.0;
    return task.weight * (loss.frames ? task.demand.value() : 1.0);
  }

  [[nodiscard]] ilp::Group group(const fleet::Camera& camera) {
    ilp::Group group;
    std::vector<Served>& meaning = meaning_.emplace_back();
    double best = 0.0;
    for (const fleet::Box& box : problem_.boxes) {
      for (const profiles::Variant& variant : box.profiles.at(camera.network)->variants) {
        best = std::max(best, variant.accuracy);
      }
    }
    for (std::size_t b = 0; b < problem_.boxes.size(); ++b) {
      const fleet::Box& box = problem_.boxes[b];
      if (!fleet::allows(camera.where, box)) continue;
      for (const profiles::Variant& variant : box.profiles.at(camera.network)->variants) {
        ilp::Option option;
        option.use.assign(base_.capacities.size(), 0.0);
        for (std::size_t p = 0; p < box.processors.size(); ++p) {
          const auto time = variant.frame_time.find(box.processors[p].id);
          if (time == variant.frame_time.end()) continue;
          option.use[first_row_[b] + p] = time->second.value() * camera.task.demand.value();
        }
        if (box.limits.memory) option.use[first_row_[b] + box.processors.size()] = variant.memory->value();
        group.options.push_back(option);
        meaning.push_back({false, camera.task.weight * variant.accuracy / best});
      }
    }
    ilp::Option off;
    off.use.assign(base_.capacities.size(), 0.0);
    group.options.push_back(off);
    meaning.push_back({true, 0.0});
    return group;
  }

  template <class Level>
  [[nodiscard]] std::optional<double> solve(Level level) {
    ilp::ChoiceProblem problem = base_;
    for (std::size_t c = 0; c < meaning_.size(); ++c) {
      for (std::size_t o = 0; o < meaning_[c].size(); ++o) {
        ilp::Option& option = problem.groups[c].options[o];
        option.levels = {level(c, meaning_[c][o])};
        for (const auto& [loss, most] : caps_) option.use.push_back(lost(loss, c, meaning_[c][o]));
      }
    }
    for (const auto& [loss, most] : caps_) problem.capacities.push_back(most);
    const ilp::ChoiceResult result = solver_.solve(problem, {});
    if (result.verdict != ilp::Verdict::optimal) return std::nullopt;
    return result.evaluation.levels.front();
  }

  const fleet::Problem& problem_;
  const ilp::ChoiceSolver& solver_;
  std::map<int, int> classes_;  // by priority, negated: the highest first
  std::vector<std::size_t> first_row_;
  ilp::ChoiceProblem base_;
  std::vector<std::vector<Served>> meaning_;  // of the options
  std::vector<std::pair<Loss, double>> caps_;
};

}  // namespace saccade::test
