#include "service/live/task_states.hpp"

#include <utility>

namespace saccade::service {
namespace {

results::TaskState state_of(const runtime::TaskStatus& task, std::uint64_t generation) {
  results::TaskState state;
  state.task = task.id.str();
  state.source_connected = task.source_connected;
  state.demanded_fps = task.demanded.value();
  state.granted_fps = task.granted.value();
  state.generation = static_cast<std::int64_t>(generation);
  if (!task.variant || !task.profiles) return state;
  const profiles::Variant& serving = task.profiles->variants.at(*task.variant);
  state.variant = serving.id.str();
  state.accuracy = serving.accuracy;
  return state;
}

bool differ(const results::TaskState& one, const results::TaskState& other) {
  return one.source_connected != other.source_connected || one.demanded_fps != other.demanded_fps ||
         one.granted_fps != other.granted_fps || one.variant != other.variant ||
         one.accuracy != other.accuracy || one.generation != other.generation;
}

}  // namespace

std::vector<results::TaskState> TaskStates::news(const runtime::RunStatus& status) {
  std::vector<results::TaskState> news;
  std::map<std::string, Told> told;
  for (const runtime::TaskStatus& task : status.tasks) {
    Told now{state_of(task, status.generation), status.at, task.frames.processed, task.index};
    const auto before = told_.find(now.state.task);
    if (before != told_.end() && before->second.number == now.number &&
        before->second.processed <= now.processed) {
      const Told& last = before->second;
      const Duration passed = status.at - last.at;
      const bool due = passed >= kMost || (passed >= kLeast && differ(now.state, last.state));
      if (!due) {
        told.insert(told_.extract(before));
        continue;
      }
      now.state.achieved_fps =
          static_cast<double>(now.processed - last.processed) / to_seconds(passed).value();
    }
    news.push_back(now.state);
    told.emplace(now.state.task, std::move(now));
  }
  told_ = std::move(told);
  return news;
}

}  // namespace saccade::service
