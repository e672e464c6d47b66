#include "app/report/plan_table.hpp"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using Align = Table::Align;

std::string objective_text(scheduler::Objective objective, double value) {
  switch (objective) {
    case scheduler::Objective::max_accuracy:
      return short_number(value);
    case scheduler::Objective::min_energy:
      return short_number(value) + " J/s";
    case scheduler::Objective::min_memory:
      return short_bytes(value);
  }
  return short_number(value);
}

void print_head(const scheduler::Plan& plan, std::ostream& out) {
  out << to_string(plan.status) << ", policy " << plan.policy << ", " << to_string(plan.objective);
  if (plan.objective_value) out << " " << objective_text(plan.objective, *plan.objective_value);
  if (plan.bound && plan.gap && *plan.gap > 1e-9) {
    out << " (at best " << objective_text(plan.objective, *plan.bound) << ", gap " << short_number(*plan.gap)
        << ")";
  }
  out << '\n';
}

void print_tasks(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan, std::ostream& out) {
  std::vector<Table::Column> columns = {{"task", Align::left},      {"variant", Align::left},
                                        {"demanded", Align::right}, {"granted", Align::right},
                                        {"accuracy", Align::right}, {"of best", Align::right}};
  for (const scheduler::Processor& processor : snapshot.processors) {
    columns.push_back({"time " + processor.id.str(), Align::right});
  }
  Table table(std::move(columns));
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const scheduler::Assignment& a = plan.tasks[i];
    const bool on = a.variant.has_value();
    std::vector<std::string> row = {a.task.str(),
                                    on ? snapshot.tasks[i].profiles->variants[*a.variant].id.str() : "off",
                                    short_number(a.demand.value()),
                                    short_number(a.granted.value()),
                                    on ? short_number(a.accuracy) : "-",
                                    on ? short_number(a.relative_accuracy) : "-"};
    for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
      row.push_back(p < a.time_share.size() ? short_number(a.time_share[p]) : "-");
    }
    table.add_row(std::move(row));
  }
  table.print(out);
}

struct ResourceUse {
  std::string name;
  std::string used;
  std::string allowed;
};

std::vector<ResourceUse> uses_of(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan) {
  const auto watts = [](const std::optional<Watts>& value, const char* unit, const char* absent) {
    return value ? short_number(value->value()) + unit : std::string(absent);
  };
  const auto bytes = [](const std::optional<Bytes>& value, const char* absent) {
    return value ? short_bytes(value->value()) : std::string(absent);
  };
  const char* unknown = "not known";
  const char* unlimited = "-";
  const scheduler::Totals& totals = plan.totals;
  const scheduler::Limits& limits = snapshot.limits;
  std::vector<ResourceUse> uses;
  for (std::size_t p = 0; p < snapshot.processors.size() && p < totals.time_share.size(); ++p) {
    uses.push_back({"time " + snapshot.processors[p].id.str(), short_number(totals.time_share[p]),
                    short_number(snapshot.processors[p].budget())});
  }
  uses.push_back({"memory", bytes(totals.memory, unknown), bytes(limits.memory, unlimited)});
  const std::vector<scheduler::DeviceMemory> memories = scheduler::device_memories(snapshot);
  for (std::size_t m = 0; m < memories.size() && m < totals.device_memory.size(); ++m) {
    const auto limit = limits.memories.find(memories[m].name);
    uses.push_back({"memory " + memories[m].name, bytes(totals.device_memory[m], unknown),
                    limit == limits.memories.end() ? unlimited : short_bytes(limit->second.value())});
  }
  uses.push_back({"energy", watts(totals.energy_per_second, " J/s", unknown),
                  watts(limits.energy_per_second, " J/s", unlimited)});
  uses.push_back(
      {"peak power", watts(totals.peak_power, " W", unknown), watts(limits.peak_power, " W", unlimited)});
  return uses;
}

void print_totals(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan, std::ostream& out) {
  Table table({{"resource", Align::left}, {"used", Align::right}, {"allowed", Align::right}});
  for (const ResourceUse& use : uses_of(snapshot, plan)) table.add_row({use.name, use.used, use.allowed});
  table.print(out);
  if (plan.totals.lost.value() > 0.0) {
    out << "lost: " << short_number(plan.totals.lost.value()) << " frames/s\n";
  }
}

// What runs by this plan: the plan, or its fallback.
const scheduler::Plan& what_runs(const scheduler::Plan& plan) {
  return plan.fallback ? *plan.fallback : plan;
}

