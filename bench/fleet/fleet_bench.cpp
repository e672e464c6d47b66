// saccade bench fleet [NAME...] --docs FILE
// saccade bench fleet --overhead --docs FILE
#include <time.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/fleet/figures.hpp"
#include "bench/fleet/instances.hpp"
#include "bench/fleet/overhead.hpp"
#include "bench/fleet/played_fleet.hpp"
#include "bench/fleet/whole.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"
#include "fleet/failover.hpp"
#include "fleet/place.hpp"
#include "fleet/plan.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

const app::CommandSpec& fleet_spec() {
  static const app::CommandSpec spec{
      "bench fleet",
      "[INSTANCE]...",
      "Cameras to boxes on modelled fleets: processor time, value against the proven bound, every loss of a\n"
      "box, N-1, a tenth of the demands changed, and the naive ways beside. Instances: 500, 300, 200, 150\n"
      "(boxes, 10,000 cameras, anywhere), sites, mixed, 100k, and small for a\ntrial. Without a name all but "
      "these two.",
      {{"seed", "N", "of the instances (default: 1)"},
       {"pairs", "N", "pairs of boxes that the improvement examines (default: 4 per box)"},
       {"losses", "N", "boxes whose loss is played (default: all)"},
       {"solvers", "SECONDS", "other solvers on small fleets, so long on each"},
       {"overhead", "",
        "instead: memory and processor time of a box's agent and of a planner, real processes"},
       {"quick", "", "of the overhead, a few seconds: does it work, not how much is it"},
       {"out", "DIR", "write fleet.json, or overhead.json, there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"}},
      0,
      16,
      "One thread; times are its processor time. No figure is a failure; an answer that is wrong is (exit "
      "code "
      "1): a\nbound below a value, a loss that moves another camera, a certified loss that costs demand. "
      "Exit "
      "code 69:\n`--overhead` without etcd."};
  return spec;
}

