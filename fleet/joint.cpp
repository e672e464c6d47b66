#include "fleet/joint.hpp"

#include <algorithm>
#include <cmath>

#include "ilp/choice_problem.hpp"
#include "ilp/core_solver.hpp"

namespace saccade::fleet {
namespace {

constexpr std::size_t kMostRates = 6;  // between the demanded rate and the floor

bool less_lost(double a, double b) { return a < b && !ilp::equal_value(a, b); }

class Joint {
 public:
  Joint(const Model& model, const JointTask& task, const JointLimits& limits)
      : model_(model), task_(task), limits_(limits) {
    lay_out_rows();
  }

  JointResult run() {
    JointResult result = at_demand();
    if (result.found || stopped_) return result;
    return losing_least();
  }

 private:
  // ---- rows

  void lay_out_rows() {
    const std::size_t boxes = task_.boxes.size();
    for (const std::size_t box : task_.boxes) {
      first_row_.push_back(capacities_.size());
      const Kind& kind = model_.kind_of(box);
      capacities_.insert(capacities_.end(), kind.capacity.begin(), kind.capacity.end());
    }
    for (std::size_t b = 0; b < boxes; ++b) {
      count_row_.push_back(kNone);
      const auto most = model_.kind_of(task_.boxes[b]).max_cameras;
      const std::size_t allowed = std::min(most.value_or(kMostCamerasPerBox), kMostCamerasPerBox);
      if (task_.cameras.size() > allowed) add_row(count_row_.back(), static_cast<double>(allowed));
    }
    for (std::size_t s = 0; s < model_.spreads().size(); ++s) {
      spread_row_.emplace_back(model_.spreads()[s].cells, kNone);
    }
    for (const std::size_t camera : task_.cameras) {
      const std::size_t s = model_.items()[camera].spread;
      if (s == kNone) continue;
      for (const std::size_t box : task_.boxes) {
        const std::size_t cell = model_.spreads()[s].cell[box];
        if (cell == kNone || spread_row_[s][cell] != kNone) continue;
        const std::size_t room = task_.room.empty() ? model_.spreads()[s].rule.most : task_.room[s][cell];
        add_row(spread_row_[s][cell], static_cast<double>(room));
      }
    }
    if (task_.most_moves) add_row(moves_row_, static_cast<double>(*task_.most_moves));
    // A box by itself keeps its joint peak.
    if (boxes == 1) peak_ = model_.kind_of(task_.boxes.front()).peak;
  }

  void add_row(std::size_t& row, double capacity) {
    row = capacities_.size();
    capacities_.push_back(capacity);
  }

  // ---- options

  [[nodiscard]] bool may_be_on(std::size_t i, std::size_t box) const {
    const std::size_t camera = task_.cameras[i];
    if (!model_.allowed(camera, box)) return false;
    const bool held = (task_.boxes.size() > 1 && model_.items()[camera].unit != kNone) ||
                      (!task_.held.empty() && task_.held[i]);
    return !held || (!task_.start.empty() && task_.start[i].box == box);
  }

  void add_options(std::size_t i, bool lossy) {
    const Item& item = model_.items()[task_.cameras[i]];
    offered_.emplace_back();
    for (const std::size_t box : task_.boxes) {
      if (!may_be_on(i, box)) continue;
      const Menu& menu = model_.menu_on(item, box);
      for (std::size_t o = 0; o < menu.size(); ++o) {
        offered_.back().push_back({box, o, item.rate});
        if (lossy) add_lower_rates(item, menu[o], {box, o, item.rate});
      }
    }
    if (lossy) offered_.back().push_back({});
    if (!lossy || task_.start.empty()) return;
    const std::vector<Served>& known = offered_.back();
    if (std::find(known.begin(), known.end(), task_.start[i]) == known.end()) {
      offered_.back().push_back(task_.start[i]);
    }
  }

  void add_lower_rates(const Item& item, const Offer& offer, Served served) {
    const double floor = floor_of(item, offer);
    if (floor >= item.rate) return;
    const auto steps = static_cast<std::size_t>(std::ceil(item.rate - floor));
    const std::size_t stride = (steps + kMostRates - 1) / kMostRates;
    for (std::size_t step = stride; step < steps; step += stride) {
      served.rate = item.rate - static_cast<double>(step);
      if (served.rate > 0.0) offered_.back().push_back(served);
    }
    served.rate = floor;
    if (floor > 0.0) offered_.back().push_back(served);
  }

