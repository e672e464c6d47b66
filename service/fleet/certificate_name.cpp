#include "service/fleet/certificate_name.hpp"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

namespace saccade::service {

Status check_client_certificate(const std::filesystem::path& file) {
  if (file.empty()) return Done{};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(file.c_str(), "re"), &std::fclose);
  if (!opened) return Error{file.string(), "the client certificate cannot be read", ""};
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_X509(opened.get(), nullptr, nullptr, nullptr), &X509_free);
  if (!certificate) return Error{file.string(), "is no certificate in PEM form", ""};
  if (X509_NAME_get_index_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, -1) < 0)
    return Done{};
  return Error{
      file.string(),
      "the client certificate has a common name (CN), and etcd's gateway refuses every request with such "
      "a certificate once users are enabled",
      "make one whose subject is O or OU alone, and name the user by `user` and `password_file`"};
}

}  // namespace saccade::service
