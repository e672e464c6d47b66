#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "config/schemas.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {

int verb_schema(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "schema",
      "[config|profile]",
      "Prints the JSON Schema (draft 07) of the configuration (default) or of profile sets, for editors\n"
      "that complete and check while you type. `saccade check` checks more than a schema can.",
      {},
      0,
      1};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const std::string which = call.arguments().empty() ? "config" : call.arguments()[0];
  if (which == "config") {
    out << config::config_schema();
  } else if (which == "profile") {
    out << config::profile_schema();
  } else {
    return usage_error("schema", "there is no schema " + text::in_quotes(which) + "; it is config or profile",
                       err);
  }
  return kExitOk;
}

}  // namespace saccade::app
