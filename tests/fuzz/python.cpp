// Any text as a Python literal.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vision/model/python_literal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = saccade::vision::parse_python_literal({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  (void)saccade::vision::names_in(value.value());
  (void)saccade::vision::integers_in(value.value());
  return 0;
}
