// Any text is a configuration or a list of complaints. Paths in it are looked up where the tests'
// configurations lie.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)saccade::config::parse_config(text, "fuzz.json", SACCADE_SOURCE_DIR "/tests/config/corpus/good");
  return 0;
}
