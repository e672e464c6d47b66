#include "runtime/stall_book.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

constexpr Duration kAround = std::chrono::milliseconds(100);
constexpr Duration kLongestAfter = std::chrono::seconds(1);
constexpr Duration kRemember = std::chrono::seconds(10);

}  // namespace

void StallBook::dropped(const Drop& drop, TimePoint at) {
  if (drop.reason == DropReason::over_quota || drop.reason == DropReason::inactive ||
      drop.reason == DropReason::shutdown) {
    return;
  }
  remember({drop.task, at, true});
}

void StallBook::missed(TaskIndex task, TimePoint due) { remember({task, due, false}); }

void StallBook::stalled(TimePoint from, TimePoint to) {
  if (!stalls_.empty() && from <= stalls_.back().to) {
    Stall& last = stalls_.back();
    last.from = std::min(last.from, from);
    last.to = std::max(last.to, to);
    last.idle.reset();
  } else {
    stalls_.push_back({from, to, std::nullopt});
    ++count_;
  }
  longest_ = std::max(longest_, stalls_.back().to - stalls_.back().from);
  forget(to);
}

void StallBook::idle(TimePoint now) {
  for (auto stall = stalls_.rbegin(); stall != stalls_.rend() && !stall->idle; ++stall) stall->idle = now;
}

void StallBook::settle() {
  for (const Loss& loss : losses_) judge(loss);
  losses_.clear();
}

void StallBook::remember(const Loss& loss) {
  losses_.push_back(loss);
  forget(loss.at);
}

void StallBook::forget(TimePoint now) {
  while (!losses_.empty() && losses_.front().at + kRemember < now) {
    judge(losses_.front());
    losses_.pop_front();
  }
  // Twice as long, so that no loss that is still to be judged misses its stall.
  while (!stalls_.empty() && stalls_.front().to + 2 * kRemember < now) stalls_.pop_front();
}

void StallBook::judge(const Loss& loss) {
  const bool in_stall = std::any_of(stalls_.begin(), stalls_.end(), [&](const Stall& stall) {
    const TimePoint longest = stall.to + kLongestAfter;
    const TimePoint over = std::clamp(stall.idle.value_or(longest), stall.to + kAround, longest);
    return stall.from - kAround <= loss.at && loss.at <= over;
  });
  if (!in_stall) return;
  Losses& of_task = in_stall_.at(loss.task);
  ++(loss.dropped ? of_task.dropped : of_task.missed);
}

}  // namespace saccade::runtime
