#include <ostream>
#include <utility>

#include "app/report/options.hpp"
#include "app/report/plan_table.hpp"
#include "app/verbs/planning.hpp"
#include "app/verbs/verbs.hpp"
#include "service/live/plan_json.hpp"

namespace saccade::app {
namespace {

const CommandSpec& plan_spec() {
  static const CommandSpec spec = [] {
    CommandSpec of{
        "plan",
        "CONFIG",
        "Decides once, for one moment of the configuration, which variant of each task would run at which\n"
        "rate, and says why. Nothing is loaded. With --set the plan is shown beside the one without.",
        planning_options(),
        1,
        1,
        "Exit codes: 0 a plan was found, 3 infeasible, 1 the deadline passed without a plan, 78 bad "
        "configuration."};
    of.options.push_back({"json", "", "the plan as JSON"});
    of.options.push_back({"variants-considered", "", "what each filter and the Pareto front removed"});
    return of;
  }();
  return spec;
}

}  // namespace

int verb_plan(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(plan_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const auto read = read_moment("plan", call, err);
  if (const int* code = std::get_if<int>(&read)) return *code;
  const config::Moment& moment = std::get<config::Moment>(read);

  const config::Decided decided = config::decide_once(moment, moment.snapshot);
  std::optional<config::Decided> before;
  if (moment.before) before = config::decide_once(moment, *moment.before);

  const bool considered = call.has("variants-considered");
  if (call.has("json")) {
    auto json = service::to_json(moment.snapshot, decided.plan, {decided.took, considered});
    if (before) json["before"] = service::to_json(*moment.before, before->plan, {before->took, considered});
    out << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    if (before) {
      print_comparison({*moment.before, before->plan}, {moment.snapshot, decided.plan}, out);
    } else {
      print_plan(moment.snapshot, decided.plan, out);
    }
    if (considered) {
      out << '\n';
      print_considered(decided.plan, out);
    }
  }
  return exit_code_of(decided.plan.status);
}

}  // namespace saccade::app
