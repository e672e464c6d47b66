#include "runtime/machine/checksum.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace saccade::runtime {

std::uint64_t checksum(std::span<const char> bytes) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
  std::array<std::uint64_t, 4> words{};
  const auto step = [&] {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] = (lanes[lane] ^ words[lane]) * kOdd;
      lanes[lane] ^= lanes[lane] >> 29U;
    }
  };
  std::size_t at = 0;
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    step();
  }
  words = {};
  if (at < bytes.size()) std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
  step();
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = (sum ^ lane) * kOdd;
  return sum;
}

}  // namespace saccade::runtime
