#include "runtime/frames/guard_keeper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

constexpr double kForgetting = 1.0 / 1024.0;  // per frame
constexpr double kRelief = 0.5;               // of the largest spread
constexpr double kNoBetter = 0.5;             // of the losses before

}  // namespace

GuardKeeper::GuardKeeper(const GuardOptions& options, Seconds start, double capacity,
                         std::optional<Seconds> first)
    : target_(options.loss_target),
      start_(start.value()),
      least_(std::min(kLeast, capacity / 2.0)),
      most_(std::min(kMost, capacity / 2.0)),
      guard_(std::clamp(std::max(start, first.value_or(start)).value(), least_, most_)),
      first_(guard_ > start_) {
  SACCADE_CHECK(target_ > 0.0 && target_ < 1.0 && capacity > 0.0);
}

void GuardKeeper::lost(TimePoint now) {
  quiet_since_ = std::max(quiet_since_, now);
  ++recent_.all;
  ++recent_.lost;
  in_time_ = 0;
  if (now >= hold_) debt_ += 1.0;
}

void GuardKeeper::served(std::optional<double> ratio) {
  ++recent_.all;
  ++in_time_;
  debt_ = std::max(0.0, debt_ - target_);
  if (!ratio) return;
  if (!mean_) mean_ = *ratio;
  spread_ += (std::abs(*ratio - *mean_) - spread_) * kForgetting;
  *mean_ += (*ratio - *mean_) * kForgetting;
  peak_spread_ = too_small_ ? std::max(peak_spread_, spread_) : spread_;
}

void GuardKeeper::corrected(TimePoint now) {
  relieve();
  mean_.reset();
  debt_ = 0.0;
  hold_ = std::max(hold_, now + kPause);
}

void GuardKeeper::suspended(TimePoint until) {
  debt_ = 0.0;
  hold_ = std::max(hold_, until + kPause);
}

std::optional<Seconds> GuardKeeper::update(TimePoint now) {
  if (changed_ == TimePoint{}) changed_ = counted_since_ = quiet_since_ = now;
  const double before = guard_;
  if (too_small()) {
    debt_ = 0.0;
    if (now >= futile_until_ && !give_up(now)) grow(now);
  } else if (too_small_ && spread_ < kRelief * peak_spread_) {
    relieve();
  } else if (now - std::max(quiet_since_, changed_) >= patience_ && proven()) {
    shrink(now);
  }
  count(now);
  if (guard_ == before) return std::nullopt;
  shrunk_ = guard_ < before;
  first_ = false;
  in_time_ = 0;
  changed_ = now;
  hold_ = std::max(hold_, now + kPause);
  return guard();
}

void GuardKeeper::count(TimePoint now) {
  if (now - counted_since_ < kPause) return;
  if (growth_ && growth_->largest_since && now >= *growth_->largest_since + kPause) {
    growth_->at_largest.lost += recent_.lost;
    growth_->at_largest.all += recent_.all;
  }
  last_ = std::exchange(recent_, Count{});
  counted_since_ = now;
}

void GuardKeeper::grow(TimePoint now) {
  if (guard_ >= most_) return;
  if (!growth_) {
    const Count both{recent_.lost + last_.lost, recent_.all + last_.all};
    growth_ = Growth{guard_, both.share(), std::nullopt, {}};
  }
  const bool disturbed = on_trial_ || (shrunk_ && now - changed_ < kRest * patience_);
  if (disturbed) patience_ = std::min(2 * patience_, kMostPatience);
  on_trial_.reset();
  too_small_ = guard_;
  guard_ = std::min(most_, std::max(2.0 * guard_, guard_ + kStep));
  if (guard_ >= most_) growth_->largest_since = now;
}

void GuardKeeper::shrink(TimePoint now) {
  if (on_trial_ && guard_ <= *on_trial_) relieve();
  if (too_small_ && guard_ <= *too_small_ * kResting) {
    if (now - std::max(quiet_since_, changed_) < kRest * patience_) return;
    on_trial_ = std::exchange(too_small_, std::nullopt);
  }
  // Whole milliseconds, rounded up.
  double half = std::ceil((guard_ + too_small_.value_or(0.0)) / 2.0 * 1e3 - 1e-6) * 1e-3;
  if (guard_ > start_) half = std::max(half, start_);
  guard_ = std::min(guard_, std::max(least_, half));
  growth_.reset();
  futile_ = kFutile;
}

void GuardKeeper::relieve() {
  too_small_.reset();
  on_trial_.reset();
  patience_ = kPatience;
}

bool GuardKeeper::proven() const {
  return (guard_ > start_ && !first_) || static_cast<double>(in_time_) * target_ >= kProof;
}

bool GuardKeeper::give_up(TimePoint now) {
  if (!growth_ || !growth_->largest_since || now - *growth_->largest_since < kTrial) return false;
  if (growth_->at_largest.share() < kNoBetter * growth_->loss) return false;
  guard_ = growth_->from;
  futile_until_ = now + futile_;
  futile_ = std::min(2 * futile_, kMostFutile);
  growth_.reset();
  relieve();
  return true;
}

}  // namespace saccade::runtime
