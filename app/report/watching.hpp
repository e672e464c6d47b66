// A page that is shown again and again, as `saccade ctl watch` and `saccade fleet status --watch` show the
// status. Between two pages it pauses, by an argument: tests do not wait. Threads: functions without state.
// Errors: a page that fails ends it with the page's exit code.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>

#include "app/report/options.hpp"
#include "base/clock.hpp"

namespace saccade::app {

// What follows a page: the next one in its place (a terminal); an empty line; nothing (JSON).
enum class PageEnd { replaced, empty_line, none };

struct Watching {
  Duration interval = std::chrono::seconds(1);
  std::optional<std::uint64_t> count = {};  // of pages; absent: until the program is stopped
  PageEnd end = PageEnd::empty_line;
};

// Sets what `--interval`, `--count` and `--json` say, for pages on `out`; the exit code if one is wrong.
[[nodiscard]] std::optional<int> read_watching(const Invocation& call, const char* verb,
                                               const std::ostream& out, Watching& watching,
                                               std::ostream& err);

void pause_for(Duration time);  // on the calling thread

// `page` writes one and returns an exit code.
[[nodiscard]] int watch(const Watching& watching, std::ostream& out,
                        const std::function<int(std::ostream&)>& page,
                        const std::function<void(Duration)>& pause = pause_for);

}  // namespace saccade::app
