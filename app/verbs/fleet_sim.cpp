#include "app/verbs/fleet_sim.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "config/fleet_file.hpp"
#include "fleet_simulation/simulation.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

using fleet_simulation::fault_points;
using fleet_simulation::kFaults;
using fleet_simulation::SimulationResult;
using FleetJson = nlohmann::ordered_json;

const CommandSpec& fleet_sim_spec() {
  static const CommandSpec spec = [] {
    std::string words = "Faults:\n";
    for (const fleet_simulation::FaultPoint& point : fault_points()) {
      const std::string name = point.name;
      words += "  " + name + std::string(name.size() < 18 ? 18 - name.size() : 1, ' ') + point.what + "\n";
    }
    return CommandSpec{
        "fleet sim",
        "FILE",
        "Runs the fleet in virtual time: boxes, planners and their store, with the code that decides in\n"
        "the real ones. Storms of faults and calms take turns; what must hold is checked throughout. A seed\n"
        "tells the same story on every machine.",
        {{"duration", "TIME", "how long in virtual time, as in 90, 90s, 5m, 24h (default: 30m)"},
         {"seed", "N", "the seed (default: 1)"},
         {"seeds", "COUNT", "this many seeds, from --seed on"},
         {"planners", "N", "planners, of which one leads (default: 2)"},
         {"faults", "NAMES",
          "all, none, or names separated by commas; each seed draws half of them (default: all)"},
         {"json", "", "the figures as JSON"}},
        1,
        1,
        words +
            "\nExit codes: 0 what must hold did, 1 it did not (the command that replays it is printed),\n"
            "78 a mistake in the file."};
  }();
  return spec;
}

struct FleetSimRequest {
  fleet_simulation::SimulationSettings settings;
  std::uint64_t seeds = 1;
  std::string duration = "30m";
  std::string faults = "all";
};

void read_fleet_faults(FleetSimRequest& request, std::vector<std::string>& wrong) {
  if (request.faults == "all") request.settings.faults.set();
  if (request.faults == "all" || request.faults == "none") return;
  std::vector<std::string> known;
  for (const fleet_simulation::FaultPoint& point : fault_points()) known.emplace_back(point.name);
  std::istringstream names(request.faults);
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found != known.end()) {
      request.settings.faults.set(static_cast<std::size_t>(found - known.begin()));
      continue;
    }
    const std::string meant = text::nearest(name, known);
    wrong.push_back("there is no fault " + text::in_quotes(name) +
                    (meant.empty() ? "" : "; did you mean `" + meant + "`?"));
  }
}

FleetSimRequest fleet_sim_request_of(const Invocation& call, std::vector<std::string>& wrong) {
  FleetSimRequest request;
  request.settings.decide = fleet_simulation::quick_planner();
  if (const auto text = call.value("duration")) {
    const std::optional<Duration> duration = duration_from(*text);
    if (duration) request.settings.duration = *duration;
    request.duration = *text;
    if (!duration) {
      wrong.push_back(std::string("--duration takes ") + kDurationWords + ", not " + text::in_quotes(*text));
    }
  }
  const auto number = [&](const char* option, std::uint64_t least, std::uint64_t most,
                          std::uint64_t otherwise) {
    const auto text = call.value(option);
    if (!text) return otherwise;
    const std::optional<std::uint64_t> value = whole_number_from(*text);
    if (value && *value >= least && *value <= most) return *value;
    wrong.push_back(std::string("--") + option + " takes a whole number from " + std::to_string(least) +
                    " to " + std::to_string(most) + ", not " + text::in_quotes(*text));
    return otherwise;
  };
  request.settings.seed = number("seed", 0, 1'000'000'000'000, 1);
  request.seeds = number("seeds", 1, 1'000'000, 1);
  request.settings.planners = static_cast<std::size_t>(number("planners", 1, 9, 2));
  request.faults = call.value("faults").value_or("all");
  read_fleet_faults(request, wrong);
  return request;
}

std::string story_hash(const SimulationResult& result) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(result.hash));
  return text;
}

std::int64_t all_faults(const SimulationResult& result) {
  std::int64_t sum = 0;
  for (const std::int64_t count : result.faults) sum += count;
  return sum;
}

