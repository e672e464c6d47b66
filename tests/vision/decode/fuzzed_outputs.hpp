// Outputs that no network should give, drawn from a stream of bytes: random numbers, NaN, infinities, huge
// and tiny ones, all of them above the threshold; shapes that do not fit; any type. Shared by the test, which
// draws the bytes from a seed, and by the fuzzer, which makes them up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/vision/decode/made_outputs.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {

// Bytes one after the other; zeros when they are spent.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }
  [[nodiscard]] int below(int count) { return (next() * 256 + next()) % count; }  // count <= 65536
  [[nodiscard]] float number(bool any);  // any: of every kind, else mostly in [0, 1]

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct FuzzOutcome {
  bool made = false;  // the interface fitted
  Fault fault = Fault::none;
  std::size_t objects = 0;
  std::chrono::nanoseconds slowest{0};  // processor time of one picture in the decoder, the slower of the two
};

// Makes an interface and outputs, decodes two pictures of it, and checks what must hold of every outcome:
// finite boxes inside the frame, scores in [0, 1] and falling, labels that exist, at most max_objects. Stops
// the process when something does not.
FuzzOutcome decode_fuzzed(Bytes bytes);

}  // namespace saccade::vision::test
