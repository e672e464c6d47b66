#include <algorithm>
#include <ctime>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/fleet_report.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/fleet_service.hpp"
#include "app/verbs/fleet_sim.hpp"
#include "app/verbs/verbs.hpp"
#include "config/fleet_file.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

const OptionSpec kPairs{"pairs", "N", "pairs of boxes that the improvement examines (default: 4 per box)"};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Result<fleet::PlanLimits> limits_of(const Invocation& call) {
  fleet::PlanLimits limits;
  limits.rounds = fleet::kSearchRounds;
  if (const auto pairs = call.value("pairs")) {
    const auto number = whole_number_from(*pairs);
    if (!number || *number > 1'000'000'000) return Error{"--pairs", "must be a whole number up to 1e9", ""};
    limits.pairs = static_cast<std::int64_t>(*number);
  }
  return limits;
}

std::size_t index_of_box(const fleet::Problem& problem, const std::string& id) {
  const auto found = std::find_if(problem.boxes.begin(), problem.boxes.end(),
                                  [&](const fleet::Box& box) { return box.id.str() == id; });
  return found == problem.boxes.end() ? fleet::kNone
                                      : static_cast<std::size_t>(found - problem.boxes.begin());
}

bool certified(const fleet::FleetPlan& plan) {
  return std::all_of(plan.certificates.begin(), plan.certificates.end(),
                     [](const fleet::Certificate& each) { return each.survives; });
}

FleetReport report_of(const fleet::FleetPlan& plan, const std::vector<std::size_t>& lost, double seconds) {
  FleetReport report{plan, {}, {}, seconds};
  for (std::size_t box = 0; box < plan.assignment.model().problem().boxes.size(); ++box) {
    report.boxes.emplace_back();
    if (!plan.assignment.box(box).cameras.empty()) {
      report.boxes.back() = fleet::plan_of_box(plan.assignment, box, {});
    }
  }
  for (const std::size_t box : lost) {
    fleet::Assignment after = plan.assignment;
    fleet::Failover failover = fleet::fail_over(after, box, {});
    report.losses.push_back({box, std::move(failover), std::move(after)});
  }
  return report;
}

int fleet_plan(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "fleet plan",
      "FILE",
      "Decides which box serves each camera of a fleet file, and what no assignment can exceed. Every box's\n"
      "own planner then decides the variants, as it would on the box.",
      {{"lose", "BOX", "play the loss of this box on the plan", true},
       kPairs,
       {"json", "", "the assignment as JSON"}},
      1,
      1,
      "Exit codes: 0 a plan was found, 3 \"survive\": \"require\" and the loss of a box is not certified to "
      "be\n"
      "survived, 78 a mistake in the file."};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const Result<fleet::PlanLimits> limits = limits_of(call);
  if (!limits) return usage_error("fleet plan", to_string(limits.errors()), err);
  const Result<config::LoadedFleet> loaded = config::read_fleet(call.arguments()[0]);
  if (!loaded) return fail(loaded.errors(), kExitConfig, err);
  print_warnings(loaded.value().warnings, err);
  const fleet::Problem& problem = loaded.value().problem;
  std::vector<std::size_t> lost;
  for (const std::string& id : call.values("lose")) {
    lost.push_back(index_of_box(problem, id));
    if (lost.back() == fleet::kNone) {
      return usage_error("fleet plan", "--lose: there is no box " + text::in_quotes(id), err);
    }
  }
  const double began = processor_seconds();
  const fleet::Model model(problem);
  const fleet::FleetPlan plan = fleet::plan_fleet(model, limits.value());
  const FleetReport report = report_of(plan, lost, processor_seconds() - began);
  if (call.has("json")) {
    out << to_json(report).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    print_fleet(report, out);
  }
  const bool required = problem.policy.survive == fleet::Survive::require;
  return required && !certified(plan) ? kExitInfeasible : kExitOk;
}

