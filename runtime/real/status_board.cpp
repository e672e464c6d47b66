#include "runtime/real/status_board.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

std::vector<SwitchSummary> last_switches(const Conductor& conductor) {
  const std::vector<SwitchRecord>& all = conductor.controller().switches();
  std::vector<SwitchSummary> last;
  if (!conductor.started()) return last;
  for (std::size_t i = all.size() - std::min(all.size(), kLastSwitches); i < all.size(); ++i) {
    const TaskIndex task = all[i].task;
    last.push_back(summarise(all[i], conductor.roster().config(task).id, *conductor.roster().profiles(task),
                             *conductor.started()));
  }
  return last;
}

}  // namespace

void StatusBoard::update(const Conductor& conductor) {
  const Controller& controller = conductor.controller();
  const TaskRoster& roster = conductor.roster();
  const auto& plan = controller.plan();
  std::vector<Task> tasks;
  for (const TaskIndex index : roster.order()) {
    Task& task = tasks.emplace_back();
    task.index = index;
    task.status.id = roster.config(index).id;
    task.status.profiles = roster.profiles(index);
    if (plan && index < plan->tasks.size()) task.status.granted = plan->tasks[index].granted;
  }
  RunStatus status;
  status.plan = conductor.shown_plan();
  status.wanted = conductor.wanted();
  status.generation = controller.generation();
  status.settled = controller.settled();
  status.reserved = controller.reserved();
  status.reserved_peak = controller.reserved_peak();
  status.switches = static_cast<std::int64_t>(controller.switches().size());
  status.last_switches = last_switches(conductor);
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
  tasks_ = std::move(tasks);
  start_ = conductor.started();
}

RunStatus StatusBoard::read(const Serving& serving, TimePoint now) const {
  std::vector<Task> tasks;
  RunStatus status;
  {
    const std::lock_guard lock(mutex_);
    status = status_;
    tasks = tasks_;
    if (start_) status.at = now - *start_;
  }
  Serving::View view = serving.view();
  status.busy = std::move(view.busy);
  status.corrections = std::move(view.corrections);
  for (Task& task : tasks) {
    Serving::TaskView& books = view.tasks.at(task.index);
    task.status.frames = std::move(books.frames);
    task.status.demanded = books.now.demand;
    task.status.rate = books.now.rate;
    task.status.variant = books.now.variant;
    status.tasks.push_back(std::move(task.status));
  }
  return status;
}

}  // namespace saccade::runtime
