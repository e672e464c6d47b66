#include "ilp/grid.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::ilp {
namespace {

double remainder_of(double number, double quantum) {
  return std::abs(number - std::round(number / quantum) * quantum);
}

}  // namespace

Grid find_grid(std::span<const double> numbers, double error, double least) {
  // Euclid's algorithm; what it leaves below `loose` is taken for rounding, which grows on its way.
  const double loose = std::max(1e3 * error, 1e-3 * least);
  double quantum = 0.0, largest = 0.0;
  for (const double number : numbers) {
    largest = std::max(largest, number);
    if (number <= loose) continue;
    double other = number;
    if (quantum == 0.0) {
      quantum = other;
      continue;
    }
    other = remainder_of(other, quantum);
    while (other > loose) {
      const double next = remainder_of(quantum, other);
      quantum = other;
      other = next;
      if (quantum < least) return {};
    }
  }
  if (quantum < least || quantum <= 0.0) return {};
  quantum = largest / std::round(largest / quantum);
  const bool on_grid = std::all_of(numbers.begin(), numbers.end(),
                                   [&](double number) { return remainder_of(number, quantum) <= error; });
  return on_grid ? Grid{quantum, error} : Grid{};
}

}  // namespace saccade::ilp
