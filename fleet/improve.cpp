#include "fleet/improve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "fleet/prices.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::fleet {
namespace {

class Search {
 public:
  Search(Assignment& assignment, const ImproveLimits& limits)
      : assignment_(assignment), model_(assignment.model()), limits_(limits), random_(limits.seed) {}

  Improvement run() {
    if (model_.problem().boxes.size() < 2) return done_;
    rescue();
    move_units();
    for (; done_.pairs < limits_.pairs && !stopped(); ++done_.pairs) {
      if (limits_.enough && done_.pairs % 64 == 0 && assignment_.value() >= *limits_.enough) break;
      const auto [a, b] = draw();
      if (a == b || !promising(a, b)) continue;
      ++done_.solved;
      if (solve_pair(a, b)) ++done_.adopted;
    }
    return done_;
  }

 private:
  [[nodiscard]] bool stopped() const { return limits_.stop && limits_.stop(); }
  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  // Cameras that are off: with a place on some box, or in exchange for something on two of them.
  void rescue() {
    std::vector<std::size_t> refused;  // since the last that found one; one like them need not be tried
    for (std::size_t i = 0; i < model_.items().size() && !stopped(); ++i) {
      if (!assignment_.served(i).off() || model_.allowed(model_.items()[i]).empty()) continue;
      const bool hopeless = std::any_of(refused.begin(), refused.end(),
                                        [&](std::size_t other) { return model_.interchangeable(i, other); });
      if (!hopeless && assignment_.insert(i, limits_.joint, false)) {
        refused.clear();
        continue;
      }
      off_.push_back(i);
      if (!hopeless) refused.push_back(i);
    }
  }

  void move_units() {
    for (std::size_t unit = 0; unit < model_.units().size(); ++unit) {
      for (const std::size_t box : model_.boxes_for(model_.units()[unit].front())) {
        if (stopped() || done_.pairs >= limits_.pairs) return;
        ++done_.pairs;
        if (move_unit(unit, box)) ++done_.adopted;
      }
    }
  }

  // Any box, and one that some camera of it may be on as well; or the other way round.
  [[nodiscard]] std::pair<std::size_t, std::size_t> draw() {
    const std::size_t a = below(model_.problem().boxes.size());
    const std::vector<std::size_t>& cameras = assignment_.box(a).cameras;
    if (cameras.empty()) return {a, below(model_.problem().boxes.size())};
    const std::size_t camera = cameras[below(cameras.size())];
    const std::vector<std::size_t>& groups = model_.allowed(model_.items()[camera]);
    if (groups.empty()) return {a, a};
    std::size_t boxes = 0;
    for (const std::size_t g : groups) boxes += model_.groups()[g].boxes.size();
    std::size_t place = below(boxes);
    for (const std::size_t g : groups) {
      const std::vector<std::size_t>& of_group = model_.groups()[g].boxes;
      if (place < of_group.size()) return {a, of_group[place]};
      place -= of_group.size();
    }
    return {a, a};
  }

  // What the best move and the best exchange would bring at the boxes' own prices.
  [[nodiscard]] bool promising(std::size_t a, std::size_t b) const {
    if (!loses_nothing(assignment_.box(a).losses) || !loses_nothing(assignment_.box(b).losses)) return true;
    const double there = best_gain(a, b);
    const double back = best_gain(b, a);
    const double least = 1e-7 * model_.weight() / static_cast<double>(model_.items().size());
    return std::max({there, back, there + back}) > least;
  }

  [[nodiscard]] double best_gain(std::size_t from, std::size_t to) const {
    double most = -ilp::kInfinite;
    for (const std::size_t camera : assignment_.box(from).cameras) {
      if (model_.items()[camera].unit != kNone || !model_.allowed(camera, to)) continue;
      most = std::max(most, reduced(camera, to) - reduced(camera, from));
    }
    return most;
  }

  [[nodiscard]] double reduced(std::size_t camera, std::size_t box) const {
    const Item& item = model_.items()[camera];
    const double cost = item.home != kNone && item.home != box ? item.moving_cost : 0.0;
    return best_at(model_.kind_of(box), model_.menu_on(item, box), item, assignment_.box(box).prices).value -
           cost;
  }

  bool solve_pair(std::size_t a, std::size_t b) {
    if (!can_join(model_, a, b)) return move_one(a, b) || move_one(b, a);
    JointTask task = assignment_.joint_task({a, b}, off_for(a, b));
    if (task.cameras.empty()) return false;
    if (limits_.most_moves) task.most_moves = assignment_.moves_left(task, *limits_.most_moves);
    const JointResult result = assignment_.solve(task, limits_.joint);
    if (!result.found) return false;
    const Losses before = losses_of(model_, task.cameras, task.start);
    const double value = start_value(model_, task);
    if (loses_less(before, result.losses)) return false;
    const bool better = loses_less(result.losses, before) || result.value > value + 1e-9 * std::abs(value);
    if (better) assignment_.adopt(task, result);
    return better;
  }

