#include "scheduler/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saccade::scheduler {

double loss_of(const Snapshot& snapshot, const Choice& choice, const Offer& offer, const LossCap& cap) {
  const Task& task = snapshot.tasks[choice.task];
  if (task.priority != cap.priority) return 0.0;
  if (cap.off) return offer.off() ? task.weight : 0.0;
  return task.weight * (task.demand - offer.rate).value();
}

void cap_losses(const Menus& menus, const Offers& offers, const std::vector<LossCap>& caps,
                ilp::ChoiceProblem& problem) {
  for (const LossCap& cap : caps) {
    if (cap.most <= 0.0) continue;
    problem.capacities.push_back(cap.most);
    for (std::size_t i = 0; i < offers.size(); ++i) {
      for (std::size_t j = 0; j < offers[i].size(); ++j) {
        problem.groups[i].options[j].use.push_back(
            loss_of(menus.snapshot(), menus.choices()[i], offers[i][j], cap));
      }
    }
  }
}

// Euclid's algorithm on floating-point numbers; what it finds is then held to every loss.
double quantum_of(const std::set<double>& losses) {
  double quantum = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (const double loss : losses) {
    if (loss <= 0.0) continue;
    least = std::min(least, loss);
    double a = std::max(quantum, loss);
    double b = std::min(quantum, loss);
    while (b > 1e-6 * least) {
      const double rest = std::fmod(a, b);
      a = b;
      b = b - rest < 1e-9 * a ? 0.0 : rest;
    }
    quantum = a;
  }
  const auto is_multiple = [&](double loss) {
    const double count = loss / quantum;
    return std::abs(count - std::round(count)) <= 1e-12 * std::max(1.0, count);
  };
  const bool worth_it = quantum > 1e-3 * least && std::all_of(losses.begin(), losses.end(), is_multiple);
  return worth_it ? quantum : 0.0;
}

}  // namespace saccade::scheduler
