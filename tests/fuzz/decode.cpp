// Any bytes are a decoder with outputs of a network, and what it makes of them is a fault or objects inside
// the frame. At the end, the longest that one picture took is printed: no machine is the same, so that no
// limit is set here.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "tests/vision/decode/fuzzed_outputs.hpp"

namespace {

struct Slowest {
  std::chrono::nanoseconds time{0};
  ~Slowest() {
    std::fprintf(stderr, "slowest: %.3f ms of processor time\n", static_cast<double>(time.count()) * 1e-6);
  }
} slowest;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade::vision::test;
  slowest.time = std::max(slowest.time, decode_fuzzed(Bytes({data, size})).slowest);
  return 0;
}
