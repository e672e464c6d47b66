#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "app/report/cut_explanation.hpp"
#include "app/report/exit_codes.hpp"
#include "app/report/explanation.hpp"
#include "app/report/measured_state.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/api_options.hpp"
#include "app/verbs/planning.hpp"
#include "app/verbs/verbs.hpp"
#include "config/listen_address.hpp"
#include "service/http/api_client.hpp"
#include "service/live/plan_json.hpp"

namespace saccade::app {
namespace {

const CommandSpec& explain_spec() {
  static const CommandSpec spec = [] {
    CommandSpec of{
        "explain",
        "CONFIG",
        "Says in sentences what would run at one moment of the configuration and why: what holds the\n"
        "plan back and what a little more of it would be worth, which floors and filters decide, and\n"
        "what would make the whole demand fit.",
        planning_options(),
        1,
        1,
        "Exit codes: as of `saccade plan`; 69 no service answers there."};
    of.options.push_back({"url", "URL",
                          "with what the service that listens there has measured: corrections, guards,\n"
                          "decoding of cameras and their picture sizes; and which rules are active there"});
    of.options.push_back(
        {"socket", "FILE", "the same; the socket file that it listens on, instead of --url"});
    of.options.push_back(kApiCa);
    of.options.push_back(kApiTokenFile);
    of.options.push_back({"json", "", "the sentences and the plan as JSON"});
    return of;
  }();
  return spec;
}

nlohmann::ordered_json sentences_json(const std::vector<Sentence>& sentences) {
  auto list = nlohmann::ordered_json::array();
  for (const Sentence& sentence : sentences) {
    nlohmann::ordered_json item{{"about", sentence.about}};
    item["name"] = sentence.name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(sentence.name);
    item["text"] = sentence.text;
    item["proven"] = sentence.proven ? nlohmann::ordered_json(*sentence.proven) : nlohmann::ordered_json();
    list.push_back(std::move(item));
  }
  return list;
}

// Lays over the moment what a service has measured, where one is named. The exit code if that fails.
std::optional<int> measure(const Invocation& call, config::Moment& moment, std::vector<Sentence>& sentences,
                           std::ostream& err) {
  if (!call.has("url") && !call.has("socket")) return std::nullopt;
  service::ApiEndpoint endpoint;
  if (const auto wrong = read_endpoint(call, "explain", endpoint, err)) return wrong;
  const Result<service::ApiAnswer> answer = service::ask_api(endpoint, "GET", "/v1/status");
  if (!answer) return fail(answer.errors(), kExitUnavailable, err);
  const std::string where = to_string(endpoint.address, endpoint.tls.has_value());
  if (answer.value().status != 200) {
    return fail(
        {{where, "responds with " + std::to_string(answer.value().status), "give its token by --token-file"}},
        kExitFailed, err);
  }
  const auto measured = lay_measured_over(answer.value().body, where, moment.snapshot);
  if (!measured) return fail(measured.errors(), kExitConfig, err);
  if (moment.before) moment.before->processors = moment.snapshot.processors;
  sentences = measured.value();
  return std::nullopt;
}

}  // namespace

int verb_explain(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(explain_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  auto read = read_moment("explain", call, err);
  if (const int* code = std::get_if<int>(&read)) return *code;
  auto& moment = std::get<config::Moment>(read);
  std::vector<Sentence> measured;
  if (const auto code = measure(call, moment, measured, err)) return *code;

  const config::Decided decided = config::decide_once(moment, moment.snapshot);
  const scheduler::Plan& plan = decided.plan;
  // Where nothing may be lowered, the plan's own relaxations are about the whole demand already.
  const bool told = plan.status == scheduler::PlanStatus::infeasible &&
                    moment.snapshot.degrade == scheduler::Degrade::refuse;
  std::optional<std::vector<scheduler::Relaxation>> relaxations(std::in_place);
  if (!told) relaxations = config::fit_whole_demand_of(moment);
  std::vector<Sentence> sentences = explain(moment.snapshot, plan, relaxations);
  for (Sentence& sentence : explain_cuts(moment.snapshot, plan)) sentences.push_back(std::move(sentence));
  for (Sentence& sentence : explain_guards(moment.run, moment.snapshot)) {
    sentences.push_back(std::move(sentence));
  }
  for (Sentence& sentence : explain_slowdowns(moment.run)) sentences.push_back(std::move(sentence));
  for (Sentence& sentence : measured) sentences.push_back(std::move(sentence));
  for (Sentence& sentence : explain_rules(moment.rules, moment.counted)) {
    sentences.push_back(std::move(sentence));
  }
  if (call.has("json")) {
    nlohmann::ordered_json json{{"sentences", sentences_json(sentences)}};
    json["whole_demand"] = relaxations ? service::to_json(*relaxations) : nlohmann::ordered_json();
    json["plan"] = service::to_json(moment.snapshot, plan, {decided.took, false});
    out << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    for (const Sentence& sentence : sentences) out << sentence.text << '\n';
  }
  return exit_code_of(plan.status);
}

}  // namespace saccade::app
