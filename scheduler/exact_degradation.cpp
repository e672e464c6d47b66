#include "scheduler/exact_degradation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "pareto/front.hpp"
#include "scheduler/stage_proof.hpp"

namespace saccade::scheduler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class LeastLossSearch {
 public:
  LeastLossSearch(const ProblemBuilder& builder, const StepLadder& ladder,
                  const std::optional<Selection>& seed, const Solve& solve)
      : builder_(builder), menus_(builder.menus()), snapshot_(menus_.snapshot()), solve_(solve), best_(seed) {
    for (std::size_t i = 0; i < choices().size(); ++i) {
      strides_.push_back(stride_of(ladder, i));
      rates_.push_back(rates_of(ladder, i));
      at_demand_.push_back(menus_.menu(choices()[i], rates_[i].front()));
    }
    for (const Choice& choice : choices()) classes_.insert(snapshot_.tasks[choice.task].priority);
    make_lean();
  }

  LeastLoss run() {
    found_.gap = 0.0;
    for (const int priority : classes_) {
      for (const bool off : {true, false}) {
        if (!solve_.stopped(0)) stage({.priority = priority, .off = off, .most = 0.0});
        if (solve_.stopped(0)) return as_far_as_it_got();
        if (!best_) return std::move(found_);
      }
    }
    found_.outcome = LeastLoss::Outcome::found;
    found_.offers = what_is_left();
    found_.selection = *best_;
    return solve_.stopped(0) ? as_far_as_it_got() : std::move(found_);
  }

 private:
  [[nodiscard]] const std::vector<Choice>& choices() const { return menus_.choices(); }
  [[nodiscard]] double loss(std::size_t i, const Offer& offer, const LossCap& cap) const {
    return loss_of(snapshot_, choices()[i], offer, cap);
  }
  [[nodiscard]] double best_loss(const LossCap& cap) const {
    double total = 0.0;
    for (std::size_t i = 0; i < best_->size(); ++i) total += loss(i, (*best_)[i], cap);
    return total;
  }

  // The best selection known, and it alone to choose from.
  LeastLoss as_far_as_it_got() {
    if (!best_) return std::move(found_);
    const bool all_stages = found_.outcome == LeastLoss::Outcome::found;
    if (!all_stages && found_.gap == 0.0) found_.gap.reset();
    found_.outcome = LeastLoss::Outcome::found;
    found_.caps.clear();
    found_.offers.clear();
    for (const Offer& offer : *best_) found_.offers.push_back({offer});
    found_.selection = *best_;
    return std::move(found_);
  }

  // ---- what can be offered

  [[nodiscard]] static std::uint64_t stride_of(const StepLadder& ladder, std::size_t choice) {
    return 1 + ladder.steps(choice) / kMostRates;
  }

  // What the stage may lose more than it would with all rates: every selection remains one when each rate is
  // lowered to the next that is offered. Infinite: where a min_time_share forbids that.
  [[nodiscard]] double lost_by_thinning(const LossCap& stage) const {
    double lost = 0.0;
    for (std::size_t i = 0; i < choices().size() && !stage.off; ++i) {
      const Task& task = snapshot_.tasks[choices()[i].task];
      if (task.priority == stage.priority) lost += task.weight * static_cast<double>(strides_[i] - 1);
    }
    for (std::size_t i = 0; i < choices().size(); ++i) {
      if (strides_[i] > 1 && menu_changes(i)) lost = kInfinity;
    }
    return lost;
  }

  [[nodiscard]] std::vector<Fps> rates_of(const StepLadder& ladder, std::size_t choice) const {
    const std::uint64_t steps = ladder.steps(choice);
    const std::uint64_t stride = stride_of(ladder, choice);
    std::vector<Fps> rates;
    if (stride > 1) rates.push_back(ladder.rate(choice, steps - 1));  // no rate in between has to go off
    for (std::uint64_t step = 0; step < steps; step += stride) rates.push_back(ladder.rate(choice, step));
    rates.push_back(ladder.floor(choice));
    if (best_) rates.push_back((*best_)[choice].rate);
    std::sort(rates.begin(), rates.end(), std::greater<>());
    rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
    return rates;
  }

  [[nodiscard]] bool menu_changes(std::size_t choice) const {
    return snapshot_.tasks[choices()[choice].task].min_time_share > 0.0;
  }

  // Calls visit(offer) for every pair that the floors allow, `lean` ones only where that is enough.
  template <class Visit>
  void for_each_offer(std::size_t i, bool lean, const Visit& visit) const {
    const auto narrowed = [&](const std::vector<std::size_t>& menu) {
      return lean ? builder_.leanest(choices()[i], menu) : menu;
    };
    std::vector<std::size_t> variants = narrowed(at_demand_[i]);
    for (const Fps rate : rates_[i]) {
      if (rate <= Fps(0.0)) {
        visit(Offer{});
        continue;
      }
      if (menu_changes(i)) variants = narrowed(menus_.menu(choices()[i], rate));
      for (const std::size_t variant : variants) visit(Offer{variant, rate});
    }
  }

