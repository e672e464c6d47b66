// What a running service has measured, from its status, laid over a moment of a configuration: the
// processors' corrections and guards, what decoding of cameras takes of them, the sizes of the cameras'
// pictures, and the rules that are active. Threads: function without state. Errors: a text that is no status,
// a status of other processors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/explanation.hpp"
#include "base/result.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::app {

// `status`: the response of GET /v1/status; `where` names the service in errors. Returns what there is to say
// of decoding, cameras and active rules.
[[nodiscard]] Result<std::vector<Sentence>> lay_measured_over(std::string_view status,
                                                              const std::string& where,
                                                              scheduler::Snapshot& snapshot);

}  // namespace saccade::app
