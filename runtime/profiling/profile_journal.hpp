// What a measurement has found so far, on disk, so that a killed one goes on where it was: named lists
// of numbers, one line each with a checksum, appended and synchronised one by one. What the last moment
// left half written is cut off; every line that is there is whole and stays.
// A journal belongs to one measurement, told by its identity; one of another measurement is started
// over. One process at a time holds it.
// Order: open; find or add, each name added once; remove when the result is safe elsewhere.
// Threads: one. Errors: the file cannot be made, locked or read, is held by another process, or a line
// cannot be added; the file then holds what it held before.
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

  // `fresh`: what is there is thrown away.
  [[nodiscard]] static Result<std::unique_ptr<ProfileJournal>> open(const std::filesystem::path& file,
                                                                    const std::string& identity, bool fresh);
  ~ProfileJournal();
  ProfileJournal(const ProfileJournal&) = delete;
  ProfileJournal& operator=(const ProfileJournal&) = delete;

  // Null when there is none; good until the next add().
  [[nodiscard]] const Numbers* find(const std::string& name) const;
  // `name` is one word.
  [[nodiscard]] Status add(const std::string& name, Numbers numbers);

  [[nodiscard]] std::size_t found() const { return found_; }  // lines that were there when it was opened
  // Wall time spent on all lines: each holds the time since the one before it or since opening.
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
