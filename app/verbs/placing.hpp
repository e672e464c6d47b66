// What `saccade place` does with layer files, whatever it makes of the placements.
// Threads: functions without state. Errors: every mistake at once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/options.hpp"
#include "base/result.hpp"
#include "config/layer_file.hpp"
#include "placement/costs.hpp"
#include "placement/strategy.hpp"

namespace saccade::app {

// The request of the options; every mistake is added.
[[nodiscard]] placement::Request placement_request(const Invocation& call,
                                                   std::vector<std::string>& mistakes);
// The chosen ones; `exact` is among them, for the gap of the others.
[[nodiscard]] std::vector<const placement::Strategy*> strategies_of(const Invocation& call,
                                                                    std::vector<std::string>& mistakes);
// What makes a file that was read useless for placing: a layer or a processor without times, for example.
[[nodiscard]] Errors complaints_of(const config::LayerFile& file, const std::string& name,
                                   const placement::Request& request);
// The model beside the file must be the one that the file describes.
[[nodiscard]] Status check_model(const config::LayerFile& file, const std::filesystem::path& path);
// Why no placement meets the aim: with a deadline, the least that is possible.
[[nodiscard]] Error none_meets(const placement::Costs& costs, const placement::Request& request,
                               const std::string& name);

}  // namespace saccade::app
