// Tie-breaking between points that are equal in every measure.
// Threads: those of the callable.
#pragma once

#include <cstddef>
#include <functional>

namespace saccade::pareto {

// True if point a is kept rather than b: a strict weak order, called for equal points only. If it prefers
// neither, or is empty, the lower index is kept.
using Preference = std::function<bool(std::size_t a, std::size_t b)>;

}  // namespace saccade::pareto