  [[nodiscard]] ilp::ChoiceProblem problem_of(
      const std::function<double(std::size_t, const Served&)>& level) {
    ilp::ChoiceProblem problem;
    problem.capacities = capacities_;
    if (peak_) {
      problem.peak_count = model_.kind_of(task_.boxes.front()).snapshot.processors.size();
      problem.peak_capacity = peak_;
    }
    problem.groups.resize(offered_.size());
    for (std::size_t i = 0; i < offered_.size(); ++i) {
      problem.groups[i].options.reserve(offered_[i].size());
      for (const Served& served : offered_[i]) {
        ilp::Option& option = problem.groups[i].options.emplace_back();
        option.levels = {level(i, served)};
        option.use.assign(capacities_.size(), 0.0);
        if (peak_) option.peak.assign(problem.peak_count, 0.0);
        if (!served.off()) put_use(task_.cameras[i], served, option);
      }
    }
    return problem;
  }

  void put_use(std::size_t camera, const Served& served, ilp::Option& option) const {
    const Item& item = model_.items()[camera];
    const Kind& kind = model_.kind_of(served.box);
    const Offer& offer = model_.menu_on(item, served.box)[served.offer];
    const auto b = static_cast<std::size_t>(std::find(task_.boxes.begin(), task_.boxes.end(), served.box) -
                                            task_.boxes.begin());
    for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
      option.use[first_row_[b] + row] = use_of(kind, offer, row, served.rate);
    }
    if (count_row_[b] != kNone) option.use[count_row_[b]] = 1.0;
    if (item.spread != kNone) {
      const std::size_t cell = model_.spreads()[item.spread].cell[served.box];
      if (cell != kNone) option.use[spread_row_[item.spread][cell]] = 1.0;
    }
    if (moves_row_ != kNone && item.home != kNone && item.home != served.box) option.use[moves_row_] = 1.0;
    if (peak_) option.peak = offer.peak;
  }

  // ---- solving

  [[nodiscard]] std::optional<ilp::Picks> picks_of(const std::vector<Served>& start) const {
    ilp::Picks picks;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const auto found = std::find(offered_[i].begin(), offered_[i].end(), start[i]);
      if (found == offered_[i].end()) return std::nullopt;
      picks.push_back(static_cast<std::size_t>(found - offered_[i].begin()));
    }
    return picks;
  }

  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const std::vector<Served>& start) const {
    ilp::SolveLimits limits{limits_.stop, limits_.max_nodes, limits_.gap, std::nullopt};
    if (!start.empty() && !task_.anew) limits.start = picks_of(start);
    return ilp::CoreSolver().solve(problem, limits);
  }

  [[nodiscard]] std::vector<Served> taken(const ilp::Picks& picks) const {
    std::vector<Served> served;
    for (std::size_t i = 0; i < picks.size(); ++i) served.push_back(offered_[i][picks[i]]);
    return served;
  }

  [[nodiscard]] double value(std::size_t i, const Served& served) const {
    return net_value(model_, task_.cameras[i], served);
  }

  [[nodiscard]] JointResult concluded(std::vector<Served> served) const {
    JointResult result;
    result.found = true;
    result.losses = losses_of(model_, task_.cameras, served);
    for (std::size_t i = 0; i < served.size(); ++i) result.value += value(i, served[i]);
    result.served = std::move(served);
    return result;
  }

  void quote_prices(const ilp::ChoiceResult& solved, JointResult& result) const {
    if (solved.prices.size() < first_row_.back() + model_.kind_of(task_.boxes.back()).capacity.size()) return;
    for (std::size_t b = 0; b < task_.boxes.size(); ++b) {
      const auto first = solved.prices.begin() + static_cast<std::ptrdiff_t>(first_row_[b]);
      const auto rows = static_cast<std::ptrdiff_t>(model_.kind_of(task_.boxes[b]).capacity.size());
      result.prices.emplace_back(first, first + rows);
    }
  }

  JointResult at_demand() {
    for (std::size_t i = 0; i < task_.cameras.size(); ++i) {
      add_options(i, false);
      if (offered_.back().empty()) return {};
    }
    const ilp::ChoiceResult solved =
        solve(problem_of([this](std::size_t i, const Served& s) { return value(i, s); }), task_.start);
    stopped_ = solved.limit == ilp::Limit::stop && solved.picks.empty();
    if (solved.picks.empty()) return {};
    JointResult result = concluded(taken(solved.picks));
    quote_prices(solved, result);
    result.bound = solved.bound.value_or(result.value);
    result.proven = solved.bound && result.bound - result.value <= limits_.gap * std::abs(result.value);
    return result;
  }

  // One stage after the other; a loss that is found is a row of the next stages.
  JointResult losing_least() {
    offered_.clear();
    for (std::size_t i = 0; i < task_.cameras.size(); ++i) add_options(i, true);
    std::vector<Served> best = task_.start.empty() ? std::vector<Served>(task_.cameras.size()) : task_.start;
    bool proven = true;
    for (std::size_t stage = 0; stage < 2 * model_.ranks(); ++stage) {
      const double most = losses_of(model_, task_.cameras, best)[stage];
      if (most > 0.0) {
        const ilp::ChoiceResult solved = solve(
            with_caps(problem_of([&](std::size_t i, const Served& s) { return -loss(i, s, stage); })), best);
        if (!solved.picks.empty()) best = taken(solved.picks);
        proven = proven && solved.verdict == ilp::Verdict::optimal;
      }
      caps_.push_back(losses_of(model_, task_.cameras, best)[stage]);
    }
    const ilp::ChoiceResult solved =
        solve(with_caps(problem_of([this](std::size_t i, const Served& s) { return value(i, s); })), best);
    if (!solved.picks.empty()) best = taken(solved.picks);
    JointResult result = concluded(std::move(best));
    quote_prices(solved, result);
    result.bound = solved.bound.value_or(result.value);
    result.proven =
        proven && solved.bound && result.bound - result.value <= limits_.gap * std::abs(result.value);
    return result;
  }

  [[nodiscard]] double loss(std::size_t i, const Served& served, std::size_t stage) const {
    const Item& item = model_.items()[task_.cameras[i]];
    if (item.rank != stage / 2) return 0.0;
    if (stage % 2 == 0) return served.off() ? item.weight : 0.0;
    return item.weight * (item.rate - served.rate);
  }

  [[nodiscard]] ilp::ChoiceProblem with_caps(ilp::ChoiceProblem problem) const {
    for (std::size_t stage = 0; stage < caps_.size(); ++stage) {
      problem.capacities.push_back(caps_[stage]);
      for (std::size_t i = 0; i < offered_.size(); ++i) {
        for (std::size_t j = 0; j < offered_[i].size(); ++j) {
          problem.groups[i].options[j].use.push_back(loss(i, offered_[i][j], stage));
        }
      }
    }
    return problem;
  }

  const Model& model_;
  const JointTask& task_;
  const JointLimits& limits_;
  std::vector<double> capacities_;
  std::vector<std::size_t> first_row_;                // per box
  std::vector<std::size_t> count_row_;                // per box
  std::vector<std::vector<std::size_t>> spread_row_;  // per spread group and cell
  std::size_t moves_row_ = kNone;
  std::optional<double> peak_;
  std::vector<std::vector<Served>> offered_;  // per camera: what its options stand for
  std::vector<double> caps_;                  // of the stages so far
  bool stopped_ = false;
};

}  // namespace

