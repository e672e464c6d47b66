#include "app/verbs/fleet_ask.hpp"

#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "app/verbs/api_options.hpp"

namespace saccade::app {
namespace {

const OptionSpec kFleetJsonOption{"json", "", "the planner's answer as it is"};
const char* const kFleetCodes =
    "Asks a planner over its API. Exit codes: 0 done, 1 the planner says no, 69 no planner answers, 78 what "
    "is "
    "sent is wrong.";

}  // namespace

FleetAnswer ask_fleet(const FleetAsk& ask, const std::string& method, const std::string& target,
                      const std::string& body, const std::string& if_match) {
  const Result<service::ApiAnswer> answer = service::ask_api(ask.endpoint, method, target, body, if_match);
  if (!answer) {
    print_errors(answer.errors(), ask.err);
    return {kExitUnavailable, 0, {}, ""};
  }
  FleetAnswer asked{kExitOk, answer.value().status,
                    nlohmann::ordered_json::parse(answer.value().body, nullptr, false), answer.value().body};
  if (asked.status >= 300) asked.exit_code = asked.status == 422 ? kExitConfig : kExitFailed;
  if (!asked.body.is_object()) asked.exit_code = kExitFailed;
  return asked;
}

void print_refusal(const FleetAnswer& answer, const std::string& what, std::ostream& err) {
  if (answer.status == 0) return;  // said already
  const std::string detail = answer.body.is_object() ? answer.body.value("detail", "") : std::string();
  err << what << ": " << (detail.empty() ? "the planner answers " + std::to_string(answer.status) : detail)
      << '\n';
  if (!answer.body.is_object() || !answer.body.contains("errors")) return;
  for (const nlohmann::ordered_json& error : answer.body.at("errors")) {
    err << what << ' ' << error.value("pointer", "") << ": " << error.value("detail", "") << '\n';
    if (error.contains("hint")) err << "    " << error.value("hint", "") << '\n';
  }
}

std::string fleet_cell(const nlohmann::ordered_json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return "-";
  const nlohmann::ordered_json& value = json.at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

CommandSpec fleet_spec(const char* name, const char* arguments, const char* about, std::size_t count) {
  return {name,  arguments, about,      {kApiUrl, kApiSocket, kApiCa, kApiTokenFile, kFleetJsonOption},
          count, count,     kFleetCodes};
}

int with_planner(const CommandSpec& spec, const VerbArguments& args, std::ostream& out, std::ostream& err,
                 const std::function<int(const FleetAsk&, const Invocation&)>& run) {
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  FleetAsk ask{{}, call.has("json"), out, err};
  if (const auto wrong = read_endpoint(call, spec.verb.c_str(), ask.endpoint, err)) return *wrong;
  try {
    return run(ask, call);
  } catch (const nlohmann::ordered_json::exception&) {  // JSON, but not what this API says
    err << "saccade fleet: what answers there is no planner of this version\n";
    return kExitFailed;
  }
}

}  // namespace saccade::app
