#include "runtime/profiling/profile_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "runtime/machine/checksum.hpp"

namespace saccade::runtime {

namespace {

constexpr const char* kFormat = "saccade-journal/1";
constexpr int kTries = 10;  // to hold the file that stands under the name

std::string with_checksum(const std::string& text) {
  std::array<char, 17> sum{};
  std::snprintf(sum.data(), sum.size(), "%016llx", static_cast<unsigned long long>(checksum(text)));
  return std::string(sum.data()) + " " + text;
}

// The text of a line whose checksum is right.
std::optional<std::string> checked(const std::string& line) {
  constexpr std::size_t kSum = 17;
  if (line.size() < kSum) return std::nullopt;
  std::string text = line.substr(kSum);
  if (with_checksum(text) != line) return std::nullopt;
  return text;
}

std::string to_word(double number) {
  std::array<char, 32> text{};
  const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), number);
  SACCADE_CHECK(failure == std::errc{});
  return {text.data(), end};
}

std::string header(const std::string& identity) {
  return with_checksum(std::string(kFormat) + " " + identity);
}

Error trouble(const std::filesystem::path& path, const std::string& what) {
  return {path.string(), what + ": " + std::strerror(errno), ""};
}

Status lock(int file, const std::filesystem::path& path) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return trouble(path, "the journal cannot be locked");
    return Error{path.string(), "another process is measuring into this journal", "let it finish first"};
  }
  return Done{};
}

// Everything the file holds: what cannot be read must not pass for what is not there.
Result<std::string> contents(int file, const std::filesystem::path& path) {
  std::string text;
  std::array<char, 1U << 16U> part{};
  for (;;) {
    const ssize_t count = ::pread(file, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return trouble(path, "the journal cannot be read");
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

bool write_all(int file, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t count = ::write(file, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<ProfileJournal>> ProfileJournal::open(const std::filesystem::path& file,
                                                             const std::string& identity, bool fresh) {
  for (int tries = 0; tries < kTries; ++tries) {
    const int number = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (number < 0) return trouble(file, "the journal of the measurement cannot be opened");
    std::unique_ptr<ProfileJournal> journal(new ProfileJournal(file, number));
    if (const Status held = lock(number, file); !held) return held.errors();
    // Whoever held it may have removed it between the two calls.
    struct stat mine {};
    struct stat there {};
    if (::fstat(number, &mine) != 0) return trouble(file, "the journal cannot be looked at");
    const bool same = ::stat(file.c_str(), &there) == 0 && mine.st_ino == there.st_ino;
    if (!same) continue;
    const Status started = journal->start(identity, fresh);
    if (!started) return started.errors();
    return journal;
  }
  return Error{file.string(), "the journal is removed again and again while it is opened",
               "find the process that removes it"};
}

Status ProfileJournal::start(const std::string& identity, bool fresh) {
  std::size_t good = 0;  // bytes of whole lines
  if (!fresh) {
    const Result<std::string> held = contents(file_, path_);
    if (!held) return held.errors();
    const std::string& text = held.value();
    for (std::size_t end; (end = text.find('\n', good)) != std::string::npos; good = end + 1) {
      const std::string line = text.substr(good, end - good);
      if (good == 0 ? line != header(identity) : !take(line)) break;
    }
  }
  found_ = lines_.size();
  if (::ftruncate(file_, static_cast<off_t>(good)) != 0) {
    return trouble(path_, "the journal cannot be cut");
  }
  last_ = clock_.now();
  if (good > 0) return Done{};
  return append(header(identity));
}

bool ProfileJournal::take(const std::string& line) {
  const std::optional<std::string> text = checked(line);
  if (!text) return false;
  std::istringstream words(*text);
  std::string name;
  std::string word;
  if (!(words >> name >> word)) return false;
  Numbers numbers;
  do {
    double number = 0.0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc{} || end != word.data() + word.size()) return false;
    numbers.push_back(number);
  } while (words >> word);
  spent_ += Seconds(numbers.front());
  numbers.erase(numbers.begin());
  return lines_.emplace(name, std::move(numbers)).second;
}

ProfileJournal::~ProfileJournal() { ::close(file_); }  // and with it the lock

const ProfileJournal::Numbers* ProfileJournal::find(const std::string& name) const {
  const auto line = lines_.find(name);
  return line == lines_.end() ? nullptr : &line->second;
}

Status ProfileJournal::add(const std::string& name, Numbers numbers) {
  SACCADE_CHECK(!name.empty() && name.find_first_of(" \t\n") == std::string::npos);
  SACCADE_CHECK(!lines_.contains(name));
  const TimePoint now = clock_.now();
  const Seconds took = to_seconds(now - last_);
  last_ = now;
  std::string text = name + " " + to_word(took.value());
  for (const double number : numbers) text += " " + to_word(number);
  Status added = append(with_checksum(text));
  if (!added) return added;
  spent_ += took;
  lines_.emplace(name, std::move(numbers));
  return added;
}

Status ProfileJournal::append(const std::string& line) const {
  struct stat before {};
  if (::fstat(file_, &before) != 0) return trouble(path_, "the journal cannot be looked at");
  if (write_all(file_, line + "\n") && ::fdatasync(file_) == 0) return Done{};
  Error failed = trouble(path_, "the journal cannot be written");
  // Half a line would spoil the next one. What cannot be cut now is cut when the journal is opened.
  if (::ftruncate(file_, before.st_size) != 0) failed.what += "; half a line may be left in it";
  return failed;
}

void ProfileJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace saccade::runtime
