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
    task.status.index = index;
    task.status.profiles = roster.profiles(index);
    task.status.regions = roster.config(index).regions;
    task.status.pushed = roster.config(index).pushed();
    if (plan && index < plan->tasks.size()) task.status.granted = plan->tasks[index].granted;
  }
  std::vector<Network> networks;
  for (TaskIndex index = 0; index < roster.size(); ++index) {
    networks.push_back({roster.profiles(index), std::max(1, region_count(roster.config(index).regions))});
  }
  RunStatus status;
  status.plan = conductor.shown_plan();
  status.wanted = conductor.wanted();
  status.generation = controller.generation();
  status.settled = controller.settled();
  status.reserved = controller.reserved();
  status.reserved_peak = controller.reserved_peak();
  status.switches = controller.switch_totals()->done + controller.switch_totals()->called_off;
  status.switch_totals = controller.switch_totals();
  status.last_switches = last_switches(conductor);
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
  tasks_ = std::move(tasks);
  networks_ = std::move(networks);
  start_ = conductor.started();
}

std::optional<EnergyReading> StatusBoard::modelled(const std::vector<Network>& networks,
                                                   const Serving::View& view, Watts idle, Duration at) {
  EnergyModel model;
  for (TaskIndex index = 0; index < networks.size(); ++index) {
    const auto& [profiles, regions] = networks[index];
    const Serving::TaskView& task = view.tasks.at(index);
    model.add_frames(*profiles, regions, task.frames);
    if (task.now.variant) model.add_power(*profiles, regions, *task.now.variant, task.now.rate);
  }
  if (!model.total()) return std::nullopt;
  return EnergyReading{*model.total() + idle * to_seconds(at), *model.power() + idle, EnergySource::modelled,
                       ""};
}

RunStatus StatusBoard::read(const Serving& serving, const EnergyBook& energy, TimePoint now) const {
  std::vector<Task> tasks;
  std::vector<Network> networks;
  RunStatus status;
  {
    const std::lock_guard lock(mutex_);
    status = status_;
    tasks = tasks_;
    networks = networks_;
    if (start_) status.at = now - *start_;
  }
  Serving::View view = serving.view();
  status.energy = energy.reading();
  if (!status.energy && status.at > Duration(0)) {
    status.energy = modelled(networks, view, status.wanted->idle_power, status.at);
  }
  status.busy = std::move(view.busy);
  status.corrections = std::move(view.corrections);
  for (Task& task : tasks) {
    Serving::TaskView& books = view.tasks.at(task.index);
    task.status.frames = std::move(books.frames);
    task.status.demanded = books.now.demand;
    task.status.rate = books.now.rate;
    task.status.variant = books.now.variant;
    task.status.source_connected = books.connected;
    status.tasks.push_back(std::move(task.status));
  }
  return status;
}

}  // namespace saccade::runtime
