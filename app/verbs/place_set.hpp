// `saccade place SET.json --layers FILE --out SET2.json`: the start set of placements of each measured
// variant becomes variants with stages, beside the set's own, their cut models beside the file.
// Threads: the calling one. Errors: all mistakes of the command line and of the files at once.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/report/options.hpp"
#include "placement/strategy.hpp"

namespace saccade::app {

int place_set(const Invocation& call, const placement::Request& request,
              const std::vector<const placement::Strategy*>& strategies, std::vector<std::string> mistakes,
              std::ostream& out, std::ostream& err);

}  // namespace saccade::app
