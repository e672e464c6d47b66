// Profile sets from existing measurements, one variant per line of a CSV file. The first line names the
// columns, in any order: id, accuracy and frame_time_seconds are required; power_watts,
// energy_joules_per_frame, memory_bytes, device_memory_bytes, load_time_seconds, precision and model are
// optional. Units and rules are those of the profile set's keys of the same names; an empty cell = not
// measured. All times are of one processor. The set is validated by the reader of profile sets
// (profile_io.hpp).
// Threads: functions without state. Errors: Result, all at once, with file:line:column; values from the
// command line are named by their option.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::profiles {

inline constexpr std::size_t kMaxCsvMebibytes = 16;

// What a table of variants does not contain.
struct CsvContext {
  std::string network;
  std::string device;
  std::string processor = "cpu";
  std::optional<double> idle_power_watts = {};  // given: power and energy of the table exclude it
  std::vector<std::string> labels = {};
  std::optional<std::string> metric = {};  // what the accuracies are; absent = top1
  std::string energy_source =
      {};  // empty = "measured" when the table has energy or power, else "unavailable"
};

// The set's directory is the file's: model files are looked up next to the table.
[[nodiscard]] Result<ProfileSet> import_csv(const std::filesystem::path& path, const CsvContext& context);
// The same from text; `name` replaces the file's name in errors.
[[nodiscard]] Result<ProfileSet> import_csv_text(std::string_view text, const std::string& name,
                                                 const CsvContext& context);

}  // namespace saccade::profiles
