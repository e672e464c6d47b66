#include "service/http/server_certificate.hpp"

#include <sys/stat.h>

namespace saccade::service {

Result<ServerCertificate> ServerCertificate::open(const config::TlsFiles& files, Duration pause) {
  ServerCertificate certificate(files, pause);
  certificate.seen_ = {stamp_of(files.certificate), stamp_of(files.key)};
  if (const Status made = certificate.read(); !made) return made.errors();
  return certificate;
}

std::optional<Status> ServerCertificate::look(TimePoint now) {
  if (looked_ && now - *looked_ < pause_) return std::nullopt;
  looked_ = now;
  // Before the files are read: what is written meanwhile is seen by the next look.
  const Stamps stamps{stamp_of(files_.certificate), stamp_of(files_.key)};
  if (stamps == std::exchange(seen_, stamps)) return std::nullopt;
  return read();
}

Status ServerCertificate::read() {
  Result<Context> made = server_tls(files_);
  if (!made) return made.errors();
  context_ = std::move(made).value();
  return Done{};
}

FileStamp ServerCertificate::stamp_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim};
}

}  // namespace saccade::service
