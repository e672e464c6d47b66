#include "fleet/model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>
#include <tuple>

#include "scheduler/menus.hpp"
#include "scheduler/problem_builder.hpp"

namespace saccade::fleet {
namespace {

bool same_hardware(const Box& a, const Box& b) {
  return a.processors == b.processors && a.limits.peak_power == b.limits.peak_power &&
         a.limits.energy_per_second == b.limits.energy_per_second && a.limits.memory == b.limits.memory &&
         a.limits.memories == b.limits.memories && a.idle_power == b.idle_power && a.reserve == b.reserve &&
         a.max_cameras == b.max_cameras && a.features == b.features && a.profiles == b.profiles;
}

Kind kind_like(const Problem& problem, const Box& box) {
  Kind kind;
  kind.first = &box;
  kind.snapshot = snapshot_of(problem, box, {});
  kind.max_cameras = box.max_cameras;
  const scheduler::Menus none(kind.snapshot);
  const scheduler::ProblemBuilder builder(none);
  for (const scheduler::Row& row : builder.rows()) {
    kind.per_frame.push_back(row.resource != scheduler::Resource::memory &&
                             row.resource != scheduler::Resource::device_memory);
    kind.capacity.push_back(scheduler::capacity_of(row) * (1.0 - box.reserve));
  }
  if (const auto& peak = builder.joint_peak()) {
    kind.peak = scheduler::capacity_of(*peak) * (1.0 - box.reserve);
  }
  return kind;
}

// What decides which variants a camera may have on a kind, and what they use per frame.
std::string filters_of(const Camera& camera) {
  const scheduler::Task& task = camera.task;
  std::string key = camera.network + ';' + std::to_string(task.regions) + ';';
  const auto put = [&](const std::optional<double>& limit) {
    std::array<char, 32> digits{};
    if (limit)
      key.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), *limit).ptr);
    key += ';';
  };
  const auto put_quantity = [&](const auto& limit) {
    put(limit ? std::optional(limit->value()) : std::nullopt);
  };
  put(task.min_accuracy);
  put(task.min_relative_accuracy);
  put_quantity(task.max_frame_time);
  put_quantity(task.max_latency);
  if (task.max_latency) put(task.demand.value());  // the latency is that at the demanded rate
  put_quantity(task.max_power);
  put_quantity(task.max_memory);
  return key;
}

std::string labels_of(const Where& where) {
  std::string key;
  for (const auto& [label, values] : where.labels) {
    key += label + '\n';
    for (const std::string& value : values) key += '\t' + value;
    key += '\n';
  }
  return key;
}

bool takes(BoxState state) { return state == BoxState::active; }
bool keeps(BoxState state) { return state == BoxState::active || state == BoxState::cordoned; }

}  // namespace

double floor_of(const Item& item, const Offer& offer) {
  return std::max(item.floor, std::min(item.time_share / offer.time, item.rate));
}

Model::Model(const Problem& problem) : problem_(problem) {
  find_kinds();
  find_groups();
  std::set<int, std::greater<>> priorities;
  items_.resize(problem.cameras.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (problem.cameras[i].task.active()) priorities.insert(problem.cameras[i].task.priority);
    items_[i].menu = menu_of(i);
  }
  priorities_.assign(priorities.begin(), priorities.end());
  find_menus();
  for (std::size_t i = 0; i < items_.size(); ++i) fill_item(i);
}

void Model::find_kinds() {
  for (std::size_t b = 0; b < problem_.boxes.size(); ++b) {
    const Box& box = problem_.boxes[b];
    box_index_.emplace(box.id, b);
    std::size_t kind = 0;
    while (kind < kinds_.size() && !same_hardware(*kinds_[kind].first, box)) ++kind;
    if (kind == kinds_.size()) kinds_.push_back(kind_like(problem_, box));
    kind_of_.push_back(kind);
  }
}

void Model::find_groups() {
  groups_.clear();
  group_of_.clear();
  std::map<std::tuple<std::size_t, BoxState, std::map<std::string, std::string>>, std::size_t> known;
  for (std::size_t b = 0; b < problem_.boxes.size(); ++b) {
    const Box& box = problem_.boxes[b];
    const std::size_t group =
        known.emplace(std::tuple(kind_of_[b], box.state, box.labels), known.size()).first->second;
    if (group == groups_.size()) groups_.push_back({kind_of_[b], {}});
    groups_[group].boxes.push_back(b);
    group_of_.push_back(group);
  }
}