std::string variant_text(const PlanOf& of, std::size_t task) {
  const scheduler::Assignment& a = what_runs(of.plan).tasks[task];
  return a.variant ? of.snapshot.tasks[task].profiles->variants[*a.variant].id.str() : "off";
}

std::string rate_text(const PlanOf& of, std::size_t task) {
  const scheduler::Assignment& a = what_runs(of.plan).tasks[task];
  const std::string granted = short_number(a.granted.value());
  return a.granted == a.demand ? granted : granted + " of " + short_number(a.demand.value());
}

std::string quality_text(const PlanOf& of, std::size_t task) {
  const scheduler::Assignment& a = what_runs(of.plan).tasks[task];
  return a.variant ? short_number(a.relative_accuracy) : "-";
}

void print_why(const scheduler::Plan& plan, std::ostream& out) {
  for (const scheduler::Binding& row : plan.binding) {
    out << "held back by " << row.resource << " (price " << short_number(row.price);
    if (row.frames) out << "; " << short_number(*row.frames) << " frames/s";
    out << ")\n";
  }
  for (const std::string& limit : plan.violated_limits) out << "ignores the limit " << limit << '\n';
  for (const scheduler::Reason& reason : plan.reasons) {
    out << (reason.task.empty() ? "" : reason.task + ": ") << reason.what << '\n';
  }
  for (const scheduler::Relaxation& relaxation : plan.relaxations) {
    out << "would fit with " << relaxation.what << (relaxation.proven ? "" : " (not proven)") << '\n';
  }
}

}  // namespace

void print_plan(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan, std::ostream& out) {
  print_head(plan, out);
  out << '\n';
  print_tasks(snapshot, plan, out);
  out << '\n';
  print_totals(snapshot, plan, out);
  if (!plan.binding.empty() || !plan.violated_limits.empty() || !plan.reasons.empty() ||
      !plan.relaxations.empty()) {
    out << '\n';
    print_why(plan, out);
  }
  if (plan.fallback) {
    out << "\nWhat runs instead: ";
    print_plan(snapshot, *plan.fallback, out);
  }
}

void print_comparison(const PlanOf& before, const PlanOf& after, std::ostream& out) {
  out << "before: ";
  print_head(before.plan, out);
  out << "after:  ";
  print_head(after.plan, out);
  out << '\n';
  Table tasks({{"task", Align::left},
               {"variant before", Align::left},
               {"after", Align::left},
               {"frames/s before", Align::right},
               {"after", Align::right},
               {"of best before", Align::right},
               {"after", Align::right},
               {"", Align::left}});
  for (std::size_t i = 0; i < after.plan.tasks.size(); ++i) {
    const bool same =
        variant_text(before, i) == variant_text(after, i) && rate_text(before, i) == rate_text(after, i);
    tasks.add_row({after.plan.tasks[i].task.str(), variant_text(before, i), variant_text(after, i),
                   rate_text(before, i), rate_text(after, i), quality_text(before, i), quality_text(after, i),
                   same ? "" : "changed"});
  }
  tasks.print(out);
  out << '\n';
  Table totals({{"resource", Align::left},
                {"used before", Align::right},
                {"after", Align::right},
                {"allowed before", Align::right},
                {"after", Align::right}});
  const std::vector<ResourceUse> old_uses = uses_of(before.snapshot, what_runs(before.plan));
  const std::vector<ResourceUse> new_uses = uses_of(after.snapshot, what_runs(after.plan));
  for (std::size_t i = 0; i < new_uses.size(); ++i) {
    totals.add_row(
        {new_uses[i].name, old_uses[i].used, new_uses[i].used, old_uses[i].allowed, new_uses[i].allowed});
  }
  totals.print(out);
  out << '\n';
  print_why(after.plan, out);
}

void print_considered(const scheduler::Plan& plan, std::ostream& out) {
  Table table({{"task", Align::left},
               {"variants", Align::right},
               {"considered", Align::right},
               {"removed by", Align::left}});
  for (const scheduler::FilterTrace& trace : plan.considered) {
    std::string removed;
    for (const auto& [by, count] : trace.removed) {
      removed += (removed.empty() ? "" : ", ") + by + " " + std::to_string(count);
    }
    table.add_row(
        {trace.task.str(), std::to_string(trace.all), std::to_string(trace.considered), std::move(removed)});
  }
  table.print(out);
}

}  // namespace saccade::app
