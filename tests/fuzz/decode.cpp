// Any bytes are a decoder with outputs of a network, and what it makes of them is a fault or objects inside
// the frame.
#include <cstddef>
#include <cstdint>

#include "tests/vision/decode/fuzzed_outputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade::vision::test;
  static_cast<void>(decode_fuzzed(Bytes({data, size})));
  return 0;
}
