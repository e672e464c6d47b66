#include "runtime/stall_book.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

constexpr Duration kAround = std::chrono::milliseconds(100);
constexpr Duration kRemember = std::chrono::seconds(10);

}  // namespace

void StallBook::dropped(const Drop& drop, TimePoint at) {
  if (drop.reason == DropReason::over_quota || drop.reason == DropReason::inactive ||
      drop.reason == DropReason::shutdown) {
    return;
  }
  drops_.push_back({drop.task, at});
  while (drops_.front().at + kRemember < at) {
    judge(drops_.front());
    drops_.pop_front();
  }
  // Twice as long, so that no drop that is still to be judged misses its stall.
  while (!stalls_.empty() && stalls_.front().to + 2 * kRemember < at) stalls_.pop_front();
}

void StallBook::stalled(TimePoint from, TimePoint to) {
  if (!stalls_.empty() && from <= stalls_.back().to) {
    Window& last = stalls_.back();
    last.from = std::min(last.from, from);
    last.to = std::max(last.to, to);
  } else {
    stalls_.push_back({from, to});
    ++count_;
  }
  longest_ = std::max(longest_, stalls_.back().to - stalls_.back().from);
}

void StallBook::settle() {
  for (const Remembered& drop : drops_) judge(drop);
  drops_.clear();
}

void StallBook::judge(const Remembered& drop) {
  const bool in_stall = std::any_of(stalls_.begin(), stalls_.end(), [&](const Window& stall) {
    return stall.from - kAround <= drop.at && drop.at <= stall.to + kAround;
  });
  if (in_stall) ++in_stall_.at(drop.task);
}

}  // namespace saccade::runtime
