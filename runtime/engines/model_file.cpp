#include "runtime/engines/model_file.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/check.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

namespace {

Result<ModelBytes> read_bytes(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) {
    const bool missing = !code || code == std::errc::no_such_file_or_directory;
    return Error{file.string(), missing ? "there is no such model file" : code.message(), ""};
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string(), "cannot be opened: " + std::string(std::strerror(errno)), ""};
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (code) return Error{file.string(), code.message(), ""};
  ModelBytes bytes(static_cast<std::size_t>(size));
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) {
    return Error{file.string(), "cannot be read to its end", ""};
  }
  return bytes;
}

}  // namespace

std::string sha256_hex(std::span<const char> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  SACCADE_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4U];
    text += kHex[digest[i] & 15U];
  }
  return text;
}

Result<ModelBytes> read_model(const std::filesystem::path& file, const std::string& sha256) {
  Result<ModelBytes> bytes = read_bytes(file);
  if (!bytes) return bytes;
  if (bytes.value().empty()) return Error{file.string(), "the model file is empty", ""};
  if (sha256.empty()) return bytes;
  const std::string found = sha256_hex(bytes.value());
  if (found != sha256) {
    return Error{
        file.string(),
        "the model file is not the one that was profiled: SHA-256 " + found + " instead of " + sha256,
        "restore the file, or measure it again with `saccade profile`"};
  }
  return bytes;
}

Result<std::string> sha256_of(const std::filesystem::path& file) {
  Result<ModelBytes> bytes = read_bytes(file);
  if (!bytes) return bytes.errors();
  return sha256_hex(bytes.value());
}

}  // namespace saccade::runtime
