#include "fleet/assignment.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fleet/prices.hpp"
#include "ilp/choice_problem.hpp"

namespace saccade::fleet {

double lean_use(const Kind& kind, const Menu& menu, const Item& item, std::size_t row) {
  double least = std::numeric_limits<double>::infinity();
  for (const Offer& offer : menu) least = std::min(least, use_of(kind, offer, row, item.rate));
  return least;
}

Assignment::Assignment(const Model& model) : model_(&model), served_(model.items().size()) {
  boxes_.resize(model.problem().boxes.size());
  lost_.assign(boxes_.size(), false);
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    boxes_[b].losses.assign(2 * model.ranks(), 0.0);
    boxes_[b].prices.assign(model.kind_of(b).capacity.size(), 0.0);
    boxes_[b].lean = boxes_[b].prices;
  }
  for (const Item& item : model.items()) moves_ += item.home != kNone ? 1 : 0;
}

Losses Assignment::losses() const {
  std::vector<std::size_t> cameras(served_.size());
  for (std::size_t i = 0; i < cameras.size(); ++i) cameras[i] = i;
  return losses_of(*model_, cameras, served_);
}

double Assignment::value() const {
  double value = 0.0;
  for (std::size_t i = 0; i < served_.size(); ++i) value += net_value(*model_, i, served_[i]);
  return value;
}

void Assignment::set_served(std::size_t camera, const Served& served) {
  const std::size_t home = model_->items()[camera].home;
  if (home != kNone && served_[camera].box != home) --moves_;
  if (home != kNone && served.box != home) ++moves_;
  served_[camera] = served;
}

void Assignment::put(std::size_t box, const std::vector<std::size_t>& cameras,
                     const std::vector<Served>& served, std::vector<double> prices) {
  SettledBox& settled = boxes_[box];
  settled.cameras.clear();
  settled.value = 0.0;
  settled.lean.assign(settled.lean.size(), 0.0);
  const Kind& kind = model_->kind_of(box);
  std::vector<Served> here;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    if (served[i].box != box) continue;
    const Item& item = model_->items()[cameras[i]];
    settled.cameras.push_back(cameras[i]);
    here.push_back(served[i]);
    set_served(cameras[i], served[i]);
    settled.value += net_value(*model_, cameras[i], served[i]);
    for (std::size_t row = 0; row < settled.lean.size(); ++row) {
      settled.lean[row] += lean_use(kind, model_->menu_on(item, box), item, row);
    }
  }
  settled.losses = losses_of(*model_, settled.cameras, here);
  if (prices.size() == kind.capacity.size()) settled.prices = std::move(prices);
}

std::vector<std::size_t> Assignment::settle(std::size_t box, std::vector<std::size_t> cameras,
                                            const JointLimits& limits) {
  std::sort(cameras.begin(), cameras.end());
  JointTask task;
  task.boxes = {box};
  task.cameras = std::move(cameras);
  task.room = room(task.cameras);
  const JointResult result = solve(task, limits);
  std::vector<std::size_t> off;
  for (std::size_t i = 0; i < task.cameras.size(); ++i) {
    if (result.found && !result.served[i].off()) continue;
    off.push_back(task.cameras[i]);
    set_served(task.cameras[i], {});
  }
  put(box, task.cameras, result.found ? result.served : std::vector<Served>(task.cameras.size()),
      result.prices.empty() ? std::vector<double>{} : result.prices.front());
  return off;
}

void Assignment::remove(std::size_t camera, const JointLimits& limits) {
  const std::size_t box = served_[camera].box;
  if (box == kNone) return;
  std::vector<std::size_t> left = boxes_[box].cameras;
  std::erase(left, camera);
  set_served(camera, {});
  (void)settle(box, std::move(left), limits);
}

void Assignment::lose(std::size_t box) {
  for (const std::size_t camera : boxes_[box].cameras) set_served(camera, {});
  boxes_[box].cameras.clear();
  boxes_[box].value = 0.0;
  boxes_[box].losses.assign(2 * model_->ranks(), 0.0);
  boxes_[box].lean.assign(boxes_[box].lean.size(), 0.0);
  lost_[box] = true;
}

Assignment::Saved Assignment::save(const std::vector<std::size_t>& boxes,
                                   const std::vector<std::size_t>& cameras) const {
  Saved saved;
  for (const std::size_t box : boxes) {
    saved.boxes.emplace_back(box, boxes_[box]);
    for (const std::size_t camera : boxes_[box].cameras) saved.cameras.emplace_back(camera, served_[camera]);
  }
  for (const std::size_t camera : cameras) saved.cameras.emplace_back(camera, served_[camera]);
  return saved;
}

void Assignment::restore(const Saved& saved) {
  for (const auto& [box, settled] : saved.boxes) boxes_[box] = settled;
  for (const auto& [camera, served] : saved.cameras) set_served(camera, served);
}

JointTask Assignment::joint_task(const std::vector<std::size_t>& boxes,
                                 const std::vector<std::size_t>& off) const {
  JointTask task;
  task.boxes = boxes;
  task.cameras = off;
  for (const std::size_t box : boxes) {
    task.cameras.insert(task.cameras.end(), boxes_[box].cameras.begin(), boxes_[box].cameras.end());
  }
  std::sort(task.cameras.begin(), task.cameras.end());
  for (const std::size_t camera : task.cameras) task.start.push_back(served_[camera]);
  task.room = room(task.cameras);
  return task;
}

