// The certificate that a server shows, followed while its files are replaced: new connections use the new
// one, existing ones keep theirs. Files that cannot be used, or do not belong together, change nothing.
// Included by the server only. Threads: one. Errors: open() returns what is wrong with the files, look() what
// became wrong, once.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "config/api_config.hpp"
#include "service/http/http_stream.hpp"

namespace saccade::service {

struct FileStamp {  // of a file that was replaced, or written, at least one differs
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  timespec changed{};
  bool operator==(const FileStamp& other) const {
    return device == other.device && number == other.number && size == other.size &&
           changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
  }
};

class ServerCertificate {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  // The files are examined at most once in `pause`.
  [[nodiscard]] static Result<ServerCertificate> open(const config::TlsFiles& files, Duration pause);

  [[nodiscard]] const Context& context() const { return context_; }  // never null
  // Absent: nothing has changed. Success: context() is a new one. Errors: it is still the former one.
  [[nodiscard]] std::optional<Status> look(TimePoint now);

 private:
  using Stamps = std::pair<FileStamp, FileStamp>;
  ServerCertificate(config::TlsFiles files, Duration pause) : files_(std::move(files)), pause_(pause) {}
  [[nodiscard]] Status read();
  [[nodiscard]] static FileStamp stamp_of(const std::filesystem::path& file);

  config::TlsFiles files_;
  Duration pause_;
  Stamps seen_;
  std::optional<TimePoint> looked_;
  Context context_;
};

}  // namespace saccade::service
