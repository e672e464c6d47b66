#include "fleet/plan.hpp"

#include <algorithm>
#include <cmath>

#include "fleet/place.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/text.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::fleet {
namespace {

// Options, at the demanded rates, of a fleet that is solved as a whole. Where demand is lost, lower rates are
// options as well, and there is a search per loss.
constexpr std::size_t kSmall = 5'000;
constexpr std::size_t kSmallLossy = 3'000;

void settle_all(Assignment& assignment, const std::vector<std::size_t>& at, const JointLimits& limits) {
  std::vector<std::vector<std::size_t>> cameras(assignment.model().problem().boxes.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] != kNone) cameras[at[i]].push_back(i);
  }
  for (std::size_t box = 0; box < cameras.size(); ++box) {
    if (!cameras[box].empty()) (void)assignment.settle(box, std::move(cameras[box]), limits);
  }
}

bool is_small(const Model& model, std::size_t most) {
  std::size_t options = 0;
  bool joinable = model.units().empty() && !model.problem().boxes.empty();
  for (const Kind& kind : model.kinds()) joinable = joinable && !kind.peak;
  for (std::size_t i = 0; joinable && i < model.items().size(); ++i) {
    for (const std::size_t group : model.allowed(model.items()[i])) {
      const Group& of = model.groups()[group];
      options += of.boxes.size() * model.menu(of.kind, model.items()[i].menu).size();
    }
    joinable = options <= most;
  }
  return joinable;
}

// The whole fleet as one choice problem. True: no assignment is better, within the moves that are allowed.
bool solve_whole(const PlanLimits& limits, FleetPlan& plan) {
  const Model& model = plan.assignment.model();
  std::vector<std::size_t> boxes(model.problem().boxes.size());
  for (std::size_t b = 0; b < boxes.size(); ++b) boxes[b] = b;
  std::vector<std::size_t> off;
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    if (plan.assignment.served(i).off() && !model.allowed(model.items()[i]).empty()) off.push_back(i);
  }
  JointTask task = plan.assignment.joint_task(boxes, off);
  task.most_moves = model.problem().policy.most_moves;
  JointLimits whole = limits.joint;
  whole.max_nodes = 100 * limits.joint.max_nodes;
  whole.gap = 1e-9;
  if (!whole.stop) whole.stop = limits.stop;
  const JointResult result = plan.assignment.solve(task, whole);
  if (!result.found || loses_less(plan.assignment.losses(), result.losses)) return false;
  const double value = plan.assignment.value();
  if (loses_less(result.losses, plan.assignment.losses()) || result.value > value) {
    plan.assignment.adopt(task, result);
  }
  const bool proven = result.proven && loses_nothing(result.losses);
  plan.exact = proven && !task.most_moves;
  if (plan.exact) plan.bound = result.bound;
  return proven;
}

void search_further(const PlanLimits& limits, FleetPlan& plan) {
  NeighbourhoodLimits search;
  search.rounds = limits.rounds;
  search.most_moves = plan.assignment.model().problem().policy.most_moves;
  search.enough = plan.bound - std::max(limits.gap, 1e-9) * std::abs(plan.bound);
  search.stop = limits.stop_prices ? limits.stop_prices : limits.stop;
  plan.search = search_neighbourhoods(plan.assignment, search);
}

Stage loss_stage(const Model& model, const Losses& losses, std::size_t rank, Stage::Measure measure) {
  Stage stage;
  stage.measure = measure;
  stage.rank = rank;
  const bool value = measure == Stage::Measure::value;
  for (std::size_t r = 0; r < model.ranks(); ++r) {
    const bool earlier = value || r < rank;
    const bool own_rate = !value && r == rank && measure == Stage::Measure::rate_loss;
    stage.may_be_off.push_back(earlier || own_rate ? losses[2 * r] > 0.0 : true);
    stage.may_be_lowered.push_back(earlier ? losses[2 * r + 1] > 0.0 : true);
  }
  return stage;
}

// What every camera loses in the measure of a stage.
std::vector<double> lost_in(const Stage& stage, const Assignment& assignment) {
  std::vector<double> lost(assignment.all().size(), 0.0);
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const Item& item = assignment.model().items()[i];
    const Served& served = assignment.served(i);
    if (item.rank != stage.rank || assignment.model().allowed(item).empty()) continue;
    lost[i] = stage.measure == Stage::Measure::weight_off ? (served.off() ? item.weight : 0.0)
                                                          : item.weight * (item.rate - served.rate);
  }
  return lost;
}

}  // namespace

double FleetPlan::gap() const { return std::abs(bound - value) / std::max(std::abs(value), 1e-9); }

void prove(const Model& model, const PlanLimits& limits, FleetPlan& plan) {
  plan.loss_bounds.assign(plan.losses.size(), 0.0);
  if (loses_nothing(plan.losses)) return;  // the bound of the prices that placed it
  const PriceLimits price_limits{limits.passes, 0.0, limits.stop};
  for (std::size_t s = 0; s < plan.losses.size(); ++s) {
    if (plan.losses[s] == 0.0) continue;
    const auto measure = s % 2 == 0 ? Stage::Measure::weight_off : Stage::Measure::rate_loss;
    const Stage stage = loss_stage(model, plan.losses, s / 2, measure);
    PriceLimits loss_limits = price_limits;
    loss_limits.known = lost_in(stage, plan.assignment);
    plan.loss_bounds[s] = std::max(0.0, -find_prices(model, stage, loss_limits).bound);
  }
  const Stage value = loss_stage(model, plan.losses, 0, Stage::Measure::value);
  const PriceLimits value_limits{limits.passes, 1e-7, limits.stop, {}, 0.2};
  plan.bound = find_prices(model, value, value_limits, plan.prices.of).bound;
}

