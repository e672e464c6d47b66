#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "runtime/engines/providers.hpp"

namespace saccade::app {

int verb_version(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{"version", "", "Prints the version.", {{"json", "", "as JSON"}}, 0, 0};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (call.has("json")) {
    out << "{\"version\": \"" SACCADE_VERSION "\", \"notes\": [\"" << runtime::kCudaRunOn << "\"]}\n";
  } else {
    out << "saccade " SACCADE_VERSION "\n" << runtime::kCudaRunOn << '\n';
  }
  return kExitOk;
}

}  // namespace saccade::app
