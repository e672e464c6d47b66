#include "ilp/core/grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace saccade::ilp {
namespace {

constexpr double kMostMultiples = 1e12;

// How far the number (>= 0) is from a multiple, which is small enough for an integer (see below).
double remainder_of(double number, double quantum, double inverse) {
  // Faster than lround(); halfway between two multiples either one is acceptable.
  // NOLINTNEXTLINE(bugprone-incorrect-roundings)
  const auto multiple = static_cast<double>(static_cast<std::int64_t>(number * inverse + 0.5));
  return std::abs(number - multiple * quantum);
}

}  // namespace

Grid find_grid(std::span<const double> numbers, double error, double least) {
  // Remainders below `loose` are taken for rounding errors, which grow along Euclid's algorithm.
  const double loose = std::max(1e3 * error, 1e-3 * least);
  double quantum = 0.0, inverse = 0.0, largest = 0.0;
  for (const double number : numbers) {
    largest = std::max(largest, number);
    if (number <= loose) continue;
    if (quantum == 0.0) {
      quantum = number;
      inverse = 1.0 / quantum;
    }
    if (number * inverse > kMostMultiples) return {};
    double rest = remainder_of(number, quantum, inverse);
    while (rest > loose) {
      const double next = remainder_of(quantum, rest, 1.0 / rest);
      quantum = rest;
      inverse = 1.0 / quantum;
      if (quantum < least) return {};
      rest = next;
    }
  }
  if (quantum < least || quantum <= 0.0) return {};
  quantum = largest / std::round(largest / quantum);
  inverse = 1.0 / quantum;
  const bool on_grid = std::all_of(numbers.begin(), numbers.end(), [&](double number) {
    return remainder_of(number, quantum, inverse) <= error;
  });
  return on_grid ? Grid{quantum, error} : Grid{};
}

}  // namespace saccade::ilp