  // A stage counts losses and what rows count, nothing else: the leanest variants at each rate will do.
  void make_lean() {
    lean_.resize(choices().size());
    for (std::size_t i = 0; i < lean_.size() && !solve_.stopped(i > 0 ? lean_[i - 1].size() : 0); ++i) {
      for_each_offer(i, true, [&](const Offer& offer) { lean_[i].push_back(offer); });
    }
  }

  [[nodiscard]] bool allowed(std::size_t i, const Offer& offer) const {
    const auto within = [&](const LossCap& cap) { return ilp::holds(loss(i, offer, cap), cap.most); };
    const auto admits = [&](const StageProof& proof) { return proof.admits(i, offer); };
    return std::all_of(found_.caps.begin(), found_.caps.end(), within) &&
           std::all_of(proofs_.begin(), proofs_.end(), admits);
  }

  [[nodiscard]] std::vector<Offer> candidates(std::size_t i, const LossCap& stage) const {
    std::vector<Offer> left;
    for (const Offer& offer : lean_[i]) {
      const bool too_much = best_ && !ilp::holds(loss(i, offer, stage), stage.most);
      if (!too_much && allowed(i, offer)) left.push_back(offer);
    }
    return left.size() < 2 ? left : not_dominated(i, left, stage);
  }

  // Those that no other beats in the stage's loss, in every loss that is capped and in every use.
  [[nodiscard]] std::vector<Offer> not_dominated(std::size_t i, const std::vector<Offer>& offers,
                                                 const LossCap& stage) const {
    Eigen::MatrixXd costs;
    for (std::size_t j = 0; j < offers.size(); ++j) {
      const ilp::Option option = builder_.option(choices()[i], offers[j]);
      std::vector<double> row{loss(i, offers[j], stage)};
      for (const LossCap& cap : found_.caps) {
        if (cap.most > 0.0) row.push_back(loss(i, offers[j], cap));
      }
      row.insert(row.end(), option.use.begin(), option.use.end());
      row.insert(row.end(), option.peak.begin(), option.peak.end());
      if (j == 0) {
        costs.resize(static_cast<Eigen::Index>(offers.size()), static_cast<Eigen::Index>(row.size()));
      }
      for (std::size_t k = 0; k < row.size(); ++k) {
        costs(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = row[k];
      }
    }
    std::vector<Offer> kept;
    for (const std::size_t j : pareto::front(costs)) kept.push_back(offers[j]);
    return kept;
  }

  // ---- one stage

  void stage(LossCap cap) {
    if (best_) {
      cap.most = best_loss(cap);
      if (cap.most <= 0.0) {  // nothing less can be lost
        found_.caps.push_back(cap);
        return;
      }
    }
    bool proven = false;
    double bound = 0.0;
    // A first look accepts the width of one frame; what its prices leave often shows a wider quantum.
    for (const bool first_look : {true, false}) {
      const Offers offers = offers_of(cap);
      if (solve_.stopped(0)) return;
      const ilp::ChoiceProblem problem = problem_of(offers, cap);
      const double quantum = quantum_of(losses_in(offers, cap));
      Question question;
      if (best_) {
        question.start = start_in(offers, problem);
        const double width = quantum > 0.0 ? quantum : first_look ? least_step(offers, cap) : 0.0;
        question.gap = std::max(ilp::kTolerance, 0.999 * width / std::max(cap.most, ilp::kTolerance));
      }
      const ilp::ChoiceResult result = solve_(problem, question);
      if (result.verdict == ilp::Verdict::infeasible && !best_) {
        found_.outcome = LeastLoss::Outcome::exhausted;
        return;
      }
      if (!result.picks.empty()) {
        // One that loses as much is no better: a later stage may be stopped before it makes up for it.
        const double least = -result.evaluation.levels.front();
        if (!best_ || (least < cap.most && !ilp::equal_value(least, cap.most))) {
          best_ = taken(offers, result.picks);
        }
        cap.most = best_loss(cap);
      }
      if (!best_) return;
      if (result.bound) bound = std::max(bound, -*result.bound);
      proven = result.verdict == ilp::Verdict::optimal || cap.most <= bound * (1.0 + ilp::kTolerance) ||
               (quantum > 0.0 && cap.most - bound < (1.0 - 1e-6) * quantum);
      if (result.prices.size() == problem.capacities.size()) {
        const StageProof& proof =
            proofs_.emplace_back(builder_, offers, problem, result.prices, found_.caps, cap);
        if (found_.prices.empty() && !cap.off) found_.prices = proof.row_prices();
      }
      if (proven || result.limit != ilp::Limit::none || result.picks.empty()) break;
    }
    found_.caps.push_back(cap);
    if (const double lost = lost_by_thinning(cap); lost > 0.0) {
      bound = std::max((proven ? cap.most : bound) - lost, 0.0);
      proven = cap.most <= bound * (1.0 + ilp::kTolerance);
    }
    if (!proven && found_.gap == 0.0) {
      found_.gap.reset();
      if (bound > 0.0) found_.gap = (cap.most - bound) / std::max(cap.most, ilp::kTolerance);
    }
  }

  [[nodiscard]] Offers offers_of(const LossCap& stage) const {
    Offers offers(choices().size());
    for (std::size_t i = 0; i < offers.size() && !solve_.stopped(lean_[i].size()); ++i) {
      offers[i] = candidates(i, stage);
    }
    return offers;
  }

  [[nodiscard]] ilp::ChoiceProblem problem_of(const Offers& offers, const LossCap& stage) const {
    ilp::ChoiceProblem problem = builder_.feasibility(offers);
    for (std::size_t i = 0; i < offers.size(); ++i) {
      for (std::size_t j = 0; j < offers[i].size(); ++j) {
        problem.groups[i].options[j].levels = {-loss(i, offers[i][j], stage)};
      }
    }
    cap_losses(menus_, offers, found_.caps, problem);
    return problem;
  }

  [[nodiscard]] std::set<double> losses_in(const Offers& offers, const LossCap& stage) const {
    std::set<double> losses;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      for (const Offer& offer : offers[i]) losses.insert(loss(i, offer, stage));
      if (best_) losses.insert(loss(i, (*best_)[i], stage));
    }
    return losses;
  }