  // Some of the cameras that are off and may be on one of the two.
  [[nodiscard]] std::vector<std::size_t> off_for(std::size_t a, std::size_t b) {
    constexpr std::size_t kMost = 3;
    std::erase_if(off_, [this](std::size_t camera) { return !assignment_.served(camera).off(); });
    std::vector<std::size_t> off;
    for (const std::size_t camera : off_) {
      if (off.size() < kMost && (model_.allowed(camera, a) || model_.allowed(camera, b)) &&
          model_.items()[camera].unit == kNone) {
        off.push_back(camera);
      }
    }
    return off;
  }

  // Boxes with a joint peak of power: the camera that gains most goes, if both then settle for the better.
  bool move_one(std::size_t from, std::size_t to) {
    std::size_t best = kNone;
    double most = 0.0;
    for (const std::size_t camera : assignment_.box(from).cameras) {
      if (model_.items()[camera].unit != kNone || !assignment_.has_room(camera, to)) continue;
      const double gain = reduced(camera, to) - reduced(camera, from);
      if (gain > most) {
        most = gain;
        best = camera;
      }
    }
    return best != kNone && may_move(best, to) && try_moving({best}, from, to);
  }

  [[nodiscard]] bool may_move(std::size_t camera, std::size_t to) const {
    const Item& item = model_.items()[camera];
    if (!limits_.most_moves || item.home == kNone || item.home != assignment_.served(camera).box) return true;
    return item.home == to || assignment_.moves() < *limits_.most_moves;
  }

  // All of `cameras` are on `from`.
  bool try_moving(const std::vector<std::size_t>& cameras, std::size_t from, std::size_t to) {
    const Assignment::Saved before = assignment_.save({from, to}, {});
    std::vector<std::size_t> all;
    std::vector<Served> was;
    for (const auto& [camera, served] : before.cameras) {
      all.push_back(camera);
      was.push_back(served);
    }
    std::vector<std::size_t> left = assignment_.box(from).cameras;
    std::vector<std::size_t> taken = assignment_.box(to).cameras;
    for (const std::size_t camera : cameras) {
      std::erase(left, camera);
      taken.push_back(camera);
    }
    (void)assignment_.settle(from, left, limits_.joint);
    (void)assignment_.settle(to, taken, limits_.joint);
    double gained = 0.0;
    std::vector<Served> is;
    for (std::size_t i = 0; i < all.size(); ++i) {
      is.push_back(assignment_.served(all[i]));
      gained += net_value(model_, all[i], is[i]) - net_value(model_, all[i], was[i]);
    }
    const Losses now = losses_of(model_, all, is);
    const Losses then = losses_of(model_, all, was);
    if (loses_less(now, then) || (!loses_less(then, now) && gained > 1e-9)) return true;
    assignment_.restore(before);
    return false;
  }

  // A whole unit to another box.
  bool move_unit(std::size_t unit, std::size_t to) {
    std::vector<std::size_t> members;
    std::size_t from = kNone;
    for (const std::size_t camera : model_.units()[unit]) {
      if (assignment_.served(camera).off()) continue;
      from = assignment_.served(camera).box;
      members.push_back(camera);
      if (!model_.allowed(camera, to) || !may_move(camera, to)) return false;
    }
    if (members.empty() || from == to || !unit_has_room(members, to)) return false;
    return try_moving(members, from, to);
  }

  [[nodiscard]] bool unit_has_room(const std::vector<std::size_t>& members, std::size_t to) const {
    const auto room = assignment_.room(members);
    std::vector<std::size_t> taken(model_.spreads().size(), 0);
    for (const std::size_t camera : members) {
      const std::size_t s = model_.items()[camera].spread;
      if (s == kNone || model_.spreads()[s].cell[to] == kNone) continue;
      if (++taken[s] > room[s][model_.spreads()[s].cell[to]]) return false;
    }
    return true;
  }

  Assignment& assignment_;
  const Model& model_;
  const ImproveLimits& limits_;
  std::mt19937_64 random_;
  std::vector<std::size_t> off_;  // cameras that have no box
  Improvement done_;
};

}  // namespace

Improvement improve(Assignment& assignment, const ImproveLimits& limits) {
  return Search(assignment, limits).run();
}

}  // namespace saccade::fleet
