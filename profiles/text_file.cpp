#include "profiles/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace saccade::profiles {
namespace {

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return {path.string(), "the file cannot be written: " + why,
          "check that the folder exists and that you may write to it"};
}

}  // namespace

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + ".new";
  {
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    out.close();
    if (!out) return cannot_write(path, std::strerror(errno));
  }
  std::error_code failure;
  std::filesystem::rename(temporary, path, failure);
  if (failure) return cannot_write(path, failure.message());
  return Done{};
}

}  // namespace saccade::profiles
