#include "results/webhook/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/check.hpp"

namespace saccade::results {

std::string signature_header(std::string_view key, std::string_view body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(body.data());
  const unsigned char* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, body.size(),
                                   digest.data(), &length);
  SACCADE_CHECK(made != nullptr);
  std::string header = "X-Hub-Signature-256: sha256=";
  for (unsigned int i = 0; i < length; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    header += kDigits[digest[i] >> 4U];
    header += kDigits[digest[i] & 15U];
  }
  return header;
}

}  // namespace saccade::results
