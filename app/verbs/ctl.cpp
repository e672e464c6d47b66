#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/report/ctl_view.hpp"
#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/watching.hpp"
#include "app/verbs/api_options.hpp"
#include "app/verbs/verbs.hpp"
#include "config/what_if.hpp"
#include "service/http/api_client.hpp"
#include "text/json_text.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;

const CommandSpec& ctl_spec() {
  static const CommandSpec spec{
      "ctl",
      "ACTION [ARGUMENT...]",
      "Asks a running service over its API, or changes what it does. Actions:\n\n"
      "  status                  what serves, at which rate and how well\n"
      "  tasks                   the tasks alone\n"
      "  watch                   status again and again\n"
      "  plan                    the plan that runs\n"
      "  history                 the last plans\n"
      "  set PATH=VALUE...       change what is wanted: tasks.ID.KEY=VALUE, limits.KEY=VALUE,\n"
      "                          objective=NAME, and so on; null takes a key back to its default\n"
      "  limits [KEY=VALUE...]   show the limits, or change them\n"
      "  objective [NAME]        show the objective, or change it\n"
      "  what-if PATH=VALUE...   what would run after such a change; nothing changes\n"
      "  reload                  read the configuration file again",
      {kApiUrl,
       kApiSocket,
       kApiCa,
       kApiTokenFile,
       {"interval", "TIME", "of watch: how often (default: 1s)"},
       {"count", "N", "of watch: how many times (default: until it is stopped)"},
       {"json", "", "the service's answer as it is"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "All settings of a command are one change: they hold together, or nothing changes.\n"
      "Exit codes: 0 done, 1 the service says no, 3 what is asked for does not fit, 69 no service answers,\n"
      "78 the change, or the configuration file, is wrong."};
  return spec;
}

struct Ctl {
  service::ApiEndpoint endpoint;
  bool json = false;
  std::vector<std::string> arguments;  // of the action
  Watching watching;
  std::ostream& out;
  std::ostream& err;
};

int exit_code_of_status(int status) {
  if (status < 300) return kExitOk;
  if (status == 409) return kExitInfeasible;
  if (status == 422) return kExitConfig;
  return kExitFailed;
}

struct Asked {
  int exit_code = kExitOk;
  Json body;
};

// Asks, and tells on the spot what went wrong. With --json the answer is printed, too.
Asked ask(const Ctl& ctl, const std::string& method, const std::string& target,
          const std::string& body = {}) {
  const Result<service::ApiAnswer> answer = service::ask_api(ctl.endpoint, method, target, body);
  if (!answer) {
    print_errors(answer.errors(), ctl.err);
    return {kExitUnavailable, {}};
  }
  Asked asked{exit_code_of_status(answer.value().status), Json::parse(answer.value().body, nullptr, false)};
  if (asked.body.is_discarded()) asked = {kExitFailed, Json()};
  if (ctl.json) {
    ctl.out << answer.value().body;
  } else if (asked.exit_code != kExitOk) {
    print_problem(asked.body, ctl.err);
  }
  return asked;
}

template <class Print>
int show(const Ctl& ctl, const std::string& target, const Print& print) {
  const Asked asked = ask(ctl, "GET", target);
  if (asked.exit_code == kExitOk && !ctl.json) print(asked.body, ctl.out);
  return asked.exit_code;
}

int change(const Ctl& ctl, const std::string& method, const std::string& target,
           const std::string& body = {}) {
  const Asked asked = ask(ctl, method, target, body);
  if (asked.exit_code == kExitOk && !ctl.json) {
    ctl.out << "generation " << asked.body.at("generation") << '\n';
  }
  return asked.exit_code;
}

// The settings as a patch; nothing after a complaint.
std::optional<std::string> patch_of_arguments(const Ctl& ctl, const std::vector<std::string>& settings) {
  if (settings.empty()) {
    usage_error("ctl", "PATH=VALUE is missing", ctl.err);
    return std::nullopt;
  }
  const Result<text::JsonValue> patch = config::patch_of(settings);
  if (patch) return text::write_json(patch.value());
  print_errors(patch.errors(), ctl.err);
  return std::nullopt;
}

// --- Actions --------------------------------------------------------------------------------------

int act_status(const Ctl& ctl) {
  return show(ctl, "/v1/status",
              [](const Json& status, std::ostream& out) { print_service_status(status, Json(), out); });
}
int act_tasks(const Ctl& ctl) { return show(ctl, "/v1/tasks", print_service_tasks); }
int act_plan(const Ctl& ctl) { return show(ctl, "/v1/plan", print_service_plan); }
int act_history(const Ctl& ctl) { return show(ctl, "/v1/plan/history", print_history); }
int act_reload(const Ctl& ctl) { return change(ctl, "POST", "/v1/config/reload"); }

int act_set(const Ctl& ctl) {
  const std::optional<std::string> patch = patch_of_arguments(ctl, ctl.arguments);
  return patch ? change(ctl, "PATCH", "/v1/config", *patch) : kExitUsage;
}

int act_limits(const Ctl& ctl) {
  if (ctl.arguments.empty()) {
    Ctl quiet = ctl;
    quiet.json = false;
    const Asked asked = ask(quiet, "GET", "/v1/config");
    if (asked.exit_code == kExitOk) ctl.out << asked.body.value("limits", Json::object()).dump(1) << '\n';
    return asked.exit_code;
  }
  std::vector<std::string> settings;
  for (const std::string& argument : ctl.arguments) settings.push_back("limits." + argument);
  const std::optional<std::string> patch = patch_of_arguments(ctl, settings);
  return patch ? change(ctl, "PATCH", "/v1/config", *patch) : kExitUsage;
}

int act_objective(const Ctl& ctl) {
  if (ctl.arguments.empty()) {
    Ctl quiet = ctl;
    quiet.json = false;
    const Asked asked = ask(quiet, "GET", "/v1/status");
    if (asked.exit_code == kExitOk) {
      const Json& objective = asked.body.at("objective");
      ctl.out << (ctl.json ? objective.dump() : objective.get<std::string>()) << '\n';
    }
    return asked.exit_code;
  }
  if (ctl.arguments.size() > 1) return usage_error("ctl", "there is one objective", ctl.err);
  return change(ctl, "PUT", "/v1/objective", Json(ctl.arguments[0]).dump());
}

int act_what_if(const Ctl& ctl) {
  const std::optional<std::string> patch = patch_of_arguments(ctl, ctl.arguments);
  if (!patch) return kExitUsage;
  const Asked asked = ask(ctl, "POST", "/v1/plan/dry-run", *patch);
  if (ctl.json) return asked.exit_code;
  if (asked.exit_code == kExitOk) print_service_plan(asked.body, ctl.out);
  // There is none where another box has a task of it.
  if (asked.exit_code == kExitInfeasible && asked.body.contains("plan"))
    print_service_plan(asked.body.at("plan"), ctl.out);
  return asked.exit_code;
}

int act_watch(const Ctl& ctl) {
  Json earlier;
  return watch(ctl.watching, ctl.out, [&](std::ostream& page) {
    const Ctl paged{ctl.endpoint, ctl.json, {}, {}, page, ctl.err};
    const Asked asked = ask(paged, "GET", "/v1/status");
    if (asked.exit_code != kExitOk || ctl.json) return asked.exit_code;
    print_service_status(asked.body, earlier, page);
    earlier = asked.body;
    return kExitOk;
  });
}

struct Action {
  const char* name;
  bool takes_arguments;
  int (*act)(const Ctl& ctl);
};
constexpr Action kActions[] = {
    {"status", false, act_status}, {"tasks", false, act_tasks},        {"watch", false, act_watch},
    {"plan", false, act_plan},     {"history", false, act_history},    {"set", true, act_set},
    {"limits", true, act_limits},  {"objective", true, act_objective}, {"what-if", true, act_what_if},
    {"reload", false, act_reload},
};

// --- The command line -----------------------------------------------------------------------------

// Sets what the options say; the exit code when one of them is wrong.
std::optional<int> read_options(const Invocation& call, Ctl& ctl) {
  ctl.json = call.has("json");
  if (const auto wrong = read_endpoint(call, "ctl", ctl.endpoint, ctl.err)) return wrong;
  return read_watching(call, "ctl", ctl.out, ctl.watching, ctl.err);
}

}  // namespace

int verb_ctl(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(ctl_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Ctl ctl{{}, false, {}, {}, out, err};
  if (const auto wrong = read_options(call, ctl)) return *wrong;
  const std::string& name = call.arguments().front();
  ctl.arguments.assign(call.arguments().begin() + 1, call.arguments().end());
  std::vector<std::string> names;
  for (const Action& action : kActions) {
    names.emplace_back(action.name);
    if (name != action.name) continue;
    if (!action.takes_arguments && !ctl.arguments.empty()) {
      return usage_error("ctl", name + " takes no argument", err);
    }
    try {
      return action.act(ctl);
    } catch (const Json::exception&) {  // JSON, but not what this API says
      err << "saccade ctl: what answers there is no saccade service of this version\n";
      return kExitFailed;
    }
  }
  const std::string meant = text::nearest(name, names);
  return usage_error("ctl",
                     "there is no action " + text::in_quotes(name) +
                         (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                     err);
}

}  // namespace saccade::app
