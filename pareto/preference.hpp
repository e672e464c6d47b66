// Which of two points that are equal in every measure is kept.
// Threads: as the function that is in it.
#pragma once

#include <cstddef>
#include <functional>

namespace saccade::pareto {

// Whether point a is kept rather than b; a strict order, and only asked about equal points. Where it prefers
// neither, and when it is empty, the lower index is kept.
using Preference = std::function<bool(std::size_t a, std::size_t b)>;

}  // namespace saccade::pareto
