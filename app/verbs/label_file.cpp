#include "app/verbs/label_file.hpp"

#include <sstream>

#include "text/text_file.hpp"

namespace saccade::app {

Result<std::vector<std::string>> read_label_file(const std::string& file) {
  const auto text = text::read_text_file(file, 1);
  if (!text) return text.errors();
  std::vector<std::string> labels;
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) labels.push_back(line);
  }
  return labels;
}

}  // namespace saccade::app
