// A file of whole lines that is rotated: a line that would make it larger than allowed begins a new one, the
// old one becomes PATH.1, that one PATH.2, and so on; beyond `keep` they are removed. What a crash or a full
// disk left of a line is cut off. A file that somebody else moved away is begun anew at the next sync().
// Threads: one at a time. Errors: with the path and what the system says; the next call tries again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace saccade::results {

class LineFile {
 public:
  LineFile(std::filesystem::path path, std::int64_t rotate_bytes, int keep);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  [[nodiscard]] Status open();  // if it is not
  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  // The whole line or nothing; `line` has no line break.
  [[nodiscard]] Status append(std::string_view line);
  [[nodiscard]] Status sync();  // what was written is on the disk

 private:
  [[nodiscard]] Error failure(const char* doing) const;
  [[nodiscard]] Status cut_torn_line();
  [[nodiscard]] Status rotate();
  [[nodiscard]] bool moved_away() const;
  void close();

  const std::filesystem::path path_;
  const std::int64_t rotate_bytes_;
  const int keep_;
  int file_ = -1;
  std::int64_t size_ = 0;
  std::string line_;  // reused
};

}  // namespace saccade::results
