#include "app/plan_table.hpp"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/table.hpp"

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

void print_totals(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan, std::ostream& out) {
  Table table({{"resource", Align::left}, {"used", Align::right}, {"allowed", Align::right}});
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
  for (std::size_t p = 0; p < snapshot.processors.size() && p < totals.time_share.size(); ++p) {
    table.add_row({"time " + snapshot.processors[p].id.str(), short_number(totals.time_share[p]),
                   short_number(snapshot.processors[p].budget())});
  }
  table.add_row({"memory", bytes(totals.memory, unknown), bytes(limits.memory, unlimited)});
  table.add_row({"energy", watts(totals.energy_per_second, " J/s", unknown),
                 watts(limits.energy_per_second, " J/s", unlimited)});
  table.add_row(
      {"peak power", watts(totals.peak_power, " W", unknown), watts(limits.peak_power, " W", unlimited)});
  table.print(out);
  if (totals.lost.value() > 0.0) out << "lost: " << short_number(totals.lost.value()) << " frames/s\n";
}

void print_why(const scheduler::Plan& plan, std::ostream& out) {
  for (const scheduler::Binding& row : plan.binding) {
    out << "held back by " << row.resource << " (price " << short_number(row.price) << ")\n";
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
