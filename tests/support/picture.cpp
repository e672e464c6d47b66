#include "tests/support/picture.hpp"

#include <fstream>
#include <string>

namespace saccade::test {

void write_picture(const std::filesystem::path& file) {
  constexpr unsigned kHead = 54;
  constexpr unsigned kPixels = 64 * 48 * 3;
  std::string bytes(kHead + kPixels, 'd');
  const auto put = [&](std::size_t at, unsigned value) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFFU);
  };
  for (std::size_t at = 2; at < kHead; at += 4) put(at, 0);
  bytes[0] = 'B';
  bytes[1] = 'M';
  put(2, kHead + kPixels);
  put(10, kHead);
  put(14, 40);  // size of the second header
  put(18, 64);
  put(22, 48);
  put(26, 1U | 24U << 16U);  // planes, bits per pixel
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace saccade::test
