// Reads the inputs of a network's interface: the picture and the constants. Part of interface_io.hpp.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "profiles/interface.hpp"
#include "text/object_reader.hpp"

namespace saccade::profiles {

// The name of an input or output: as the graph has it, never empty.
[[nodiscard]] std::string read_port_name(const text::JsonAt& at, text::JsonReport& report);

// `overrides`: the keys that a variant may override, none of them required.
void read_picture_input(const text::JsonAt& at, PictureInput& input, bool overrides,
                        text::JsonReport& report);
// Appends to the interface's constants.
void read_constants(const text::JsonAt& at, ModelInterface& result, text::JsonReport& report);

template <class E>
void read_optional_choice(text::ObjectReader& reader, const std::string& key, std::optional<E>& target,
                          std::initializer_list<E> values) {
  if (!reader.find_given(key)) return;
  E value = *values.begin();
  reader.choice(key, value, values);
  target = value;
}

}  // namespace saccade::profiles