std::size_t Model::menu_of(std::size_t camera) {
  const auto [found, added] = menu_keys_.emplace(filters_of(problem_.cameras[camera]), menu_count_);
  if (added) {
    ++menu_count_;
    example_.push_back(camera);
  }
  return found->second;
}

void Model::find_menus() {
  std::map<std::string, double> best;  // accuracy of a network
  for (const Kind& kind : kinds_) {
    for (const auto& [network, set] : kind.first->profiles) {
      double& most = best[network];
      most = std::max(most, set->best_accuracy());
    }
  }
  menus_.resize(kinds_.size() * menu_count_);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (std::size_t menu = 0; menu < menu_count_; ++menu) {
      const Camera& camera = problem_.cameras[example_[menu]];
      menus_[kind * menu_count_ + menu] = offers(kind, camera, best[camera.network]);
    }
  }
}

Menu Model::offers(std::size_t kind, const Camera& camera, double best_accuracy) const {
  const auto profiles = kinds_[kind].first->profiles.find(camera.network);
  if (profiles == kinds_[kind].first->profiles.end()) return {};
  if (!understands(*kinds_[kind].first, camera)) return {};
  scheduler::Snapshot snapshot = kinds_[kind].snapshot;
  snapshot.tasks.push_back(camera.task);
  if (!camera.task.max_latency) snapshot.tasks.back().demand = Fps(1.0);
  snapshot.tasks.back().profiles = profiles->second;
  snapshot.tasks.back().running.reset();
  if (!scheduler::validate(snapshot).empty()) return {};
  const scheduler::Menus menus(snapshot);
  if (menus.choices().empty()) return {};
  const scheduler::ProblemBuilder builder(menus);
  const scheduler::Choice& choice = menus.choices().front();
  Menu menu;
  for (const std::size_t variant : choice.front) {
    const ilp::Option option = builder.option(choice, {variant, Fps(1.0)});
    const scheduler::VariantCost cost = choice.costs->of(variant);
    Offer& offer = menu.emplace_back();
    offer.variant = variant;
    for (const double use : option.use) offer.use.push_back(use);
    offer.peak = option.peak;
    offer.time = cost.total_time().value();
    switch (snapshot.objective) {
      case scheduler::Objective::max_accuracy:
        offer.accuracy = best_accuracy > 0.0 ? cost.accuracy / best_accuracy : 1.0;
        break;
      case scheduler::Objective::min_energy:
        offer.per_frame = -cost.energy->value();
        break;
      case scheduler::Objective::min_memory:
        offer.per_camera = -cost.memory->value();
        break;
    }
  }
  return menu;
}

void Model::fill_item(std::size_t index) {
  const Camera& camera = problem_.cameras[index];
  Item& item = items_[index];
  const scheduler::Task& task = camera.task;
  item.rate = task.demand.value();
  item.weight = task.weight;
  item.floor = std::min(task.min_fps, task.demand).value();
  item.time_share = task.min_time_share;
  item.where = rules_of(camera.where);
  find_home(index);
  if (!task.active()) return;
  weight_ += task.weight;
  item.rank = static_cast<std::size_t>(
      std::lower_bound(priorities_.begin(), priorities_.end(), task.priority, std::greater<>()) -
      priorities_.begin());
  if (!camera.where.together.empty()) {
    const auto [unit, added] = unit_keys_.emplace(camera.where.together, units_.size());
    if (added) units_.emplace_back();
    item.unit = unit->second;
    units_[item.unit].push_back(index);
  }
  if (camera.where.spread) find_spread(camera, item);
}

void Model::follow_serving(std::size_t camera) { find_home(camera); }

void Model::follow_states() {
  find_groups();
  for (Rules& rules : rules_) rules.labelled.reset();
  allowed_keys_.clear();
  allowed_.clear();
  for (std::size_t i = 0; i < items_.size(); ++i) find_home(i);
}

void Model::find_home(std::size_t index) {
  const Camera& camera = problem_.cameras[index];
  Item& item = items_[index];
  item.home = kNone;
  item.moving_cost = 0.0;
  item.groups = groups_for(camera, item);
  if (!camera.task.active() || !camera.serving) return;
  const auto home = box_index_.find(*camera.serving);
  if (home == box_index_.end() || menu_on(item, home->second).empty()) return;
  const Box& box = problem_.boxes[home->second];
  if (!keeps(box.state) || !allows(camera.where, box)) return;
  item.home = home->second;
  if (problem_.policy.objective == scheduler::Objective::max_accuracy) {
    item.moving_cost = problem_.policy.moving_cost * item.weight;
  }
}