int fleet_check(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "fleet check",
      "FILE...",
      "Reads fleet files and tells everything that is wrong with them at once: file and line, "
      "JSON pointer,\nwhat is wrong and what to do. Warnings do not make a file bad.",
      {},
      1};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  int code = kExitOk;
  for (const std::string& path : call.arguments()) {
    const Result<config::LoadedFleet> loaded = config::read_fleet(path);
    if (!loaded) {
      code = fail(loaded.errors(), kExitConfig, err);
      continue;
    }
    print_warnings(loaded.value().warnings, err);
    const fleet::Problem& problem = loaded.value().problem;
    out << path << ": ok, " << problem.cameras.size()
        << (problem.cameras.size() == 1 ? " camera" : " cameras") << " on " << problem.boxes.size()
        << (problem.boxes.size() == 1 ? " box" : " boxes") << ", objective "
        << to_string(problem.policy.objective) << '\n';
  }
  return code;
}

int fleet_explain(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "fleet explain",
      "FILE CAMERA",
      "Says of one camera on which box it is, what it would be worth on others and which box "
      "would take it\nif its own were lost.",
      {kPairs},
      2,
      2};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const Result<fleet::PlanLimits> limits = limits_of(call);
  if (!limits) return usage_error("fleet explain", to_string(limits.errors()), err);
  const Result<config::LoadedFleet> loaded = config::read_fleet(call.arguments()[0]);
  if (!loaded) return fail(loaded.errors(), kExitConfig, err);
  const fleet::Problem& problem = loaded.value().problem;
  const auto camera =
      std::find_if(problem.cameras.begin(), problem.cameras.end(),
                   [&](const fleet::Camera& each) { return each.task.id.str() == call.arguments()[1]; });
  if (camera == problem.cameras.end()) {
    return usage_error("fleet explain", "there is no camera " + text::in_quotes(call.arguments()[1]), err);
  }
  const fleet::Model model(problem);
  const fleet::FleetPlan plan = fleet::plan_fleet(model, limits.value());
  print_camera(plan, static_cast<std::size_t>(camera - problem.cameras.begin()), out);
  return kExitOk;
}

constexpr Verb kFleetVerbs[] = {
    {"apply", "put the cameras, boxes and policy of a file into the fleet", verb_fleet_apply},
    {"boxes", "show the boxes of the fleet", verb_fleet_boxes},
    {"cameras", "show the cameras of the fleet", verb_fleet_cameras},
    {"check", "look for mistakes in fleet files", fleet_check},
    {"cordon", "let a box take no more cameras", verb_fleet_cordon},
    {"drain", "move the cameras of a box elsewhere", verb_fleet_drain},
    {"explain", "say why a camera is on its box", fleet_explain},
    {"move", "move a camera to a box by order", verb_fleet_move},
    {"plan", "decide which box serves each camera", fleet_plan},
    {"release", "release the brake on lost boxes", verb_fleet_release},
    {"retire", "take a box out of the fleet", verb_fleet_retire},
    {"run", "run a planner of the fleet", verb_fleet_run},
    {"sim", "simulate the fleet in virtual time, with faults", verb_fleet_sim},
    {"status", "show what the fleet serves", verb_fleet_status},
    {"uncordon", "let a box take cameras again", verb_fleet_uncordon},
    {"unpin", "let a camera that was moved by order be anywhere again", verb_fleet_unpin},
};

void print_fleet_help(std::ostream& out) {
  out << "Usage: saccade fleet VERB [arguments]\n\n";
  for (const Verb& verb : kFleetVerbs)
    out << "  " << verb.name << std::string(10 - std::string(verb.name).size(), ' ') << verb.summary << '\n';
  out << "\n`saccade fleet VERB --help` tells more of each.\n";
}

}  // namespace

int verb_fleet(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    print_fleet_help(out);
    return kExitOk;
  }
  std::vector<std::string> names;
  for (const Verb& verb : kFleetVerbs) {
    if (!args.empty() && args[0] == verb.name) return verb.run({args.begin() + 1, args.end()}, out, err);
    names.emplace_back(verb.name);
  }
  if (args.empty()) return usage_error("fleet", "which verb? (saccade fleet --help)", err);
  const std::string meant = text::nearest(args[0], names);
  return usage_error("fleet",
                     "there is no verb " + text::in_quotes(args[0]) +
                         (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                     err);
}

}  // namespace saccade::app
