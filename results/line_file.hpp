// A file of whole lines with rotation: a line that would exceed the size limit starts a new file; the old one
// becomes PATH.1, PATH.1 becomes PATH.2, and so on; files beyond `keep` are removed. An incomplete line left
// by a crash or a full disk is truncated. If another program has moved the file away, the next sync() creates
// it again.
// Threads: one at a time. Errors: with the path and the system's message; the next call retries.
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

  [[nodiscard]] Status open();  // no effect if it is open
  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  // Writes the whole line or nothing; `line` contains no line break.
  [[nodiscard]] Status append(std::string_view line);
  [[nodiscard]] Status sync();  // fsync: what was written is on the disk

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
  std::string line_;  // reused buffer
};

}  // namespace saccade::results