std::size_t Assignment::moves_left(const JointTask& task, std::size_t most) const {
  std::size_t here = 0;
  for (std::size_t i = 0; i < task.cameras.size(); ++i) {
    const std::size_t home = model_->items()[task.cameras[i]].home;
    if (home != kNone && task.start[i].box != home) ++here;
  }
  return here + (most > moves_ ? most - moves_ : 0);
}

JointResult Assignment::solve(const JointTask& task, const JointLimits& limits) {
  ++solves_;
  return solve_jointly(*model_, task, limits);
}

void Assignment::adopt(const JointTask& task, const JointResult& result) {
  for (std::size_t i = 0; i < task.cameras.size(); ++i) set_served(task.cameras[i], result.served[i]);
  for (std::size_t b = 0; b < task.boxes.size(); ++b) {
    put(task.boxes[b], task.cameras, result.served,
        b < result.prices.size() ? result.prices[b] : std::vector<double>{});
  }
}

std::vector<std::vector<std::size_t>> Assignment::room(const std::vector<std::size_t>& without) const {
  std::vector<std::vector<std::size_t>> room;
  for (const SpreadGroup& spread : model_->spreads()) room.emplace_back(spread.cells, spread.rule.most);
  if (room.empty()) return room;
  for (std::size_t i = 0; i < served_.size(); ++i) {
    const std::size_t s = model_->items()[i].spread;
    if (s == kNone || served_[i].off() || std::binary_search(without.begin(), without.end(), i)) continue;
    const std::size_t cell = model_->spreads()[s].cell[served_[i].box];
    if (cell != kNone && room[s][cell] > 0) --room[s][cell];
  }
  return room;
}

bool Assignment::has_room(std::size_t camera, std::size_t box) const {
  if (lost_[box] || !model_->allowed(camera, box)) return false;
  const Item& item = model_->items()[camera];
  const Kind& kind = model_->kind_of(box);
  const std::size_t most = std::min(kind.max_cameras.value_or(kMostCamerasPerBox), kMostCamerasPerBox);
  if (boxes_[box].cameras.size() >= most) return false;
  if (item.unit != kNone) {
    for (const std::size_t other : model_->units()[item.unit]) {
      if (other != camera && !served_[other].off() && served_[other].box != box) return false;
    }
  }
  if (item.spread != kNone) {
    const std::size_t cell = model_->spreads()[item.spread].cell[box];
    if (cell != kNone && room({camera})[item.spread][cell] == 0) return false;
  }
  return true;
}

bool Assignment::insert_on(std::size_t camera, std::size_t box, const JointLimits& limits, bool kept) {
  JointTask task;
  task.boxes = {box};
  task.cameras = boxes_[box].cameras;
  task.cameras.insert(std::upper_bound(task.cameras.begin(), task.cameras.end(), camera), camera);
  for (const std::size_t other : task.cameras) task.start.push_back(served_[other]);
  task.room = room(task.cameras);
  const Losses before = losses_of(*model_, task.cameras, task.start);
  const JointResult result = solve(task, limits);
  if (!result.found) return false;
  const bool better = kept ? loses_nothing(result.losses) : loses_less(result.losses, before);
  if (better) adopt(task, result);
  return better;
}

bool Assignment::insert(std::size_t camera, const JointLimits& limits, bool kept) {
  constexpr std::size_t kMostTried = 12;  // boxes, of those with room for all at the demanded rates
  constexpr std::size_t kMostLossy = 4;   // boxes, of those without
  const Item& item = model_->items()[camera];
  std::vector<std::pair<double, std::size_t>> fits;
  std::vector<std::pair<double, std::size_t>> full;
  for (const std::size_t box : model_->boxes_for(camera)) {
    if (!has_room(camera, box)) continue;
    const Kind& kind = model_->kind_of(box);
    const Menu& menu = model_->menu_on(item, box);
    double fill = 0.0;
    for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
      const double lean = boxes_[box].lean[row] + lean_use(kind, menu, item, row);
      fill = std::max(fill, lean / std::max(kind.capacity[row], 1e-12));
    }
    const double cost = item.home != kNone && item.home != box ? item.moving_cost : 0.0;
    if (fill <= 1.0 && loses_nothing(boxes_[box].losses)) {
      // The emptier one where the prices of both are alike, or unknown.
      const double value = best_at(kind, menu, item, boxes_[box].prices).value - cost;
      fits.emplace_back(-(value - 1e-3 * item.weight * fill), box);
    } else {
      full.emplace_back(fill, box);
    }
  }
  std::sort(fits.begin(), fits.end());
  for (std::size_t i = 0; i < std::min(fits.size(), kMostTried); ++i) {
    if (insert_on(camera, fits[i].second, limits, true)) return true;
  }
  if (kept) return false;
  for (const auto& [value, box] : fits) full.emplace_back(1.0, box);
  std::sort(full.begin(), full.end());
  for (std::size_t i = 0; i < std::min(full.size(), kMostLossy); ++i) {
    if (insert_on(camera, full[i].second, limits, false)) return true;
  }
  return false;
}

}  // namespace saccade::fleet