FleetJson story_json(std::uint64_t seed, const SimulationResult& result, double seconds) {
  FleetJson faults = FleetJson::object();
  for (std::size_t i = 0; i < kFaults; ++i) faults[fault_points()[i].name] = result.faults[i];
  FleetJson breach = nullptr;
  if (result.breach) {
    breach = {{"at_seconds", since_start(result.breach->at).value()},
              {"invariant", result.breach->invariant},
              {"found", result.breach->found}};
  }
  return {{"seed", seed},
          {"hash", story_hash(result)},
          {"events", result.events},
          {"starts", result.starts},
          {"leaders", result.leaders},
          {"gaps", result.gaps},
          {"median_gap_seconds", to_seconds(result.median_gap).value()},
          {"worst_gap_seconds", to_seconds(result.worst_gap).value()},
          {"unserved_share", result.unserved_share},
          {"faults", faults},
          {"breach", breach},
          {"cpu_seconds", seconds}};
}

// A row per seed, and what all came to.
class FleetStories {
 public:
  void add(std::uint64_t seed, const SimulationResult& result, double seconds) {
    runs_.push_back(story_json(seed, result, seconds));
    table_.add_row({std::to_string(seed), story_hash(result), std::to_string(result.events),
                    std::to_string(all_faults(result)), std::to_string(result.leaders),
                    std::to_string(result.starts), std::to_string(result.gaps),
                    short_number(to_seconds(result.median_gap).value()) + " s",
                    short_number(to_seconds(result.worst_gap).value()) + " s",
                    short_number(100.0 * result.unserved_share) + " %", short_number(seconds) + " s"});
    seconds_ += seconds;
    broken_ += result.breach ? 1 : 0;
  }
  void print(bool json, std::ostream& out) const {
    if (json) {
      out << FleetJson{{"runs", runs_}, {"broken", broken_}, {"cpu_seconds", seconds_}}.dump(1) << '\n';
      return;
    }
    table_.print(out);
    out << runs_.size() << (runs_.size() == 1 ? " seed, " : " seeds, ") << broken_ << " broken, "
        << short_number(seconds_) << " s of processor time\n";
  }
  [[nodiscard]] bool broken() const { return broken_ > 0; }

 private:
  Table table_{{{"seed", Table::Align::right},
                {"hash", Table::Align::left},
                {"events", Table::Align::right},
                {"faults", Table::Align::right},
                {"leaders", Table::Align::right},
                {"starts", Table::Align::right},
                {"gaps", Table::Align::right},
                {"median", Table::Align::right},
                {"worst", Table::Align::right},
                {"unserved", Table::Align::right},
                {"processor time", Table::Align::right}}};
  FleetJson runs_ = FleetJson::array();
  double seconds_ = 0.0;
  std::int64_t broken_ = 0;
};

void print_fleet_breach(const FleetSimRequest& request, const std::string& file, std::uint64_t seed,
                        const fleet_simulation::Breach& breach, std::ostream& err) {
  err << "saccade fleet sim: seed " << seed << " broke at " << short_number(since_start(breach.at).value())
      << " s: " << breach.invariant << " (" << breach.found << ")\nReplay it with: saccade fleet sim "
      << text::in_quotes(file) << " --duration " << request.duration << " --seed " << seed << " --planners "
      << request.settings.planners << " --faults " << request.faults << '\n';
}

}  // namespace

int verb_fleet_sim(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(fleet_sim_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::vector<std::string> wrong;
  FleetSimRequest request = fleet_sim_request_of(call, wrong);
  if (!wrong.empty()) return usage_error("fleet sim", wrong, err);
  const std::string& file = call.arguments()[0];
  const Result<config::LoadedFleet> loaded = config::read_fleet(file);
  if (!loaded) {
    print_errors(loaded.errors(), err);
    return kExitConfig;
  }
  print_warnings(loaded.value().warnings, err);
  FleetStories stories;
  const std::uint64_t first = request.settings.seed;
  for (std::uint64_t seed = first; seed - first < request.seeds; ++seed) {
    request.settings.seed = seed;
    const std::clock_t began = std::clock();
    const SimulationResult result = fleet_simulation::simulate(loaded.value().problem, request.settings);
    stories.add(seed, result, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
    if (result.breach) print_fleet_breach(request, file, seed, *result.breach, err);
  }
  stories.print(call.has("json"), out);
  return stories.broken() ? kExitFailed : kExitOk;
}

}  // namespace saccade::app
