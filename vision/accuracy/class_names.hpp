// Class names by number in the files of YOLO data sets: `names` of a YAML file, as a list or a mapping, or a
// text file with one name per line. Only these forms of YAML are supported. Internal to vision/accuracy.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "vision/accuracy/data_checks.hpp"

namespace saccade::vision {

struct ClassName {
  std::string name;
  std::string where;  // "file:line"
};
using ClassNames = std::map<std::size_t, ClassName>;  // by number

// `file`: its name in errors.
[[nodiscard]] ClassNames names_of_yaml(std::string_view text, const std::string& file, DataReport& report);
[[nodiscard]] ClassNames names_of_lines(std::string_view text, const std::string& file, DataReport& report);

}  // namespace saccade::vision
