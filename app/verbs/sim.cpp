#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <ostream>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/run_report.hpp"
#include "app/report/table.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "config/solvers.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;

std::string fault_words() {
  std::string words = "Faults:\n";
  for (const runtime::FaultPoint& point : runtime::fault_points()) {
    const std::string name = point.name;
    words += "  " + name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + point.what + "\n";
  }
  return words +
         "\nExit codes: 0 what must hold did, 1 it did not (the command that replays it is printed) or\n"
         "the events could not be written, 69 a task cannot be executed, 78 bad configuration.";
}

const CommandSpec& sim_spec() {
  static const CommandSpec spec{
      "sim",
      "CONFIG",
      "Runs the configuration in virtual time: the same decisions, latencies drawn from the profiles.\n"
      "A seed gives the same run on every machine. Rules are not simulated: simulated engines see nothing.",
      {{"duration", "TIME", "virtual duration: 90, 90s, 5m, 24h (default: 60s)"},
       {"seed", "N", "the seed (default: 1)"},
       {"seeds", "COUNT", "number of seeds, starting at --seed"},
       {"faults", "NAMES",
        "all, none, or names separated by commas; each seed draws half of them (default: none)"},
       {"events", "FILE", "write every decision and every drop to FILE, one JSON object per line"},
       {"json", "", "the summary as JSON"}},
      1,
      1,
      fault_words()};
  return spec;
}

struct SimRequest {
  Duration duration = std::chrono::seconds(60);
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::string duration_text = "60s";
  std::string fault_names = "none";
  runtime::FaultSet faults;
  std::optional<std::string> events;
  bool json = false;
};

void read_faults(SimRequest& request, std::vector<std::string>& wrong) {
  if (request.fault_names == "none") return;
  if (request.fault_names == "all") {
    request.faults.set();
    return;
  }
  std::istringstream names(request.fault_names);
  for (std::string name; std::getline(names, name, ',');) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < runtime::kFaultPoints; ++i) {
      known.emplace_back(runtime::fault_points()[i].name);
      if (name == known.back()) request.faults.set(i);
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = text::nearest(name, known);
    wrong.push_back("there is no fault " + text::in_quotes(name) +
                    (meant.empty() ? "" : "; did you mean `" + meant + "`?"));
  }
}

