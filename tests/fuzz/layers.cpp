// Any text is a file of layers, a table of them, or a list of complaints; what a table says is a file that is
// read again the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "config/layer_csv.hpp"
#include "config/layer_file.hpp"
#include "text/json_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = config::parse_layer_file(text, "fuzz.json");
  SACCADE_CHECK(file.ok() || !file.errors().empty());

  const auto table = config::import_layers_text(text, "fuzz.csv", {});
  if (!table) return 0;
  const auto again = config::parse_layer_file(text::write_json(table.value().document, 1), "again.json");
  SACCADE_CHECK(again.ok());
  SACCADE_CHECK(again.value() == table.value().file);
  return 0;
}
