// Any text is a table of variants or a list of complaints; what is imported is a valid profile set.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "profiles/csv_import.hpp"
#include "profiles/profile_io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade::profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto set = import_csv_text(text, "fuzz.csv", {.network = "net", .device = "board"});
  if (!set) return 0;
  const std::string written = to_json(set.value());
  const auto again = parse_profile_set(written, "again.json");
  SACCADE_CHECK(again.ok());
  SACCADE_CHECK(to_json(again.value()) == written);
  return 0;
}
