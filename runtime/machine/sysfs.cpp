#include "runtime/machine/sysfs.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace saccade::runtime {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
  std::ifstream stream(file);
  double number = 0.0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

std::string word_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

std::string line_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace saccade::runtime