const std::vector<Instance>& instances() {
  static const std::vector<Instance> all = {
      {"500", {10'000, 500, Sites::anywhere, 1}, 1.0, 0.25},
      {"300", {10'000, 300, Sites::anywhere, 1}, 3.0, 1.0},
      {"200", {10'000, 200, Sites::anywhere, 1}, 3.0, 1.0},
      {"150", {10'000, 150, Sites::anywhere, 1}, 0.0, 0.0},
      {"sites", {10'000, 300, Sites::sites, 30}, 0.0, 0.0},
      {"mixed", {10'000, 400, Sites::mixed, 50}, 3.0, 0.5},
      {"small", {200, 10, Sites::anywhere, 1}, 0.0, 0.0},
      {"100k", {100'000, 5'000, Sites::sites, 500}, 15.0, 0.5},
  };
  return all;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double count_off(const fleet::Assignment& assignment) {
  double off = 0.0;
  for (const fleet::Served& served : assignment.all()) off += served.off() ? 1.0 : 0.0;
  return off;
}

double count_lowered(const fleet::Assignment& assignment) {
  double lowered = 0.0;
  for (std::size_t i = 0; i < assignment.all().size(); ++i) {
    const fleet::Served& served = assignment.served(i);
    if (!served.off() && served.rate < assignment.model().items()[i].rate) lowered += 1.0;
  }
  return lowered;
}

void play_losses(const fleet::FleetPlan& plan, std::size_t most, Figures& figures) {
  const std::size_t boxes = plan.assignment.model().problem().boxes.size();
  for (std::size_t n = 0; n < std::min(most, boxes); ++n) {
    const std::size_t box = n * boxes / std::min(most, boxes);
    fleet::Assignment after = plan.assignment;
    const double began = cpu_seconds();
    const fleet::Failover failover = fleet::fail_over(after, box, {});
    figures.loss_seconds.push_back(cpu_seconds() - began);
    figures.orphans_off += static_cast<double>(failover.off.size());
    for (std::size_t i = 0; i < after.all().size(); ++i) {
      const std::size_t before = plan.assignment.served(i).box;
      if (before != box && after.served(i).box != before) {
        figures.wrong.push_back("the loss of box " + std::to_string(box) + " moves another camera");
        break;
      }
    }
    for (const fleet::Certificate& certificate : plan.certificates) {
      if (certificate.box != box || !certificate.survives) continue;
      if (fleet::loses_less(plan.losses, after.losses())) {
        figures.wrong.push_back("box " + std::to_string(box) + " was certified, and its loss costs demand");
      }
    }
  }
  std::sort(figures.loss_seconds.begin(), figures.loss_seconds.end());
}

void settle_naively(const fleet::Model& model, Figures& figures) {
  using fleet::NaiveRule;
  for (const auto& [name, rule] : {std::pair("even count", NaiveRule::even_count),
                                   {"hash", NaiveRule::hash},
                                   {"least loaded", NaiveRule::least_loaded}}) {
    const std::vector<std::size_t> at = fleet::place_naively(model, rule);
    std::vector<std::vector<std::size_t>> cameras(model.problem().boxes.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] != fleet::kNone) cameras[at[i]].push_back(i);
    }
    fleet::Assignment assignment(model);
    for (std::size_t box = 0; box < cameras.size(); ++box) (void)assignment.settle(box, cameras[box], {});
    figures.naive.push_back(
        {name, assignment.value() / model.weight(), count_off(assignment), count_lowered(assignment)});
  }
}

void change(fleet::Problem problem, const fleet::FleetPlan& plan, std::optional<std::int64_t> pairs,
            std::uint64_t seed, Figures& figures) {
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    const fleet::Served& served = plan.assignment.served(i);
    if (!served.off()) problem.cameras[i].serving = problem.boxes[served.box].id;
  }
  change_demands(problem, seed);
  const double began = cpu_seconds();
  const fleet::Model model(problem);
  fleet::PlanLimits limits;
  limits.survival = false;
  limits.pairs = pairs;
  const fleet::FleetPlan next = fleet::plan_fleet(model, limits);
  figures.change_seconds = cpu_seconds() - began;
  figures.change_moves = static_cast<double>(next.moves);
  figures.change_gap = next.gap();
}

Figures measure(const Instance& instance, std::uint64_t seed, std::optional<std::int64_t> pairs,
                std::size_t losses) {
  Figures figures;
  figures.instance = &instance;
  const fleet::Problem problem = make_fleet(instance.size, seed);
  const double began = cpu_seconds();
  const fleet::Model model(problem);
  fleet::PlanLimits limits;
  limits.pairs = 0;
  limits.survival = false;
  fleet::FleetPlan plan = fleet::plan_fleet(model, limits);
  figures.seconds = cpu_seconds() - began;
  figures.value = plan.value / model.weight();
  figures.bound = plan.bound / model.weight();
  figures.off = count_off(plan.assignment);
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) figures.off_bound += plan.loss_bounds[2 * rank];
  if (fleet::loses_nothing(plan.losses) && plan.bound < plan.value)
    figures.wrong.push_back("a bound below the value");

  const double improving = cpu_seconds();
  fleet::ImproveLimits improve_limits;
  improve_limits.pairs = pairs.value_or(4 * static_cast<std::int64_t>(problem.boxes.size()));
  (void)fleet::improve(plan.assignment, improve_limits);
  figures.improve_seconds = cpu_seconds() - improving;
  plan.value = plan.assignment.value();
  plan.losses = plan.assignment.losses();
  figures.improved = plan.value / model.weight();

  const double certifying = cpu_seconds();
  plan.certificates = fleet::certify_losses(plan.assignment);
  figures.certify_seconds = cpu_seconds() - certifying;
  figures.boxes = plan.certificates.size();
  for (const fleet::Certificate& each : plan.certificates) figures.certified += each.survives ? 1 : 0;
  play_losses(plan, losses, figures);
  settle_naively(model, figures);
  change(problem, plan, pairs, seed + 1, figures);
  return figures;
}

// Only for the instances, or only for the overhead; empty: nothing is in the wrong place.
std::vector<std::string> misplaced(const app::Invocation& call) {
  std::vector<std::string> mistakes;
  if (call.has("quick") && !call.has("overhead")) mistakes.emplace_back("--quick is for --overhead");
  if (!call.has("overhead")) return mistakes;
  if (!call.arguments().empty()) mistakes.emplace_back("--overhead takes no instance");
  for (const char* name : {"pairs", "losses", "solvers"}) {
    if (call.has(name)) mistakes.push_back(std::string("--") + name + " is not for --overhead");
  }
  return mistakes;
}

struct FleetRequest {
  std::vector<const Instance*> wanted;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> pairs;
  std::size_t losses = 1'000'000;
  std::uint64_t solvers = 0;  // seconds
};

// Absent: said on `err`.
std::optional<FleetRequest> fleet_request(const app::Invocation& call, std::ostream& err) {
  FleetRequest request;
  std::vector<std::string> mistakes = misplaced(call);
  for (const auto& [name, set] :
       {std::pair<std::string, std::function<void(std::uint64_t)>>(
            "seed", [&](std::uint64_t n) { request.seed = n; }),
        {"pairs", [&](std::uint64_t n) { request.pairs = static_cast<std::int64_t>(n); }},
        {"losses", [&](std::uint64_t n) { request.losses = n; }},
        {"solvers", [&](std::uint64_t n) { request.solvers = n; }}}) {
    const auto text = call.value(name);
    const auto number = text ? app::whole_number_from(*text) : std::nullopt;
    if (number && *number <= 1'000'000'000 && (name != "losses" || *number > 0))
      set(*number);
    else if (text)
      mistakes.push_back("--" + name + " takes a whole number up to 1e9");
  }
  for (const std::string& name : call.arguments()) {
    const auto found = std::find_if(instances().begin(), instances().end(),
                                    [&](const Instance& each) { return each.name == name; });
    if (found == instances().end())
      mistakes.push_back("there is no instance " + text::in_quotes(name));
    else
      request.wanted.push_back(&*found);
  }
  if (call.arguments().empty()) {
    for (const Instance& each : instances()) {
      if (each.size.cameras == 10'000) request.wanted.push_back(&each);
    }
  }
  if (mistakes.empty()) return request;
  (void)app::usage_error("bench fleet", mistakes, err);
  return std::nullopt;
}

struct FleetReport {
  std::string file;     // of the JSON
  std::string markers;  // in the documentation
  std::string how;      // it was measured
  ordered_json json;
  std::vector<Sheet> sheets;
};

int show(const FleetReport& report, const Provenance& origin, const app::Invocation& call, Errors errors,
         std::ostream& out, std::ostream& err) {
  if (call.has("json")) {
    out << report.json.dump(2) << '\n';
  } else {
    print(report.sheets, out);
  }
  const auto note = [&](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  if (const auto folder = call.value("out")) {
    note(write_text(std::filesystem::path(*folder) / report.file, report.json.dump(2) + "\n"));
  }
  if (const auto docs = call.value("docs")) {
    note(replace_between_markers(*docs, report.markers,
                                 measured_how(origin, report.how) + markdown(report.sheets)));
  }
  app::print_errors(errors, err);
  return errors.empty() ? app::kExitOk : app::kExitFailed;
}

int show_overhead(const app::Invocation& call, const Provenance& origin, std::ostream& out,
                  std::ostream& err) {
  Result<Overhead> measured = Overhead{};
  {
    Progress progress(err);
    const OverheadSizes sizes = call.has("quick") ? kQuickOverhead : OverheadSizes{};
    measured = measure_overhead(sizes, origin.first_seed,
                                [&](const std::string& what, double share) { progress.show(what, share); });
  }
  if (!measured) {
    app::print_errors(measured.errors(), err);
    return has_etcd() ? app::kExitFailed : app::kExitUnavailable;
  }
  const std::vector<FigureCheck> checks = checks_of(measured.value());
  FleetReport report{"overhead.json", "saccade bench fleet --overhead",
                     "processes of their own, one etcd on the same machine", to_json(measured.value()),
                     sheets_of(measured.value())};
  report.json["provenance"] = to_json(origin);
  report.json["checks"] = to_json(checks);
  report.sheets.push_back(sheet_of(checks));
  return show(report, origin, call, {}, out, err);
}

}  // namespace

int bench_fleet(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(fleet_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const auto request = fleet_request(call, err);
  if (!request) return app::kExitUsage;
  const Provenance origin = provenance(command_of("fleet", args), request->seed);
  if (call.has("overhead")) return show_overhead(call, origin, out, err);
  std::vector<Figures> all;
  Progress progress(err);
  for (const Instance* instance : request->wanted) {
    progress.show(instance->name,
                  static_cast<double>(all.size()) / static_cast<double>(request->wanted.size()));
    all.push_back(measure(*instance, request->seed, request->pairs, request->losses));
  }
  std::vector<FigureCheck> checks = checks_of(all);
  std::vector<WholeFleet> whole;
  if (request->solvers > 0) {
    whole = compare_whole(request->seed, static_cast<double>(request->solvers),
                          [&](const std::string& what) { progress.show(what, 1.0); });
    for (FigureCheck& check : checks_of(whole)) checks.push_back(std::move(check));
  }
  ordered_json json{
      {"provenance", to_json(origin)}, {"instances", ordered_json::array()}, {"checks", to_json(checks)}};
  if (!whole.empty()) json["solvers"] = to_json(whole);
  Errors errors;
  for (const Figures& figures : all) {
    json["instances"].push_back(json_of(figures));
    for (const std::string& wrong : figures.wrong) errors.push_back({figures.instance->name, wrong, ""});
  }
  std::vector<Sheet> sheets = sheets_of(all);
  if (!whole.empty()) sheets.push_back(sheet_of(whole));
  sheets.push_back(sheet_of(checks));
  return show({"fleet.json", "saccade bench fleet", "one thread, all of it modelled", std::move(json),
               std::move(sheets)},
              origin, call, std::move(errors), out, err);
}

}  // namespace saccade::bench
