#include "runtime/frames/stall_book.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

constexpr Duration kRemember = std::chrono::seconds(10);

}  // namespace

void StallBook::add_task() {
  in_stall_.emplace_back();
  busy_.emplace_back();
}

void StallBook::renew_task(TaskIndex task) {
  in_stall_.at(task) = {};
  busy_.at(task) = {};
  std::erase_if(losses_, [&](const Loss& loss) { return loss.task == task; });
}

void StallBook::dropped(const Drop& drop, std::optional<ProcessorIndex> processor, TimePoint at) {
  if (drop.reason == DropReason::over_quota || drop.reason == DropReason::inactive ||
      drop.reason == DropReason::shutdown || drop.cause != LossCause::other || !processor) {
    return;
  }
  remember({drop.task, at, processor});
}

void StallBook::missed(TaskIndex task, TimePoint due) {
  if (busy_.at(task) && due <= *busy_[task]) return;
  remember({task, due, std::nullopt});
}

void StallBook::solve(TimePoint now) {
  for (std::optional<TimePoint>& until : busy_) until = now;
}

void StallBook::held(int cpu, TimePoint from, TimePoint to, Duration stolen) {
  time_ += to - from;
  stolen_ += stolen;
  holds_.push_back({cpu, from, to});
  if (stall_ && from <= stall_->to) {
    stall_->from = std::min(stall_->from, from);
    stall_->to = std::max(stall_->to, to);
  } else {
    stall_ = holds_.back();
    ++count_;
  }
  longest_ = std::max(longest_, stall_->to - stall_->from);
  forget(to);
}

bool StallBook::watches() const {
  return places_.processors.empty() || !places_.captures.empty() ||
         std::any_of(places_.processors.begin(), places_.processors.end(),
                     [](const std::vector<int>& cpus) { return !cpus.empty(); });
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
  // Twice as long, so that no loss that is still to be judged misses its hold.
  while (!holds_.empty() && holds_.front().to + 2 * kRemember < now) holds_.pop_front();
}

void StallBook::judge(const Loss& loss) {
  static const std::vector<int> kUnknown;
  const std::vector<int>* cpus = &places_.captures;
  if (loss.processor) {
    cpus = *loss.processor < places_.processors.size() ? &places_.processors[*loss.processor] : &kUnknown;
  }
  if (!all_held(*cpus, loss.at)) return;
  Losses& of_task = in_stall_.at(loss.task);
  ++(loss.processor ? of_task.dropped : of_task.missed);
}

bool StallBook::all_held(const std::vector<int>& cpus, TimePoint at) const {
  if (cpus.empty()) return false;
  return std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
    return std::any_of(holds_.begin(), holds_.end(),
                       [&](const Hold& hold) { return hold.cpu == cpu && hold.from <= at && at <= hold.to; });
  });
}

}  // namespace saccade::runtime
