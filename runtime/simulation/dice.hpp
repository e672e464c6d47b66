// Random number generator of the simulation: xoshiro256** (Blackman and Vigna) seeded by splitmix64. The
// distributions are integer code of our own, so that a seed gives the same numbers in every build and
// with every standard library.
// Threads: plain value.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/check.hpp"
#include "base/clock.hpp"

namespace saccade::runtime {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
      z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
      word = z ^ (z >> 31U);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // Uniform in [0, n), 0 < n < 2^32: the high half of a product.
  std::uint64_t below(std::uint64_t n) {
    SACCADE_CHECK(n > 0 && n <= 0xFFFFFFFFU);
    return ((next() >> 32U) * n) >> 32U;
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // Uniform in [from, to), to the microsecond.
  Duration between(Duration from, Duration to) {
    const auto steps = static_cast<std::uint64_t>((to - from).count() / 1000);
    return from + Duration(1000) * static_cast<Duration::rep>(steps == 0 ? 0 : below(steps));
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace saccade::runtime
