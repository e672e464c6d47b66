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
    labels.push_back(line);
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  Errors errors;
  constexpr std::size_t kMostReported = 20;
  for (std::size_t i = 0; i < labels.size() && errors.size() < kMostReported; ++i) {
    if (!labels[i].empty()) continue;
    errors.push_back({file + ":" + std::to_string(i + 1), "the line is empty",
                      "remove it, or write a name such as `unused " + std::to_string(i) +
                          "` if the network has a class there"});
  }
  if (!errors.empty()) return errors;
  return labels;
}

}  // namespace saccade::app
