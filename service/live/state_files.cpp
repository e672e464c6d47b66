#include "service/live/state_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "text/text_file.hpp"

namespace saccade::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMebibytes = 8;  // a document of 1 MiB with every character escaped

Error failed(const fs::path& path, const std::string& what) {
  const int code = errno;
  const bool full = code == ENOSPC || code == EDQUOT;
  return {path.string(), what + ": " + std::generic_category().message(code),
          full ? "make room on the disk" : "check that the folder exists and that you may write to it"};
}

// Owns a descriptor; closing it early tells whether that went well.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~Descriptor() { (void)close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool good() const { return number_ >= 0; }
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::optional<std::string>> RealStateFiles::read(const fs::path& file) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (status.type() == fs::file_type::not_found) return std::optional<std::string>();
  Result<std::string> text = text::read_text_file(file, kMostMebibytes);
  if (!text) return text.errors();
  return std::optional(std::move(text).value());
}

Status RealStateFiles::write(const fs::path& file, std::string_view text) {
  Descriptor out(file, O_WRONLY | O_CREAT | O_TRUNC);
  if (!out.good() || !write_all(out.number(), text) || ::fsync(out.number()) != 0 || !out.close()) {
    return failed(file, "the file cannot be written");
  }
  return Done{};
}

Status RealStateFiles::rename(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return failed(to, "the file cannot be replaced");
  return Done{};
}

Status RealStateFiles::sync_folder(const fs::path& folder) {
  const Descriptor open(folder, O_RDONLY | O_DIRECTORY);
  if (!open.good() || ::fsync(open.number()) != 0) return failed(folder, "the folder cannot be written");
  return Done{};
}

}  // namespace saccade::service
