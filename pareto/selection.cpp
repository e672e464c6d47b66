#include "pareto/selection.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "pareto/front.hpp"

namespace saccade::pareto {
namespace {

constexpr std::array<std::pair<Selection, const char*>, 7> kNames = {{{Selection::active, "active"},
                                                                      {Selection::time, "time"},
                                                                      {Selection::memory, "memory"},
                                                                      {Selection::time_memory, "time+memory"},
                                                                      {Selection::energy, "energy"},
                                                                      {Selection::time_energy, "time+energy"},
                                                                      {Selection::none, "none"}}};

// Which measures stand beside accuracy.
struct Measures {
  bool time = false;
  bool energy = false;
  bool memory = false;
  bool power = false;
  bool device_memory = false;
};

bool measured(const Point& point, const Measures& measures) {
  return (!measures.energy || point.energy) && (!measures.memory || point.memory) &&
         (!measures.power || !point.power.empty()) &&
         (!measures.device_memory || !point.device_memory.empty());
}

// Appends the costs of a point; all points have as many.
void add_costs(const Point& point, const Measures& measures, std::vector<double>& costs) {
  const auto put = [&](double figure) { costs.push_back(figure); };
  put(-point.accuracy);
  if (measures.time) std::for_each(point.time.begin(), point.time.end(), put);
  if (measures.energy) put(*point.energy);
  if (measures.memory) put(*point.memory);
  if (measures.power) std::for_each(point.power.begin(), point.power.end(), put);
  if (measures.device_memory) std::for_each(point.device_memory.begin(), point.device_memory.end(), put);
}

std::size_t columns_of(const Point& point, const Measures& measures) {
  return 1 + (measures.time ? point.time.size() : 0) + (measures.energy ? 1 : 0) + (measures.memory ? 1 : 0) +
         (measures.power ? point.power.size() : 0) +
         (measures.device_memory ? point.device_memory.size() : 0);
}

// What of `candidates` is on the front of the measures, or lacks one of them; ascending.
std::vector<std::size_t> front_of(const std::vector<std::size_t>& candidates, const Measures& measures,
                                  std::span<const Point> points, const Preference& preference,
                                  std::span<const std::size_t> keep) {
  std::vector<std::size_t> kept, compared;
  compared.reserve(candidates.size());
  for (const std::size_t point : candidates) {
    (measured(points[point], measures) ? compared : kept).push_back(point);
  }
  if (compared.empty()) return kept;

  const std::size_t columns = columns_of(points[compared.front()], measures);
  std::vector<double> costs;
  costs.reserve(compared.size() * columns);
  std::vector<std::size_t> protected_rows;
  for (std::size_t row = 0; row < compared.size(); ++row) {
    add_costs(points[compared[row]], measures, costs);
    SACCADE_CHECK(costs.size() == (row + 1) * columns);
    if (std::find(keep.begin(), keep.end(), compared[row]) != keep.end()) protected_rows.push_back(row);
  }
  const auto preferred = [&](std::size_t a, std::size_t b) { return preference(compared[a], compared[b]); };
  for (const std::size_t row :
       front(costs, compared.size(), columns, preference ? Preference(preferred) : nullptr, protected_rows)) {
    kept.push_back(compared[row]);
  }
  if (!std::is_sorted(kept.begin(), kept.end())) std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

const char* to_string(Selection selection) {
  for (const auto& [value, name] : kNames) {
    if (value == selection) return name;
  }
  check_failed("a selection of the enumeration", __FILE__, __LINE__);
}

std::optional<Selection> selection_from(const std::string& name) {
  for (const auto& [value, text] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::vector<std::size_t> select(Selection selection, const ActiveMeasures& active,
                                std::span<const Point> points, const Preference& preference,
                                std::span<const std::size_t> keep) {
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto on_front = [&](const std::vector<std::size_t>& candidates, const Measures& measures) {
    return front_of(candidates, measures, points, preference, keep);
  };
  switch (selection) {
    case Selection::active:
      return on_front(all, {true, active.energy, active.memory, active.power, active.device_memory});
    case Selection::time:
      return on_front(all, {.time = true});
    case Selection::memory:
      return on_front(all, {.memory = true});
    case Selection::energy:
      return on_front(all, {.energy = true});
    case Selection::time_memory:
      return on_front(on_front(all, {.time = true}), {.memory = true});
    case Selection::time_energy:
      return on_front(on_front(all, {.time = true}), {.energy = true});
    case Selection::none:
      return all;
  }
  check_failed("a selection of the enumeration", __FILE__, __LINE__);
}

}  // namespace saccade::pareto
