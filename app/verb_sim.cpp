#include <cstdio>
#include <fstream>
#include <ostream>

#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/run_report.hpp"
#include "app/table.hpp"
#include "app/verbs.hpp"
#include "ilp/glpk_solver.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/simulated_shell.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;

const CommandSpec& sim_spec() {
  static const CommandSpec spec{
      "sim",
      "CONFIG",
      "Runs the configuration in virtual time: the same decisions, latencies drawn from the profiles.\n"
      "A seed tells the same story on every machine.",
      {{"duration", "TIME", "how long in virtual time, as in 90, 90s, 5m, 24h (default: 60s)"},
       {"seed", "N", "the seed (default: 1)"},
       {"seeds", "COUNT", "this many seeds, from --seed on"},
       {"events", "FILE", "write every decision and every drop to FILE, one JSON object per line"},
       {"json", "", "the summary as JSON"}},
      1,
      1,
      "Exit codes: 0 ended in good order, 69 a task cannot be executed, 78 bad configuration."};
  return spec;
}

struct SimRequest {
  Duration duration = std::chrono::seconds(60);
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::optional<std::string> events;
  bool json = false;
};

// What the command line asks for; `wrong` says what is wrong with it.
SimRequest request_of(const Invocation& call, std::string& wrong) {
  SimRequest request;
  if (const auto text = call.value("duration")) {
    const std::optional<Duration> duration = duration_from(*text);
    if (duration) request.duration = *duration;
    if (!duration) {
      wrong = std::string("--duration takes ") + kDurationWords + ", not " + profiles::in_quotes(*text);
    }
  }
  const auto number = [&](const char* option, std::uint64_t& target) {
    const auto text = call.value(option);
    if (!text) return;
    const std::optional<std::uint64_t> value = whole_number_from(*text);
    if (value) target = *value;
    if (!value) {
      wrong = std::string("--") + option + " takes a whole number, not " + profiles::in_quotes(*text);
    }
  };
  number("seed", request.seed);
  number("seeds", request.seeds);
  if (request.seeds == 0) wrong = "--seeds takes a number above 0";
  request.events = call.value("events");
  if (request.events && request.seeds > 1) wrong = "--events takes one seed at a time";
  request.json = call.has("json");
  return request;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

double events_per_second(const runtime::SimulationResult& result) {
  const double seconds = result.wall.value() - result.solver_wall.value();
  return seconds > 0.0 ? static_cast<double>(result.events) / seconds : 0.0;
}

std::int64_t frames(const runtime::SimulationResult& result) {
  std::int64_t received = 0;
  for (const runtime::TaskSummary& task : result.summary.tasks) received += task.received;
  return received;
}

Json figures_json(std::uint64_t seed, const runtime::SimulationResult& result) {
  return {{"seed", seed},
          {"hash", hex(result.hash)},
          {"events", result.events},
          {"wall_seconds", result.wall.value()},
          {"solver_wall_seconds", result.solver_wall.value()},
          {"events_per_second", events_per_second(result)}};
}

void print_figures(std::uint64_t seed, const runtime::SimulationResult& result, std::ostream& out) {
  out << "seed " << seed << ", hash " << hex(result.hash) << ", " << result.events << " events in "
      << short_number(result.wall.value()) << " s of real time (" << short_number(result.solver_wall.value())
      << " s of it solving), " << short_number(events_per_second(result)) << " events/s without the solver\n";
}

// One line per seed.
class SeedTable {
 public:
  void add(std::uint64_t seed, const runtime::SimulationResult& result) {
    table_.add_row({std::to_string(seed), hex(result.hash), std::to_string(result.events),
                    std::to_string(frames(result)), std::to_string(result.summary.switches.size()),
                    std::to_string(result.summary.solves.count), short_number(result.wall.value()) + " s"});
  }
  void print(std::ostream& out) const { table_.print(out); }

 private:
  Table table_{{{"seed", Table::Align::right},
                {"hash", Table::Align::left},
                {"events", Table::Align::right},
                {"frames", Table::Align::right},
                {"switches", Table::Align::right},
                {"solves", Table::Align::right},
                {"real time", Table::Align::right}}};
};

}  // namespace

int verb_sim(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(sim_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::string wrong;
  const SimRequest request = request_of(call, wrong);
  if (!wrong.empty()) return usage_error("sim", wrong, err);

  const Result<LoadedConfig> loaded = read_config(call.arguments()[0]);
  if (!loaded) {
    print_errors(loaded.errors(), err);
    return kExitConfig;
  }
  print_warnings(loaded.value().warnings, err);
  const runtime::RunConfig& config = loaded.value().run;

  std::ofstream events;
  if (request.events) {
    events.open(*request.events);
    if (!events) return usage_error("sim", "cannot write to " + profiles::in_quotes(*request.events), err);
  }
  runtime::RunHooks hooks;
  if (request.events) {
    hooks.drop_events = true;
    hooks.event = [&](Duration at, const runtime::action::Report& report) {
      write_event(events, at, report);
    };
  }
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);

  SeedTable table;
  Json runs = Json::array();
  for (std::uint64_t i = 0; i < request.seeds; ++i) {
    const std::uint64_t seed = request.seed + i;
    auto shell = runtime::SimulatedShell::open(config, *policy, {request.duration, seed}, hooks);
    if (!shell) {
      print_errors(shell.errors(), err);
      return kExitUnavailable;
    }
    const runtime::SimulationResult result = shell.value()->run();
    if (request.seeds > 1) {
      table.add(seed, result);
      if (request.json) runs.push_back(figures_json(seed, result));
    } else if (request.json) {
      Json whole = to_json(result.summary);
      whole.update(figures_json(seed, result));
      out << whole.dump(1) << '\n';
    } else {
      print_summary(result.summary, out);
      print_figures(seed, result, out);
    }
  }
  if (request.seeds > 1) {
    if (request.json) {
      out << Json{{"runs", std::move(runs)}}.dump(1) << '\n';
    } else {
      table.print(out);
    }
  }
  return kExitOk;
}

}  // namespace saccade::app
