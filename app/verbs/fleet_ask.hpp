// What the verbs that ask a planner of a fleet share: their options, a request and what became of it.
// Threads: functions without state. Errors: printed, and an exit code.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "service/http/api_client.hpp"

namespace saccade::app {

struct FleetAsk {
  service::ApiEndpoint endpoint;
  bool json = false;
  std::ostream& out;
  std::ostream& err;
};

struct FleetAnswer {
  int exit_code = 0;
  int status = 0;  // 0: there was no answer, which was printed
  nlohmann::ordered_json body;
  std::string text;
};

// `if_match`: the ETag of the document that is changed, or "*"; empty: none.
[[nodiscard]] FleetAnswer ask_fleet(const FleetAsk& ask, const std::string& method, const std::string& target,
                                    const std::string& body = {}, const std::string& if_match = {});
// What a planner complained about. `what`: that was asked for.
void print_refusal(const FleetAnswer& answer, const std::string& what, std::ostream& err);

// A value as a cell of a table shows it.
[[nodiscard]] std::string fleet_cell(const nlohmann::ordered_json& json, const char* key);

// With the options of every such verb, and `count` arguments.
[[nodiscard]] CommandSpec fleet_spec(const char* name, const char* arguments, const char* about,
                                     std::size_t count);
// Reads the command line; `run` gets what it is to do.
[[nodiscard]] int with_planner(const CommandSpec& spec, const VerbArguments& args, std::ostream& out,
                               std::ostream& err,
                               const std::function<int(const FleetAsk&, const Invocation&)>& run);

}  // namespace saccade::app
