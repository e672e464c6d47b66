#include "runtime/profile_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "runtime/checksum.hpp"

namespace saccade::runtime {

namespace {

constexpr const char* kFormat = "saccade-journal/1";

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

}  // namespace

Result<std::unique_ptr<ProfileJournal>> ProfileJournal::open(const std::filesystem::path& file,
                                                             const std::string& identity, bool fresh) {
  for (;;) {
    const int number = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (number < 0) return trouble(file, "the journal of the measurement cannot be opened");
    std::unique_ptr<ProfileJournal> journal(new ProfileJournal(file, number));
    if (::flock(number, LOCK_EX | LOCK_NB) != 0) {
      return Error{file.string(), "another process is measuring into this journal", "let it finish first"};
    }
    // Whoever held it may have removed it between the two calls.
    struct stat mine {};
    struct stat there {};
    if (::fstat(number, &mine) != 0) return trouble(file, "the journal cannot be looked at");
    if (::stat(file.c_str(), &there) != 0 || mine.st_ino != there.st_ino) continue;
    const Status started = journal->start(identity, fresh);
    if (!started) return started.errors();
    return journal;
  }
}

Status ProfileJournal::start(const std::string& identity, bool fresh) {
  std::size_t good = 0;  // bytes of whole lines
  if (!fresh) {
    std::ifstream stream(path_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
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
  const std::string text = line + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return trouble(path_, "the journal cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fdatasync(file_) != 0) return trouble(path_, "the journal cannot be written");
  return Done{};
}

void ProfileJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace saccade::runtime
