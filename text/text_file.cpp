#include "text/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace saccade::text {
namespace {

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return {path.string(), "the file cannot be written: " + why,
          "check that the folder exists and that you may write to it"};
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t most_mebibytes) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    const bool exists = std::filesystem::exists(path, failure);
    return Error{path.string(), exists ? "this is not a file" : "there is no such file", "check the path"};
  }
  std::ifstream in(path, std::ios::binary);
  // One byte more than allowed is enough to know that it is too large.
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(path, failure));
  std::string text(std::min(failure ? std::size_t{0} : size, most_mebibytes * 1024 * 1024) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) {
    return Error{path.string(), std::string("the file cannot be read: ") + std::strerror(errno),
                 "check its permissions"};
  }
  if (!in.eof()) {
    return Error{path.string(), "the file is larger than " + std::to_string(most_mebibytes) + " MiB",
                 "split it up, or shorten its lists"};
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

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

}  // namespace saccade::text
