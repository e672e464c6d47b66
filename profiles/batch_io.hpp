// Reads what a profile set has by batch size. Threads: functions without state. Errors: into the report.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {

// The batch size that a key is; `single`: the key that has the measure of batch 1.
[[nodiscard]] std::optional<int> read_batch_size(const std::string& key, const text::JsonAt& at,
                                                 const char* single, text::JsonReport& report);

// `batch_energy_joules`, which needs the energy of batch 1 beside it.
[[nodiscard]] std::map<int, Joules> read_batch_energies(const text::JsonAt& at, bool single_is_known,
                                                        text::JsonReport& report);

}  // namespace saccade::profiles
