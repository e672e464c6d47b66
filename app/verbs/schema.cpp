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
      "[config|profile|fleet|layers]",
      "Prints the JSON Schema (draft 07) of the configuration (default), of profile sets, of fleets or\n"
      "of layer files, for editors\n"
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
  } else if (which == "fleet") {
    out << config::fleet_schema();
  } else if (which == "layers") {
    out << config::layers_schema();
  } else {
    return usage_error(
        "schema", "there is no schema " + text::in_quotes(which) + "; it is config, profile, fleet or layers",
        err);
  }
  return kExitOk;
}

}  // namespace saccade::app
