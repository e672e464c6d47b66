#include "results/line_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace saccade::results {

namespace fs = std::filesystem;

LineFile::LineFile(fs::path path, std::int64_t rotate_bytes, int keep)
    : path_(std::move(path)), rotate_bytes_(rotate_bytes), keep_(keep) {}

LineFile::~LineFile() { close(); }

void LineFile::close() {
  if (file_ >= 0) (void)::close(file_);
  file_ = -1;
}

// As errno says.
Error LineFile::failure(const char* doing) const {
  const int number = errno;
  return {path_.string(), std::string("cannot ") + doing + ": " + std::strerror(number),
          "results are dropped until it can"};
}

Status LineFile::open() {
  if (file_ >= 0) return Done{};
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file_ < 0) return failure("be opened");
  if (Status cut = cut_torn_line(); !cut) {
    close();
    return cut;
  }
  return Done{};
}

Status LineFile::cut_torn_line() {
  struct stat facts {};
  if (::fstat(file_, &facts) != 0) return failure("be looked at");
  size_ = facts.st_size;
  if (!S_ISREG(facts.st_mode)) return Done{};
  std::array<char, 4096> part;
  std::int64_t whole = size_;
  while (whole > 0) {
    const std::int64_t from = std::max<std::int64_t>(0, whole - static_cast<std::int64_t>(part.size()));
    const auto length = static_cast<std::size_t>(whole - from);
    if (::pread(file_, part.data(), length, from) != static_cast<ssize_t>(length)) return failure("be read");
    const std::string_view text(part.data(), length);
    if (const std::size_t end = text.rfind('\n'); end != std::string_view::npos) {
      whole = from + static_cast<std::int64_t>(end) + 1;
      break;
    }
    whole = from;
  }
  if (whole != size_ && ::ftruncate(file_, whole) != 0) return failure("be cut to whole lines");
  size_ = whole;
  return Done{};
}

Status LineFile::rotate() {
  const auto numbered = [&](int number) { return path_.string() + "." + std::to_string(number); };
  if (Status synced = sync(); !synced) return synced;
  for (int number = keep_ - 1; number >= 1; --number) {
    if (std::rename(numbered(number).c_str(), numbered(number + 1).c_str()) != 0 && errno != ENOENT)
      return failure("be rotated");
  }
  if (std::rename(path_.c_str(), numbered(1).c_str()) != 0 && errno != ENOENT) return failure("be rotated");
  close();
  return open();
}

Status LineFile::append(std::string_view line) {
  if (Status opened = open(); !opened) return opened;
  line_.assign(line).push_back('\n');
  const auto bytes = static_cast<std::int64_t>(line_.size());
  if (size_ > 0 && size_ + bytes > rotate_bytes_) {
    if (Status rotated = rotate(); !rotated) return rotated;
  }
  for (std::size_t done = 0; done < line_.size();) {
    const ssize_t wrote = ::write(file_, line_.data() + done, line_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      Error error = failure("be written");
      // Opened anew, which cuts off what could not be cut off here.
      if (done > 0 && ::ftruncate(file_, size_) != 0) close();
      return error;
    }
    done += static_cast<std::size_t>(wrote);
  }
  size_ += bytes;
  return Done{};
}

bool LineFile::moved_away() const {
  struct stat held {};
  struct stat named {};
  if (::fstat(file_, &held) != 0) return false;
  return ::stat(path_.c_str(), &named) != 0 || named.st_ino != held.st_ino || named.st_dev != held.st_dev;
}

Status LineFile::sync() {
  if (file_ < 0) return Done{};
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) return failure("be kept on the disk");
  if (!moved_away()) return Done{};
  close();
  return open();
}

}  // namespace saccade::results