  // What the lightest task of the class loses with one frame/s, or with being off.
  [[nodiscard]] double least_step(const Offers& offers, const LossCap& stage) const {
    double least = kInfinity;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const Task& task = snapshot_.tasks[choices()[i].task];
      if (task.priority == stage.priority) least = std::min(least, task.weight);
    }
    return least;
  }

  // The best selection among these offers, or a selection that is no worse in anything.
  [[nodiscard]] std::optional<ilp::Picks> start_in(const Offers& offers,
                                                   const ilp::ChoiceProblem& problem) const {
    ilp::Picks picks;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const ilp::Option wanted = builder_.option(choices()[i], (*best_)[i]);
      const auto loses_no_more = [&](const Offer& offer) { return offer.rate >= (*best_)[i].rate; };
      std::size_t j = 0;
      while (j < offers[i].size() &&
             !(loses_no_more(offers[i][j]) && uses_no_more(problem.groups[i].options[j], wanted))) {
        ++j;
      }
      if (j == offers[i].size()) return std::nullopt;
      picks.push_back(j);
    }
    return picks;
  }

  [[nodiscard]] static bool uses_no_more(const ilp::Option& a, const ilp::Option& b) {
    const auto no_more = [](double x, double y) { return x <= y; };
    return std::equal(b.use.begin(), b.use.end(), a.use.begin(),
                      [&](double y, double x) { return no_more(x, y); }) &&
           std::equal(a.peak.begin(), a.peak.end(), b.peak.begin(), no_more);
  }

  // ---- after the stages

  [[nodiscard]] Offers what_is_left() const {
    Offers offers(choices().size());
    for (std::size_t i = 0; i < offers.size() && !solve_.stopped(lean_[i].size()); ++i) {
      const Offer& best = (*best_)[i];
      for_each_offer(i, false, [&](const Offer& offer) {
        const bool is_best = offer.rate == best.rate && (offer.off() || offer.variant == best.variant);
        if (is_best || allowed(i, offer)) offers[i].push_back(offer);
      });
      std::sort(offers[i].begin(), offers[i].end(), [](const Offer& a, const Offer& b) {
        return a.variant != b.variant ? a.variant < b.variant : a.rate > b.rate;
      });
    }
    return offers;
  }

  const ProblemBuilder& builder_;
  const Menus& menus_;
  const Snapshot& snapshot_;
  const Solve& solve_;
  std::optional<Selection> best_;
  std::set<int, std::greater<>> classes_;  // highest first
  std::vector<std::uint64_t> strides_;     // per choice: one of so many rates of the ladder is offered
  std::vector<std::vector<Fps>> rates_;    // per choice, falling
  Menu at_demand_;
  Offers lean_;
  std::vector<StageProof> proofs_;  // of the stages solved so far
  LeastLoss found_;
};

}  // namespace

LeastLoss least_loss(const ProblemBuilder& builder, const StepLadder& ladder,
                     const std::optional<Selection>& seed, const Solve& solve) {
  return LeastLossSearch(builder, ladder, seed, solve).run();
}

}  // namespace saccade::scheduler
