// Any text is a profile set or a list of complaints; what is read is written such that reading gives it
// back, and can be judged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "profiles/profile_io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto set = parse_profile_set(text, "fuzz.json", {}, Drafts::read);
  if (!set) return 0;
  (void)warnings(set.value());
  const std::string written = to_json(set.value());
  const auto again = parse_profile_set(written, "again.json", {}, Drafts::read);
  SACCADE_CHECK(again.ok());
  SACCADE_CHECK(to_json(again.value()) == written);
  return 0;
}
