// `saccade import TABLE.csv --layers --out FILE`: a saccade-layers/1 file from a table of layer times that
// others measured, as `saccade profile --layers` writes one. Threads: the calling one. Errors: all mistakes
// of the command line, then all of the table and the model, at once.
#pragma once

#include <iosfwd>

#include "app/report/options.hpp"

namespace saccade::app {

int import_layer_table(const Invocation& call, std::ostream& out, std::ostream& err);

}  // namespace saccade::app
