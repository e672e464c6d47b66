#include "runtime/control/exclusions.hpp"

#include <algorithm>

namespace saccade::runtime {

Duration Exclusions::exclude(TaskIndex task, std::size_t variant, TimePoint now) {
  Failures& failures = failures_[{task, variant}];
  failures.pause = failures.pause.count() == 0 ? first_ : std::min(2 * failures.pause, most_);
  failures.until = now + failures.pause;
  return failures.pause;
}

void Exclusions::forgive(TaskIndex task, std::size_t variant) { failures_.erase({task, variant}); }

void Exclusions::retry_by(TaskIndex task, TimePoint latest) {
  std::optional<TimePoint>* first = nullptr;
  for (auto& [variant, failures] : failures_) {
    if (variant.first != task || !failures.until) continue;
    if (!first || *failures.until < **first) first = &failures.until;
  }
  if (first) *first = std::min(**first, latest);
}

void Exclusions::clear(TaskIndex task) {
  std::erase_if(failures_, [&](const auto& entry) { return entry.first.first == task; });
}

bool Exclusions::excluded(TaskIndex task, std::size_t variant) const {
  const auto found = failures_.find({task, variant});
  return found != failures_.end() && found->second.until;
}

bool Exclusions::expire(TimePoint now) {
  bool any = false;
  for (auto& [variant, failures] : failures_) {
    if (!failures.until || *failures.until > now) continue;
    failures.until.reset();
    any = true;
  }
  return any;
}

std::optional<TimePoint> Exclusions::next_expiry() const {
  std::optional<TimePoint> next;
  for (const auto& [variant, failures] : failures_) {
    if (failures.until && (!next || *failures.until < *next)) next = failures.until;
  }
  return next;
}

}  // namespace saccade::runtime
