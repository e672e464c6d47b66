// The intermediate results of a measurement on disk, from which an interrupted one resumes: named lists of
// numbers, one line each with a checksum, appended and synchronised one by one. An incomplete last line is
// truncated; every remaining line is complete and kept.
// A journal belongs to one measurement, identified by its identity; that of another measurement is started
// over. Only one process at a time can hold it.
// Order: open; find or add, each name added once; remove when the result has been saved elsewhere.
// Threads: one. Errors: the file cannot be created, locked or read, is held by another process, or a line
// cannot be added; the file's contents are then unchanged.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::runtime {

class ProfileJournal {
 public:
  using Numbers = std::vector<double>;

  // `fresh`: discards existing contents.
  [[nodiscard]] static Result<std::unique_ptr<ProfileJournal>> open(const std::filesystem::path& file,
                                                                    const std::string& identity, bool fresh);
  ~ProfileJournal();
  ProfileJournal(const ProfileJournal&) = delete;
  ProfileJournal& operator=(const ProfileJournal&) = delete;

  // Null if there is none; valid until the next add().
  [[nodiscard]] const Numbers* find(const std::string& name) const;
  // `name` is one word.
  [[nodiscard]] Status add(const std::string& name, Numbers numbers);

  [[nodiscard]] std::size_t found() const { return found_; }  // lines present when it was opened
  // Wall time spent on all lines: each records the time since the previous one or since opening.
  [[nodiscard]] Seconds spent() const { return spent_; }

  // Deletes the file; nothing is added afterwards.
  void remove();

 private:
  ProfileJournal(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  [[nodiscard]] Status start(const std::string& identity, bool fresh);
  [[nodiscard]] Status append(const std::string& line) const;
  bool take(const std::string& line);

  std::filesystem::path path_;
  int file_;
  std::map<std::string, Numbers> lines_;
  std::size_t found_ = 0;
  Seconds spent_{0.0};
  SteadyClock clock_;
  TimePoint last_{};
};

}  // namespace saccade::runtime
