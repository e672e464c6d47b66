#include "app/report/ctl_view.hpp"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using Align = Table::Align;
using Json = nlohmann::ordered_json;

// The member at a pointer; null where there is none.
const Json& at(const Json& json, const char* pointer) {
  static const Json none;
  const Json::json_pointer place(pointer);
  return json.contains(place) ? json.at(place) : none;
}

std::string text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return std::to_string(json.get<std::int64_t>());
  if (json.is_number()) return short_number(json.get<double>());
  if (json.is_boolean()) return json.get<bool>() ? "yes" : "no";
  return "-";
}

std::string share_or_dash(const Json& share) {
  return share.is_number() ? app::percent(share.get<double>()) : "-";
}

std::string milliseconds(const Json& seconds) {
  return seconds.is_number() ? short_number(seconds.get<double>() * 1e3) : "-";
}

std::int64_t dropped_of(const Json& task) {
  std::int64_t sum = 0;
  for (const Json& count : at(task, "/frames/dropped")) sum += count.get<std::int64_t>();
  return sum;
}

// Processed per second since the earlier status.
std::string achieved(const Json& status, const Json& earlier, std::size_t task) {
  const std::string place = "/tasks/" + std::to_string(task);
  const Json& now = at(status, (place + "/frames/processed").c_str());
  const Json& before = at(earlier, (place + "/frames/processed").c_str());
  const Json& to = at(status, "/at_seconds");
  const Json& from = at(earlier, "/at_seconds");
  if (!now.is_number() || !before.is_number() || !from.is_number() || to <= from ||
      at(status, (place + "/id").c_str()) != at(earlier, (place + "/id").c_str())) {
    return "-";
  }
  return short_number(static_cast<double>(now.get<std::int64_t>() - before.get<std::int64_t>()) /
                      (to.get<double>() - from.get<double>()));
}

void print_tasks(const Json& status, const Json& earlier, std::ostream& out) {
  Table table({{"task", Align::left},
               {"variant", Align::left},
               {"demanded", Align::right},
               {"granted", Align::right},
               {"achieved", Align::right},
               {"accuracy", Align::right},
               {"floor", Align::right},
               {"processed", Align::right},
               {"dropped", Align::right},
               {"p99 ms", Align::right},
               {"source", Align::left}});
  const Json& tasks = at(status, "/tasks");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Json& task = tasks.at(i);
    const bool off = at(task, "/variant").is_null();
    table.add_row({text(at(task, "/id")), off ? "off" : text(at(task, "/variant")),
                   text(at(task, "/demanded_fps")), text(at(task, "/granted_fps")),
                   achieved(status, earlier, i), share_or_dash(at(task, "/accuracy")),
                   share_or_dash(at(task, "/accuracy_floor")), text(at(task, "/frames/processed")),
                   std::to_string(dropped_of(task)), milliseconds(at(task, "/latency_seconds/p99")),
                   at(task, "/source_connected") == false ? "lost" : "ok"});
  }
  table.print(out);
}

}  // namespace

void print_service_tasks(const Json& tasks, std::ostream& out) { print_tasks(tasks, Json(), out); }

void print_service_status(const Json& status, const Json& earlier, std::ostream& out) {
  out << text(at(status, "/at_seconds")) << " s  " << text(at(status, "/plan/policy")) << ", "
      << text(at(status, "/objective")) << ", " << text(at(status, "/plan/status")) << ", generation "
      << text(at(status, "/generation"))
      << (at(status, "/settled") == true ? ""
                                         : ", on the way from plan " + text(at(status, "/plan/generation")))
      << "\n\n";
  print_tasks(status, earlier, out);
  out << '\n';
  const Json& limit = at(status, "/memory/limit_bytes");
  out << "memory  " << short_bytes(at(status, "/memory/used_bytes").get<double>())
      << (limit.is_number() ? " of " + short_bytes(limit.get<double>()) : "");
  if (const auto memories = at(status, "/memory").find("devices"); memories != at(status, "/memory").end()) {
    for (const auto& [name, memory] : memories->items()) {
      const Json& allowed = at(memory, "/limit_bytes");
      out << "   " << name << ' ' << short_bytes(at(memory, "/used_bytes").get<double>())
          << (allowed.is_number() ? " of " + short_bytes(allowed.get<double>()) : "");
    }
  }
  out << "   switches  " << text(at(status, "/switches")) << '\n';
}

void print_service_plan(const Json& plan, std::ostream& out) {
  if (plan.is_null()) {
    out << "there is no plan yet\n";
    return;
  }
  if (plan.contains("generation")) out << "generation " << text(at(plan, "/generation")) << "  ";
  out << text(at(plan, "/policy")) << ", " << text(at(plan, "/objective")) << ", "
      << text(at(plan, "/status")) << ", solved in " << milliseconds(at(plan, "/solve_seconds")) << " ms\n\n";
  const bool stands_in = at(plan, "/fallback").is_object();
  if (stands_in) out << "in its place " << text(at(plan, "/fallback/policy")) << ":\n";
  Table table({{"task", Align::left},
               {"variant", Align::left},
               {"demanded", Align::right},
               {"granted", Align::right},
               {"accuracy", Align::right},
               {"of best", Align::right}});
  for (const Json& task : at(plan, stands_in ? "/fallback/tasks" : "/tasks")) {
    const bool off = at(task, "/variant").is_null();
    table.add_row({text(at(task, "/id")), off ? "off" : text(at(task, "/variant")),
                   text(at(task, "/demanded_fps")), text(at(task, "/granted_fps")),
                   share_or_dash(at(task, "/accuracy")), share_or_dash(at(task, "/relative_accuracy"))});
  }
  table.print(out);
  for (const Json& reason : at(plan, "/reasons")) {
    const bool whole = at(reason, "/task").is_null();
    out << (whole ? "" : text(at(reason, "/task")) + ": ") << text(at(reason, "/what")) << '\n';
  }
  for (const Json& relaxation : at(plan, "/relaxations")) out << text(at(relaxation, "/what")) << '\n';
}

void print_history(const Json& history, std::ostream& out) {
  Table table({{"at s", Align::right},
               {"generation", Align::right},
               {"status", Align::left},
               {"objective", Align::left},
               {"value", Align::right},
               {"lost fps", Align::right},
               {"solved ms", Align::right}});
  for (const Json& plan : at(history, "/plans")) {
    table.add_row({text(at(plan, "/at_seconds")), text(at(plan, "/generation")), text(at(plan, "/status")),
                   text(at(plan, "/objective")), text(at(plan, "/objective_value")),
                   text(at(plan, "/totals/lost_fps")), milliseconds(at(plan, "/solve_seconds"))});
  }
  table.print(out);
}

void print_problem(const Json& problem, std::ostream& err) {
  err << "saccade ctl: "
      << (problem.is_object() && problem.contains("detail") ? text(at(problem, "/detail"))
                                                            : "the service says no")
      << '\n';
  if (!problem.is_object()) return;
  for (const Json& error : at(problem, "/errors")) {
    err << "  " << text(at(error, "/pointer")) << ": " << text(at(error, "/detail")) << '\n';
    if (error.contains("hint")) err << "    " << text(at(error, "/hint")) << '\n';
  }
}

}  // namespace saccade::app
