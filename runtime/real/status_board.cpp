#include "runtime/real/status_board.hpp"

#include <algorithm>
#include <thread>

namespace saccade::runtime {
namespace {

std::vector<SwitchSummary> last_switches(const Conductor& conductor) {
  const std::vector<SwitchRecord>& all = conductor.controller().switches();
  std::vector<SwitchSummary> last;
  if (!conductor.started()) return last;
  for (std::size_t i = all.size() - std::min(all.size(), kLastSwitches); i < all.size(); ++i) {
    const TaskIndex task = all[i].task;
    if (task == kNoTask) continue;
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
  auto sheet = std::make_shared<Sheet>();
  for (const TaskIndex index : roster.order()) {
    TaskOutline& task = sheet->tasks.emplace_back();
    task.id = roster.config(index).id;
    task.index = roster.number(index);
    task.profiles = roster.profiles(index);
    task.regions = roster.config(index).regions;
    task.pushed = roster.config(index).pushed();
    task.standby = roster.config(index).standby;
    task.spare = controller.spare(index);
    if (plan && index < plan->tasks.size() && plan->tasks[index].task == task.id) {
      task.granted = plan->tasks[index].granted;
    }
  }
  for (TaskIndex index = 0; index < roster.size(); ++index) {
    sheet->networks.push_back({roster.number(index), roster.profiles(index),
                               std::max(1, region_count(roster.config(index).regions))});
  }
  sheet->forgotten_energy = conductor.forgotten_energy();
  RunStatus& status = sheet->status;
  status.plan = conductor.shown_plan();
  status.wanted = conductor.wanted();
  status.generation = controller.generation();
  status.settled = controller.settled();
  for (const scheduler::Processor& processor : controller.processors()) {
    status.guards.push_back(processor.guard);
    status.capacities.push_back(processor.capacity);
  }
  status.decoding = controller.decoding();
  status.slowdowns = conductor.slowdowns();
  status.reserved = controller.reserved();
  status.reserved_peak = controller.reserved_peak();
  status.memories = memory_uses(*status.wanted, controller.memory());
  status.switches = controller.switch_totals()->done + controller.switch_totals()->called_off;
  status.switch_totals = controller.switch_totals();
  status.last_switches = last_switches(conductor);
  sheet->start = conductor.started();
  const Lock lock(mutex_);
  sheet_ = std::move(sheet);
}

std::shared_ptr<const StatusBoard::Sheet> StatusBoard::sheet() const {
  const Lock lock(mutex_);
  return sheet_;
}

// The desk may already know an index as that of another task; the next sheet, which is about to come, does
// too.
bool StatusBoard::fits(const Sheet& sheet, const Serving::View& view) {
  for (TaskIndex index = 0; index < sheet.networks.size(); ++index) {
    if (task_number(index, view.tasks.at(index).now.owners) != sheet.networks[index].number) return false;
  }
  return true;
}

std::optional<EnergyReading> StatusBoard::modelled(const Sheet& sheet, const Serving::View& view,
                                                   Duration at) {
  EnergyModel model;
  model.add_forgotten(sheet.forgotten_energy);
  for (TaskIndex index = 0; index < sheet.networks.size(); ++index) {
    const Network& network = sheet.networks[index];
    const Serving::TaskView& task = view.tasks.at(index);
    model.add_frames(*network.profiles, network.regions, task.frames);
    if (task.now.variant) {
      model.add_power(*network.profiles, network.regions, *task.now.variant, task.now.rate);
    }
  }
  if (!model.total()) return std::nullopt;
  const Watts idle = sheet.status.wanted->idle_power;
  return EnergyReading{*model.total() + idle * to_seconds(at), *model.power() + idle, EnergySource::modelled,
                       ""};
}

Duration StatusBoard::elapsed(TimePoint now) const { return time_of(*sheet(), now); }

void StatusBoard::fill_in(TaskOutline& task, const FrameDesk::TaskView& now, bool connected,
                          std::string trouble) {
  task.demanded = now.demand;
  task.rate = now.rate;
  task.variant = now.variant;
  task.source_connected = connected;
  task.source_trouble = std::move(trouble);
}

RunStatus StatusBoard::read(const Serving& serving, const EnergyBook& energy, TimePoint now) const {
  std::shared_ptr<const Sheet> sheet = this->sheet();
  Serving::View view = serving.view();
  while (!fits(*sheet, view)) {
    std::this_thread::yield();
    sheet = this->sheet();
    view = serving.view();
  }
  RunStatus status = sheet->status;
  status.at = time_of(*sheet, now);
  status.energy = energy.reading();
  if (!status.energy && status.at > Duration(0)) status.energy = modelled(*sheet, view, status.at);
  status.busy = std::move(view.busy);
  status.corrections = std::move(view.corrections);
  for (const TaskOutline& task : sheet->tasks) {
    Serving::TaskView& books = view.tasks.at(task_index(task.index));
    TaskStatus& shown =
        status.tasks.emplace_back(TaskStatus{task, std::move(books.frames), std::nullopt, std::nullopt});
    fill_in(shown, books.now, books.connected, std::move(books.trouble));
    shown.capture = books.capture;
    if (task.profiles->interface.task == profiles::NetworkTask::detect)
      shown.live_precision = serving.live_precision(task.index);
  }
  return status;
}

RunOutline StatusBoard::outline(const std::optional<TaskId>& only, const Serving& serving,
                                TimePoint now) const {
  const std::shared_ptr<const Sheet> sheet = this->sheet();
  std::vector<TaskIndex> asked;
  for (const TaskOutline& task : sheet->tasks) {
    if (!only || task.id == *only) asked.push_back(task_index(task.index));
  }
  Serving::Outline desk = serving.outline(asked);
  RunOutline outline;
  outline.at = time_of(*sheet, now);
  outline.corrections = std::move(desk.corrections);
  outline.processors = std::move(desk.processors);
  outline.guards = sheet->status.guards;
  outline.decoding = sheet->status.decoding;
  outline.plan = sheet->status.plan;
  outline.wanted = sheet->status.wanted;
  auto found = desk.tasks.begin();
  for (const TaskOutline& task : sheet->tasks) {
    if (only && task.id != *only) continue;
    TaskOutline& shown = outline.tasks.emplace_back(task);
    // Since the sheet was made its index may have gone to another task: then nothing serves this one.
    const bool same = task_number(task_index(task.index), found->now.owners) == task.index;
    if (same) {
      fill_in(shown, found->now, found->connected, std::move(found->trouble));
      shown.outputs = found->outputs;
    }
    ++found;
  }
  return outline;
}

}  // namespace saccade::runtime
