// Which frame runs next, by the second account.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "runtime/simulation/invariants.hpp"

namespace saccade::runtime {

std::optional<TaskIndex> Invariants::first_waiting(ProcessorIndex processor) const {
  std::optional<TaskIndex> first;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    const TaskBook& book = tasks_[i];
    if (!book.engine || book.processor != processor || book.gate.empty()) continue;
    if (!first || book.gate.front().deadline < tasks_[*first].gate.front().deadline) first = i;
  }
  return first;
}

// Whether a frame of a class above that of the earliest deadline would be late, or find the budget spent, if
// it ran after that one and after those of such classes that are due before it.
bool Invariants::behind(ProcessorIndex processor, TaskIndex earliest, TimePoint now) {
  std::vector<std::pair<TimePoint, Duration>> above;
  for (const TaskBook& book : tasks_) {
    if (!book.engine || book.processor != processor || book.gate.empty()) continue;
    if (book.priority > tasks_[earliest].priority) above.emplace_back(book.gate.front().deadline, book.last);
  }
  ProcessorBook& book = processors_[processor];
  const bool whole = book.capacity >= 1.0;
  const Duration left = whole ? Duration(0) : to_duration(Seconds(book.capacity)) - used(book, now);
  return std::any_of(above.begin(), above.end(), [&](const auto& one) {
    Duration ahead = tasks_[earliest].last;
    for (const auto& [deadline, time] : above) ahead += deadline <= one.first ? time : Duration(0);
    return now + ahead > one.first || (!whole && ahead > left);
  });
}

std::optional<TaskIndex> Invariants::due_to_run(ProcessorIndex processor, TimePoint now) {
  const std::optional<TaskIndex> earliest = first_waiting(processor);
  if (!earliest || !behind(processor, *earliest, now)) return earliest;
  std::optional<TaskIndex> first;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    const TaskBook& book = tasks_[i];
    if (!book.engine || book.processor != processor || book.gate.empty()) continue;
    const auto urgency = [](const TaskBook& each) {
      return std::pair(-each.priority, each.gate.front().deadline);
    };
    if (!first || urgency(book) < urgency(tasks_[*first])) first = i;
  }
  return first;
}

Duration Invariants::used(ProcessorBook& book, TimePoint now) {
  const TimePoint since = now - Duration(std::chrono::seconds(1));
  while (!book.log.empty() && book.log.front().second <= since) book.log.pop_front();
  Duration sum{0};
  for (const auto& [from, to] : book.log) sum += to - std::max(from, since);
  return sum;
}

bool Invariants::spent(ProcessorBook& book, TimePoint now) {
  return book.capacity < 1.0 && used(book, now) >= to_duration(Seconds(book.capacity));
}

}  // namespace saccade::runtime
