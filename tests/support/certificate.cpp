#include "tests/support/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>

namespace saccade::test {
namespace {

template <class T, auto kFree>
struct Freed {
  void operator()(T* each) const { kFree(each); }
};
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION, X509_EXTENSION_free>>;

template <class Write>
bool write_file(const std::filesystem::path& file, const Write& write) {
  std::FILE* const out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return false;
  const bool written = write(out) == 1;
  return std::fclose(out) == 0 && written;
}

}  // namespace

bool write_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key,
                       const std::string& names) {
  const Key pair(EVP_EC_gen("P-256"));
  const Certificate made(X509_new());
  if (!pair || !made) return false;
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), pair.get());
  X509_NAME* const subject = X509_get_subject_name(made.get());
  const auto* const common = reinterpret_cast<const unsigned char*>("saccade test");
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common, -1, -1, 0);
  X509_set_issuer_name(made.get(), subject);
  const Extension alternative(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()));
  if (!alternative || X509_add_ext(made.get(), alternative.get(), -1) != 1) return false;
  if (X509_sign(made.get(), pair.get(), EVP_sha256()) == 0) return false;
  return write_file(certificate, [&](std::FILE* out) { return PEM_write_X509(out, made.get()); }) &&
         write_file(key, [&](std::FILE* out) {
           return PEM_write_PrivateKey(out, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
         });
}

}  // namespace saccade::test
