#include "app/report/watching.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "app/report/exit_codes.hpp"

namespace saccade::app {

std::optional<int> read_watching(const Invocation& call, const char* verb, const std::ostream& out,
                                 Watching& watching, std::ostream& err) {
  const bool terminal = &out == &std::cout && isatty(STDOUT_FILENO) == 1;
  watching.end = call.has("json") ? PageEnd::none : terminal ? PageEnd::replaced : PageEnd::empty_line;
  if (const auto text = call.value("interval")) {
    const std::optional<Duration> interval = duration_from(*text);
    if (!interval) return usage_error(verb, std::string("--interval takes ") + kDurationWords, err);
    watching.interval = *interval;
  }
  if (const auto text = call.value("count")) {
    watching.count = whole_number_from(*text);
    if (!watching.count) return usage_error(verb, "--count takes a whole number", err);
  }
  return std::nullopt;
}

void pause_for(Duration time) { std::this_thread::sleep_for(time); }

int watch(const Watching& watching, std::ostream& out, const std::function<int(std::ostream&)>& page,
          const std::function<void(Duration)>& pause) {
  for (std::uint64_t shown = 0; !watching.count || shown < *watching.count; ++shown) {
    if (shown > 0) pause(watching.interval);
    std::ostringstream text;
    const int code = page(text);
    if (code == kExitOk && watching.end == PageEnd::replaced) out << "\x1b[H\x1b[2J";
    out << text.str();
    if (code == kExitOk && watching.end == PageEnd::empty_line) out << '\n';
    out << std::flush;
    if (code != kExitOk) return code;
  }
  return kExitOk;
}

}  // namespace saccade::app
