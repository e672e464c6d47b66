#pragma once

#include <cstdint>
#include <string_view>

namespace saccade::images {

// One step of splitmix64 (Steele, Lea, Flood 2014): adds the golden-ratio step and mixes. Used to
// spread keys (seed, index, name hash) over all 64 bits before they become generator state.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t key) noexcept {
  key += 0x9E3779B97F4A7C15ULL;
  key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  key = (key ^ (key >> 27U)) * 0x94D049BB133111EBULL;
  return key ^ (key >> 31U);
}

// FNV-1a, so that two data sets with the same seed and index share no randomness.
[[nodiscard]] constexpr std::uint64_t hash_of_name(std::string_view name) noexcept {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (const char letter : name) {
    value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3ULL;
  }
  return value;
}

// A small xoshiro256++ stream (Blackman, Vigna 2019) with the few draws that drawing needs.
// The std:: distributions are avoided because their results differ between standard libraries.
// A value type without shared state: one instance belongs to one image, and so to one thread.
class Random {
 public:
  explicit constexpr Random(std::uint64_t key) noexcept {
    for (auto& word : state_) {
      word = mix(key);
      key += 0x9E3779B97F4A7C15ULL;
    }
  }

  // 64 uniformly distributed bits.
  constexpr std::uint64_t bits() noexcept {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  constexpr double unit() noexcept { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

  // Uniform in [low, high).
  constexpr double between(double low, double high) noexcept { return low + (high - low) * unit(); }

  // Bell-shaped in (-1, 1), the mean of three uniform draws (standard deviation 1/3).
  constexpr double bell() noexcept { return (unit() + unit() + unit()) * (2.0 / 3.0) - 1.0; }

  // Uniform in 0 .. count-1; count must be positive and far below 2^32 (the bias is count / 2^32).
  constexpr int below(int count) noexcept {
    return static_cast<int>(((bits() >> 32U) * static_cast<std::uint64_t>(count)) >> 32U);
  }

  // True with the given probability.
  constexpr bool chance(double probability) noexcept { return unit() < probability; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t value, unsigned count) noexcept {
    return (value << count) | (value >> (64U - count));
  }

  std::uint64_t state_[4]{};
};

}  // namespace saccade::images