// What the command line asks for, and what is wrong with it.
SimRequest sim_request_of(const Invocation& call, std::vector<std::string>& wrong) {
  SimRequest request;
  if (const auto text = call.value("duration")) {
    const std::optional<Duration> duration = duration_from(*text);
    if (duration) request.duration = *duration;
    request.duration_text = *text;
    if (!duration) {
      wrong.push_back(std::string("--duration takes ") + kDurationWords + ", not " + text::in_quotes(*text));
    }
  }
  const auto number = [&](const char* option, std::uint64_t& target) {
    const auto text = call.value(option);
    if (!text) return;
    const std::optional<std::uint64_t> value = whole_number_from(*text);
    if (value) target = *value;
    if (!value) {
      wrong.push_back(std::string("--") + option + " takes a whole number, not " + text::in_quotes(*text));
    }
  };
  number("seed", request.seed);
  number("seeds", request.seeds);
  if (request.seeds == 0) wrong.emplace_back("--seeds takes a number above 0");
  request.fault_names = call.value("faults").value_or("none");
  read_faults(request, wrong);
  request.events = call.value("events");
  if (request.events && request.seeds > 1) wrong.emplace_back("--events takes one seed at a time");
  request.json = call.has("json");
  return request;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

double events_per_second(const runtime::SimulationResult& result) {
  const double seconds = result.cpu.value() - result.solver_cpu.value();
  return seconds > 0.0 ? static_cast<double>(result.events) / seconds : 0.0;
}

std::int64_t frames(const runtime::SimulationResult& result) {
  std::int64_t received = 0;
  for (const runtime::TaskSummary& task : result.summary.tasks) received += task.received;
  return received;
}

std::int64_t fault_count(const runtime::SimulationResult& result) {
  return std::accumulate(result.faults.begin(), result.faults.end(), std::int64_t{0});
}

Json faults_json(const runtime::SimulationResult& result) {
  Json faults = Json::object();
  for (std::size_t i = 0; i < runtime::kFaultPoints; ++i) {
    faults[runtime::fault_points()[i].name] = result.faults[i];
  }
  return faults;
}

Json breach_json(const runtime::SimulationResult& result) {
  if (!result.breach) return nullptr;
  return {{"at_ns", result.breach->at.count()},
          {"invariant", result.breach->invariant},
          {"found", result.breach->found}};
}

Json figures_json(std::uint64_t seed, const runtime::SimulationResult& result) {
  return {{"seed", seed},
          {"hash", hex(result.hash)},
          {"events", result.events},
          {"frames", frames(result)},
          {"faults", faults_json(result)},
          {"breach", breach_json(result)},
          {"cpu_seconds", result.cpu.value()},
          {"solver_cpu_seconds", result.solver_cpu.value()},
          {"events_per_cpu_second", events_per_second(result)}};
}

void print_figures(std::uint64_t seed, const runtime::SimulationResult& result, std::ostream& out) {
  out << "seed " << seed << ", hash " << hex(result.hash) << ", " << result.events << " events in "
      << short_number(result.cpu.value()) << " s of processor time ("
      << short_number(result.solver_cpu.value()) << " s of it solving), "
      << short_number(events_per_second(result)) << " events/s without the solver\n";
  if (fault_count(result) == 0) return;
  out << "faults:";
  for (std::size_t i = 0; i < runtime::kFaultPoints; ++i) {
    if (result.faults[i] > 0) out << ' ' << runtime::fault_points()[i].name << ' ' << result.faults[i];
  }
  out << '\n';
}

// One line per seed.
class SeedTable {
 public:
  void add(std::uint64_t seed, const runtime::SimulationResult& result) {
    table_.add_row({std::to_string(seed), hex(result.hash), std::to_string(result.events),
                    std::to_string(frames(result)), std::to_string(result.summary.switches.size()),
                    std::to_string(result.summary.solves.count), std::to_string(fault_count(result)),
                    short_number(result.cpu.value()) + " s"});
  }
  void print(std::ostream& out) const { table_.print(out); }

 private:
  Table table_{{{"seed", Table::Align::right},
                {"hash", Table::Align::left},
                {"events", Table::Align::right},
                {"frames", Table::Align::right},
                {"switches", Table::Align::right},
                {"solves", Table::Align::right},
                {"faults", Table::Align::right},
                {"processor time", Table::Align::right}}};
};

// What the seeds came to, printed as asked for.
class SimReport {
 public:
  // `rules`: of the configuration.
  SimReport(const SimRequest& request, std::string file, std::size_t rules, std::ostream& out,
            std::ostream& err)
      : request_(request), file_(std::move(file)), rules_(rules), out_(out), err_(err) {
    if (rules_ == 0) return;
    err_ << "saccade sim: " << rules_ << (rules_ == 1 ? " rule is" : " rules are")
         << " not simulated: simulated engines see nothing; the demand is that of the timeline\n";
  }

  void add(std::uint64_t seed, const runtime::SimulationResult& result) {
    if (result.breach) print_breach(seed, *result.breach);
    if (request_.seeds > 1) {
      table_.add(seed, result);
      if (request_.json) runs_.push_back(figures_json(seed, result));
    } else if (request_.json) {
      Json whole = to_json(result.summary);
      whole.update(figures_json(seed, result));
      if (rules_ > 0) whole["rules_not_simulated"] = rules_;
      out_ << whole.dump(1) << '\n';
    } else {
      print_summary(result.summary, out_);
      print_figures(seed, result, out_);
    }
  }
  // After the last seed.
  void end() {
    if (request_.seeds == 1) return;
    if (request_.json) {
      Json whole{{"runs", std::move(runs_)}};
      if (rules_ > 0) whole["rules_not_simulated"] = rules_;
      out_ << whole.dump(1) << '\n';
    } else {
      table_.print(out_);
    }
  }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  void print_breach(std::uint64_t seed, const runtime::Breach& breach) {
    broken_ = true;
    err_ << "saccade sim: seed " << seed << " broke at " << short_number(to_seconds(breach.at).value())
         << " s: " << breach.invariant << " (" << breach.found << ")\nReplay it with: saccade sim "
         << text::in_quotes(file_) << " --duration " << request_.duration_text << " --seed " << seed
         << " --faults " << request_.fault_names << '\n';
  }

  const SimRequest& request_;
  const std::string file_;
  const std::size_t rules_;
  std::ostream& out_;
  std::ostream& err_;
  SeedTable table_;
  Json runs_ = Json::array();
  bool broken_ = false;
};

}  // namespace

int verb_sim(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(sim_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::vector<std::string> wrong;
  const SimRequest request = sim_request_of(call, wrong);
  if (!wrong.empty()) return usage_error("sim", wrong, err);

  const Result<config::LoadedConfig> loaded = config::read_config(call.arguments()[0]);
  if (!loaded) {
    print_errors(loaded.errors(), err);
    return kExitConfig;
  }
  print_warnings(loaded.value().warnings, err);
  print_note_count(loaded.value().profile_notes.size(), call.arguments()[0], err);
  const runtime::RunConfig& config = loaded.value().run;

  std::ofstream events;
  runtime::RunHooks hooks;
  if (request.events) {
    events.open(*request.events);
    if (!events) return usage_error("sim", "cannot write to " + text::in_quotes(*request.events), err);
    hooks.drop_events = true;
    hooks.event = [&](Duration at, const runtime::action::Report& report) {
      write_event(events, at, report);
    };
  }
  const std::unique_ptr<ilp::ChoiceSolver> solver = config::make_solver(config.solver);
  const auto policy = scheduler::make_policy(config.policy, *solver);
  SimReport report(request, call.arguments()[0], loaded.value().rules.size(), out, err);
  for (std::uint64_t seed = request.seed; seed - request.seed < request.seeds; ++seed) {
    auto shell =
        runtime::SimulatedShell::open(config, *policy, {request.duration, seed, request.faults}, hooks);
    if (!shell) {
      print_errors(shell.errors(), err);
      return kExitUnavailable;
    }
    report.add(seed, shell.value()->run());
  }
  report.end();
  if (request.events) {
    const Status written = finish_events(events, *request.events);
    if (!written) {
      print_errors(written.errors(), err);
      return kExitFailed;
    }
  }
  return report.broken() ? kExitFailed : kExitOk;
}

}  // namespace saccade::app
