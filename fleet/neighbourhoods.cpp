#include "fleet/neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace saccade::fleet {
namespace {

constexpr std::int64_t kNodes = 10'000;     // of a round
constexpr std::int64_t kRestartNodes = 10;  // of a rough solution
constexpr std::int64_t kPatience = 15;      // rounds without a better assignment, until it is begun again
constexpr std::uint64_t kBackToBest = 3;    // one of so many restarts is from the best assignment
constexpr double kRestarted = 0.4;          // of the cameras of a pair
constexpr std::size_t kFreeOfThree = 15;    // cameras, of three boxes
constexpr std::size_t kFreeOfFour = 10;     // and of four
constexpr double kGap = 1e-9;               // relative
constexpr double kGain = 1e-9;              // relative
constexpr double kGainPerCamera = 1e-7;     // of the mean weight of a camera

class Rounds {
 public:
  Rounds(Assignment& assignment, const NeighbourhoodLimits& limits)
      : assignment_(assignment), model_(assignment.model()), limits_(limits), random_(limits.seed) {}

  NeighbourhoodSearch run() {
    Assignment best = assignment_;
    std::int64_t idle = 0;
    for (; done_.rounds < limits_.rounds && !(limits_.stop && limits_.stop()); ++done_.rounds) {
      if (limits_.enough && best.value() >= *limits_.enough) break;
      const bool adopted = round();
      done_.adopted += adopted ? 1 : 0;
      idle = adopted ? 0 : idle + 1;
      if (gains(assignment_.value(), best.value())) best = assignment_;
      if (idle < kPatience) continue;
      idle = 0;
      if (below(kBackToBest) == 0) assignment_ = best;
      restart();
    }
    assignment_ = std::move(best);
    return done_;
  }

 private:
  [[nodiscard]] std::size_t below(std::uint64_t count) { return static_cast<std::size_t>(random_() % count); }
  // Where moving costs nothing, cameras must not move for next to nothing.
  [[nodiscard]] bool gains(double value, double before) const {
    const double least = kGainPerCamera * model_.weight() / static_cast<double>(model_.items().size());
    return value > before + std::max(least, kGain * std::abs(before));
  }

  bool round() {
    const std::size_t of_a_box = model_.items().size() / model_.problem().boxes.size();
    switch (below(4)) {
      case 0:
        return solve(draw(2, kNone), kNodes);
      case 1:
        return solve(draw(2, of_a_box), kNodes);
      case 2:
        return solve(draw(3, kFreeOfThree), kNodes);
      default:
        return solve(draw(4, kFreeOfFour), kNodes);
    }
  }

  // So many boxes, and so many of their cameras that are free to change their box; of each, all if there are
  // no more.
  [[nodiscard]] JointTask draw(std::size_t boxes, std::size_t free) {
    std::vector<std::size_t> drawn = shuffled(model_.problem().boxes.size());
    drawn.resize(std::min(drawn.size(), boxes));
    std::sort(drawn.begin(), drawn.end());
    JointTask task = assignment_.joint_task(drawn);
    const std::vector<std::size_t> order = shuffled(task.cameras.size());
    task.held.assign(order.size(), true);
    for (std::size_t i = 0; i < std::min(order.size(), free); ++i) task.held[order[i]] = false;
    return task;
  }

  // As std::shuffle(), whose result is not the same with every standard library.
  [[nodiscard]] std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

  bool solve(JointTask task, std::int64_t max_nodes) {
    if (task.cameras.empty()) return false;
    if (limits_.most_moves) task.most_moves = assignment_.moves_left(task, *limits_.most_moves);
    const JointResult result = assignment_.solve(task, {max_nodes, kGap, limits_.stop});
    if (!result.found || !loses_nothing(result.losses)) return false;
    if (!task.anew && !gains(result.value, start_value(model_, task))) return false;
    assignment_.adopt(task, result);
    return true;
  }

  void restart() {
    ++done_.restarts;
    JointTask task = draw(2, kNone);
    const auto held = static_cast<double>(task.cameras.size()) * (1.0 - kRestarted);
    const std::vector<std::size_t> order = shuffled(task.cameras.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(held); ++i) task.held[order[i]] = true;
    task.anew = true;
    (void)solve(std::move(task), kRestartNodes);
  }

  Assignment& assignment_;
  const Model& model_;
  const NeighbourhoodLimits& limits_;
  std::mt19937_64 random_;
  NeighbourhoodSearch done_;
};

bool can_search(const Assignment& assignment) {
  const Model& model = assignment.model();
  const std::size_t boxes = model.problem().boxes.size();
  const bool peaks = std::any_of(model.kinds().begin(), model.kinds().end(),
                                 [](const Kind& kind) { return kind.peak.has_value(); });
  return boxes > 1 && boxes <= kMostBoxesSearched && !peaks && loses_nothing(assignment.losses());
}

}  // namespace

NeighbourhoodSearch search_neighbourhoods(Assignment& assignment, const NeighbourhoodLimits& limits) {
  if (!can_search(assignment)) return {};
  return Rounds(assignment, limits).run();
}

}  // namespace saccade::fleet
