#include "runtime/engines/graph_cache.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/logfmt.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/machine/checksum.hpp"

namespace saccade::runtime {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEntryEnding = ".graph";
constexpr const char* kScratchEnding = ".part";
constexpr std::uint64_t kMark = 0x3148504152474353;  // "SCGRAPH1"

// The beginning of an entry; the key and the graph follow.
struct Header {
  std::uint64_t mark = kMark;
  std::uint64_t key_bytes = 0;
  std::uint64_t graph_bytes = 0;
  std::uint64_t checksum = 0;  // of key and graph
};

class File {
 public:
  File(const fs::path& path, int flags) : file_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  [[nodiscard]] int number() const { return file_; }
  [[nodiscard]] bool is_at(const fs::path& path) const {
    struct stat mine {};
    struct stat there {};
    return ::fstat(file_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino;
  }

  // Everything the file holds; nothing when it cannot be read to its end.
  [[nodiscard]] std::optional<GraphBytes> contents() const {
    struct stat state {};
    if (file_ < 0 || ::fstat(file_, &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
    GraphBytes bytes(static_cast<std::size_t>(state.st_size));
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::read(file_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      done += static_cast<std::size_t>(count);
    }
    return bytes;
  }

  [[nodiscard]] bool write(std::span<const char> bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  int file_;
};

// The graph of an entry; nothing when it is not a whole entry of this key.
std::optional<GraphBytes> graph_of(GraphBytes entry, const std::string& key) {
  Header header;
  if (entry.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, entry.data(), sizeof header);
  const std::span<const char> body = std::span<const char>(entry).subspan(sizeof header);
  if (header.mark != kMark || header.key_bytes != key.size()) return std::nullopt;
  if (body.size() < key.size() || header.graph_bytes != body.size() - key.size()) return std::nullopt;
  if (!std::equal(key.begin(), key.end(), body.begin())) return std::nullopt;
  if (header.checksum != checksum(body)) return std::nullopt;
  entry.erase(entry.begin(), entry.begin() + static_cast<std::ptrdiff_t>(sizeof header + key.size()));
  return entry;
}

// $XDG_CACHE_HOME or ~/.cache; nothing for a process without a home.
std::optional<fs::path> user_cache() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache);
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache";
  return std::nullopt;
}

// Why graphs cannot be kept in this folder; empty when they can.
std::string trouble_with(const fs::path& folder) {
  std::error_code code;
  const bool made = fs::create_directories(folder, code);
  if (code) return code.message();
  // Whatever the umask is; a folder that is there already stays as it is.
  if (made) fs::permissions(folder, fs::perms::owner_all, code);
  if (code) return code.message();
  struct stat state {};
  if (::stat(folder.c_str(), &state) != 0) return std::strerror(errno);
  if (state.st_uid != ::geteuid() && state.st_uid != 0) return "it belongs to another user";
  if ((state.st_mode & S_IWOTH) != 0) return "anybody may write to it";
  if ((state.st_mode & S_IWGRP) != 0) return "its group may write to it";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return std::strerror(errno);
  return "";
}

}  // namespace

std::shared_ptr<const GraphCache> GraphCache::open(const GraphCacheOptions& options) {
  if (options.place == "off" || !(options.limit > Bytes(0.0))) return nullptr;
  fs::path folder = options.place;
  if (options.place == "auto") {
    const std::optional<fs::path> cache = user_cache();
    if (!cache) return nullptr;
    folder = *cache / "saccade" / "graphs";
  }
  if (const std::string trouble = trouble_with(folder); !trouble.empty()) {
    spdlog::warn("event=graph_cache_off folder={} reason={}", log_quoted(folder.string()),
                 log_quoted(trouble));
    return nullptr;
  }
  return std::make_shared<const GraphCache>(std::move(folder), options.limit);
}

GraphCache::GraphCache(fs::path folder, Bytes limit) : folder_(std::move(folder)), limit_(limit) {}

fs::path GraphCache::entry_file(const std::string& key) const {
  return folder_ / (sha256_hex(key).substr(0, 40) + kEntryEnding);
}

fs::path GraphCache::scratch_file() const {
  static std::atomic<unsigned> count = 0;
  return folder_ / (std::to_string(::getpid()) + "-" + std::to_string(count++) + kScratchEnding);
}

std::optional<GraphBytes> GraphCache::find(const std::string& key) const {
  const fs::path path = entry_file(key);
  const File file(path, O_RDONLY);
  if (!file.is_open()) return std::nullopt;
  std::optional<GraphBytes> entry = file.contents();
  if (!entry) return std::nullopt;  // nothing is known about what cannot be read
  std::optional<GraphBytes> graph = graph_of(std::move(*entry), key);
  if (graph) {
    ::futimens(file.number(), nullptr);  // used just now; a folder that may only be read stays as it is
  } else if (file.is_at(path)) {         // another process may have put a whole one there meanwhile
    ::unlink(path.c_str());
  }
  return graph;
}

void GraphCache::store(const std::string& key, std::span<const char> graph) const {
  std::string body = key;
  body.append(graph.data(), graph.size());
  const Header header{kMark, key.size(), graph.size(), checksum(body)};
  const double bytes = static_cast<double>(sizeof header + body.size());
  if (bytes > limit_.value()) return;
  make_room(bytes, entry_file(key));
  const fs::path scratch = scratch_file();
  bool whole = false;
  {
    const File file(scratch, O_WRONLY | O_CREAT | O_EXCL);
    whole = file.is_open() && file.write({reinterpret_cast<const char*>(&header), sizeof header}) &&
            file.write(body) && ::fsync(file.number()) == 0;
  }
  if (!whole || std::rename(scratch.c_str(), entry_file(key).c_str()) != 0) ::unlink(scratch.c_str());
}

void GraphCache::adopt(const std::string& key, const fs::path& scratch) const {
  const std::optional<GraphBytes> graph = File(scratch, O_RDONLY).contents();
  ::unlink(scratch.c_str());
  if (graph && !graph->empty()) store(key, *graph);
}

// Also removes what processes that were killed have left half written.
void GraphCache::make_room(double bytes, const fs::path& replaced) const {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    double bytes;
  };
  constexpr auto kAbandoned = std::chrono::hours(1);
  std::vector<Entry> entries;
  double total = bytes;
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    std::error_code gone;  // another process may be clearing up as well
    const fs::path& path = it->path();
    const auto used = it->last_write_time(gone);
    const auto size = it->file_size(gone);
    if (gone) continue;
    if (path.extension() == kScratchEnding && fs::file_time_type::clock::now() - used > kAbandoned) {
      fs::remove(path, gone);
    }
    if (path.extension() != kEntryEnding || path == replaced) continue;
    entries.push_back({used, path, static_cast<double>(size)});
    total += static_cast<double>(size);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_.value()) break;
    fs::remove(entry.path, code);
    total -= entry.bytes;
  }
}

}  // namespace saccade::runtime