void Model::find_spread(const Camera& camera, Item& item) {
  const Spread& rule = *camera.where.spread;
  const auto [found, added] = spread_keys_.emplace(rule.group, spreads_.size());
  item.spread = found->second;
  if (!added) return;
  SpreadGroup& spread = spreads_.emplace_back();
  spread.rule = rule;
  std::map<std::string, std::size_t> cells;
  for (const Box& box : problem_.boxes) {
    const auto label = box.labels.find(rule.label);
    if (!rule.label.empty() && label == box.labels.end()) {
      spread.cell.push_back(kNone);
      continue;
    }
    const std::string& value = rule.label.empty() ? box.id.str() : label->second;
    spread.cell.push_back(cells.emplace(value, cells.size()).first->second);
  }
  spread.cells = cells.size();
}

std::size_t Model::rules_of(const Where& where) {
  std::string key = labels_of(where);
  for (const BoxId& box : where.boxes) key += "\v" + box.str();
  for (const BoxId& box : where.avoid) key += "\f" + box.str();
  const auto [found, added] = rules_keys_.emplace(std::move(key), rules_.size());
  if (added) rules_.push_back({&where, !where.boxes.empty() || !where.avoid.empty(), {}});
  return found->second;
}

std::size_t Model::groups_for(const Camera& camera, const Item& item) {
  const std::size_t menu = camera.task.active() ? item.menu : kNone;
  const std::size_t home = [&] {
    if (!camera.serving) return kNone;
    const auto box = box_index_.find(*camera.serving);
    const bool stays = box != box_index_.end() && problem_.boxes[box->second].state == BoxState::cordoned;
    return stays ? group_of_[box->second] : kNone;
  }();
  const auto [found, added] = allowed_keys_.emplace(std::array{item.where, menu, home}, allowed_.size());
  if (!added) return found->second;
  std::vector<std::size_t>& groups = allowed_.emplace_back();
  if (menu == kNone) return found->second;
  Rules& rules = rules_[item.where];
  if (!rules.labelled) {
    rules.labelled.emplace();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (labels_allow(*rules.where, problem_.boxes[groups_[g].boxes.front()].labels))
        rules.labelled->push_back(g);
    }
  }
  for (const std::size_t g : *rules.labelled) {
    const Box& first = problem_.boxes[groups_[g].boxes.front()];
    if (!takes(first.state) && g != home) continue;
    if (menus_[groups_[g].kind * menu_count_ + menu].empty()) continue;
    const auto may = [&](std::size_t box) { return allows(*rules.where, problem_.boxes[box]); };
    if (!rules.pinned || std::any_of(groups_[g].boxes.begin(), groups_[g].boxes.end(), may)) {
      groups.push_back(g);
    }
  }
  return found->second;
}

bool Model::allowed(std::size_t camera, std::size_t box) const {
  const std::vector<std::size_t>& groups = allowed_[items_[camera].groups];
  if (!std::binary_search(groups.begin(), groups.end(), group_of_[box])) return false;
  if (!takes(problem_.boxes[box].state) && items_[camera].home != box) return false;
  const Where& where = problem_.cameras[camera].where;
  return (where.boxes.empty() && where.avoid.empty()) || allows(where, problem_.boxes[box]);
}

bool Model::interchangeable(std::size_t a, std::size_t b) const {
  const Item& one = items_[a];
  const Item& other = items_[b];
  const auto facts = [](const Item& item) {
    return std::tuple(item.menu, item.groups, item.rank, item.rate, item.weight, item.floor, item.time_share,
                      item.home, item.moving_cost, item.spread);
  };
  return one.unit == kNone && other.unit == kNone && facts(one) == facts(other);
}

std::vector<std::size_t> Model::boxes_for(std::size_t camera) const {
  std::vector<std::size_t> boxes;
  for (const std::size_t group : allowed_[items_[camera].groups]) {
    for (const std::size_t box : groups_[group].boxes) {
      if (allowed(camera, box)) boxes.push_back(box);
    }
  }
  std::sort(boxes.begin(), boxes.end());
  return boxes;
}

}  // namespace saccade::fleet
