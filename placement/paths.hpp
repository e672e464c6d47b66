// Cheapest placements under a weighted sum of all costs, and the least that is still to come from anywhere in
// the chain: a shortest path, O(layers * processors^2). The exact methods bound with it; with the duals of a
// linear program as weights it finds the placement that the program lacks (pricing).
// Threads: immutable after construction. Errors: none; what is impossible costs kImpossible.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placement/costs.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement {

struct PathWeights {
  std::vector<double> time;    // per second of load, by processor
  double energy = 0.0;         // per joule; 0 wherever energies are absent
  std::vector<double> memory;  // per byte of weights, by processor; empty: 0
};

class Paths {
 public:
  static constexpr std::size_t kAnyNumber = 0;

  // At most `stages` stages.
  Paths(const Costs& costs, PathWeights weights, std::size_t stages = kAnyNumber);

  // The least that layers i to the end add when layer i - 1 >= 0 runs on p and `more` stages may still begin
  // (any value where the number is not limited).
  [[nodiscard]] double to_go(std::size_t i, std::size_t p, std::size_t more) const {
    return to_go_[index(i, p, more)];
  }
  [[nodiscard]] double cost() const;
  // Absent when nothing is possible.
  [[nodiscard]] std::optional<Placement> best() const;

 private:
  [[nodiscard]] std::size_t index(std::size_t i, std::size_t p, std::size_t more) const {
    return ((limited_ ? more : 0) * (costs_->layers() + 1) + i) * costs_->processors() + p;
  }
  [[nodiscard]] double layer(std::size_t i, std::size_t p) const;
  [[nodiscard]] double crossing(std::size_t b, std::size_t p, std::size_t q) const;
  // The cheapest processor of layer i after p; what it adds to the end.
  struct Step {
    std::size_t processor;
    double cost;
  };
  [[nodiscard]] Step step(std::size_t i, std::size_t p, std::size_t more) const;
  [[nodiscard]] Step first_step() const;

  const Costs* costs_;
  PathWeights weights_;
  bool limited_;
  std::size_t stages_;
  std::vector<double> to_go_;
};

}  // namespace saccade::placement
