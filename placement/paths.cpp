#include "placement/paths.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::placement {

Paths::Paths(const Costs& costs, PathWeights weights, std::size_t stages)
    : costs_(&costs),
      weights_(std::move(weights)),
      limited_(stages != kAnyNumber),
      stages_(limited_ ? stages : 1) {
  SACCADE_CHECK(weights_.time.size() == costs.processors());
  weights_.memory.resize(costs.processors(), 0.0);
  to_go_.assign(stages_ * (costs.layers() + 1) * costs.processors(), 0.0);
  for (std::size_t more = 0; more < stages_; ++more) {
    for (std::size_t i = costs.layers(); i-- > 1;) {
      for (std::size_t p = 0; p < costs.processors(); ++p) to_go_[index(i, p, more)] = step(i, p, more).cost;
    }
  }
}

double Paths::layer(std::size_t i, std::size_t p) const {
  if (!costs_->runs(p, i, i + 1)) return kImpossible;
  return weights_.time[p] * costs_->time(p, i, i + 1) + weights_.energy * costs_->energy(p, i, i + 1) +
         weights_.memory[p] * costs_->weights(i, i + 1);
}

double Paths::crossing(std::size_t b, std::size_t p, std::size_t q) const {
  if (!costs_->may_cross(b, p, q)) return kImpossible;
  return weights_.time[p] * costs_->send(b, p, q) + weights_.time[q] * costs_->receive(b, p, q) +
         weights_.energy * costs_->transfer_energy(b, p, q);
}

Paths::Step Paths::step(std::size_t i, std::size_t p, std::size_t more) const {
  Step best{p, layer(i, p) + to_go(i + 1, p, more)};
  if (limited_ && more == 0) return best;
  const std::size_t left = limited_ ? more - 1 : 0;
  for (std::size_t q = 0; q < costs_->processors(); ++q) {
    if (q == p) continue;
    const double cost = crossing(i, p, q) + layer(i, q) + to_go(i + 1, q, left);
    if (cost < best.cost) best = {q, cost};
  }
  return best;
}

Paths::Step Paths::first_step() const {
  Step best{0, kImpossible};
  for (std::size_t p = 0; p < costs_->processors(); ++p) {
    const double cost = layer(0, p) + to_go(1, p, stages_ - 1);
    if (cost < best.cost) best = {p, cost};
  }
  return best;
}

double Paths::cost() const { return first_step().cost; }

std::optional<Placement> Paths::best() const {
  const Step first = first_step();
  if (first.cost == kImpossible) return std::nullopt;
  std::vector<std::size_t> assignment = {first.processor};
  std::size_t more = stages_ - 1;
  for (std::size_t i = 1; i < costs_->layers(); ++i) {
    const std::size_t p = assignment.back(), next = step(i, p, more).processor;
    if (limited_ && next != p) --more;
    assignment.push_back(next);
  }
  return placement_of(assignment);
}

}  // namespace saccade::placement
