#include "ilp/core/matrix_inverse.hpp"

#include <cmath>
#include <utility>

namespace saccade::ilp {

bool invert(std::vector<double>& m, std::size_t n, double least) {
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t k = column + 1; k < n; ++k) {
      if (std::abs(m[k * 2 * n + column]) > std::abs(m[pivot * 2 * n + column])) pivot = k;
    }
    const double value = m[pivot * 2 * n + column];
    if (std::abs(value) < least) return false;
    for (std::size_t j = 0; j < 2 * n; ++j) std::swap(m[pivot * 2 * n + j], m[column * 2 * n + j]);
    for (std::size_t j = 0; j < 2 * n; ++j) m[column * 2 * n + j] /= value;
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = m[k * 2 * n + column];
      if (k == column || factor == 0.0) continue;
      for (std::size_t j = 0; j < 2 * n; ++j) m[k * 2 * n + j] -= factor * m[column * 2 * n + j];
    }
  }
  return true;
}

}  // namespace saccade::ilp