std::vector<std::size_t> homes_of(const Model& model) {
  std::vector<std::size_t> homes;
  for (const Item& item : model.items()) homes.push_back(item.home);
  return homes;
}

Assignment settle_kept(const Model& model, const JointLimits& limits) {
  Assignment kept(model);
  settle_all(kept, homes_of(model), limits);
  return kept;
}

Assignment settle_kept(const Model& model, const JointLimits& limits, const Assignment& before,
                       const std::vector<bool>& changed) {
  std::vector<std::size_t> same;
  for (std::size_t box = 0; box < changed.size(); ++box) {
    if (!changed[box]) same.push_back(box);
  }
  Assignment kept(model);
  kept.restore(before.save(same, {}));
  std::vector<std::size_t> at = homes_of(model);
  for (std::size_t& box : at) {
    if (box != kNone && !changed[box]) box = kNone;
  }
  settle_all(kept, at, limits);
  return kept;
}

FleetPlan plan_kept(const Model& model, const PlanLimits& limits) {
  FleetPlan plan{settle_kept(model, limits.joint), {}, 0.0, 0.0, {}, {}, 0, false, {}, {}, {}};
  plan.prices = find_prices(model, steering_stage(model), {limits.passes, 2e-6, limits.stop});
  plan.bound = plan.prices.bound;
  plan.value = plan.assignment.value();
  plan.losses = plan.assignment.losses();
  prove(model, limits, plan);
  if (limits.survival) plan.certificates = certify_losses(plan.assignment);
  return plan;
}

FleetPlan plan_fleet(const Model& model, const PlanLimits& limits) {
  FleetPlan plan{Assignment(model), {}, 0.0, 0.0, {}, {}, 0, false, {}, {}, {}};
  plan.prices = find_prices(model, steering_stage(model),
                            {limits.passes, 2e-6, limits.stop_prices ? limits.stop_prices : limits.stop});
  plan.bound = plan.prices.bound;
  settle_all(plan.assignment, place(model, plan.prices, homes_of(model)), limits.joint);
  ImproveLimits improve_limits;
  improve_limits.joint = limits.joint;
  const auto boxes = static_cast<std::int64_t>(model.problem().boxes.size());
  improve_limits.pairs = limits.pairs.value_or(std::max<std::int64_t>(4 * boxes, 200));
  improve_limits.most_moves = model.problem().policy.most_moves;
  improve_limits.stop = limits.stop;
  if (limits.gap > 0.0) improve_limits.enough = plan.bound - limits.gap * std::abs(plan.bound);
  plan.improvement = improve(plan.assignment, improve_limits);
  const bool lossy = !loses_nothing(plan.assignment.losses());
  const bool proven = is_small(model, lossy ? kSmallLossy : kSmall) && solve_whole(limits, plan);
  if (!proven && limits.rounds > 0) search_further(limits, plan);
  plan.value = plan.assignment.value();
  plan.losses = plan.assignment.losses();
  plan.moves = plan.assignment.moves();
  prove(model, limits, plan);
  if (limits.survival) plan.certificates = certify_losses(plan.assignment);
  return plan;
}

scheduler::Plan plan_of_box(const Assignment& assignment, std::size_t box,
                            const scheduler::DecideLimits& limits) {
  const Problem& problem = assignment.model().problem();
  const ilp::CoreSolver solver;
  return scheduler::Transprecision(solver).decide(
      snapshot_of(problem, problem.boxes[box], assignment.box(box).cameras), limits);
}

std::string why_off(const Assignment& assignment, std::size_t camera) {
  const Model& model = assignment.model();
  const Camera& it = model.problem().cameras[camera];
  if (!it.task.active() || !assignment.served(camera).off()) return "";
  std::size_t allowed = 0;
  std::size_t known = 0;
  std::size_t understood = 0;
  for (const Box& box : model.problem().boxes) {
    if (!allows(it.where, box)) continue;
    ++allowed;
    if (!box.profiles.contains(it.network)) continue;
    ++known;
    if (understands(box, it)) ++understood;
  }
  const std::string boxes = std::to_string(allowed) + (allowed == 1 ? " box" : " boxes");
  if (known == 0)
    return "none of the " + boxes + " it may be on has network " + scheduler::quoted(it.network);
  if (understood == 0)
    return std::string("none of the ") + boxes + " it may be on understands " + kMaxLatencyFeature +
           ": they run an earlier version";
  if (model.allowed(model.items()[camera]).empty()) {
    return "no variant passes its filters on any of the " + boxes + " it may be on that takes cameras";
  }
  return "the boxes it may be on have no room: serving it would cost cameras of as high a class, or break "
         "spread, "
         "together or max_cameras";
}

}  // namespace saccade::fleet