double net_value(const Model& model, std::size_t camera, const Served& served) {
  if (served.off()) return 0.0;
  const Item& item = model.items()[camera];
  const double value = value_of(item, model.menu_on(item, served.box)[served.offer], served.rate);
  return item.home != kNone && item.home != served.box ? value - item.moving_cost : value;
}

double start_value(const Model& model, const JointTask& task) {
  double value = 0.0;
  for (std::size_t i = 0; i < task.cameras.size(); ++i)
    value += net_value(model, task.cameras[i], task.start[i]);
  return value;
}

Losses losses_of(const Model& model, const std::vector<std::size_t>& cameras,
                 const std::vector<Served>& served) {
  Losses losses(2 * model.ranks(), 0.0);
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const Item& item = model.items()[cameras[i]];
    if (model.allowed(item).empty()) continue;
    if (served[i].off()) losses[2 * item.rank] += item.weight;
    losses[2 * item.rank + 1] += item.weight * (item.rate - served[i].rate);
  }
  return losses;
}

bool loses_less(const Losses& a, const Losses& b) {
  for (std::size_t stage = 0; stage < a.size(); ++stage) {
    if (less_lost(a[stage], b[stage])) return true;
    if (less_lost(b[stage], a[stage])) return false;
  }
  return false;
}

bool loses_nothing(const Losses& losses) {
  return std::all_of(losses.begin(), losses.end(), [](double loss) { return loss == 0.0; });
}

bool can_join(const Model& model, std::size_t a, std::size_t b) {
  return !model.kind_of(a).peak && !model.kind_of(b).peak;
}

JointResult solve_jointly(const Model& model, const JointTask& task, const JointLimits& limits) {
  if (task.cameras.empty()) {
    JointResult nothing;
    nothing.found = nothing.proven = true;
    nothing.losses.assign(2 * model.ranks(), 0.0);
    for (const std::size_t box : task.boxes)
      nothing.prices.emplace_back(model.kind_of(box).capacity.size(), 0.0);
    return nothing;
  }
  return Joint(model, task, limits).run();
}

}  // namespace saccade::fleet
