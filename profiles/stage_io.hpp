// Stages of variants as JSON: `stages` with `kind`, `unit`, `model`, `sha256` and what crosses, and beside
// them `latency_seconds`, `max_fps` and `max_in_flight`.
// Threads: functions without state. Errors: all at once into the report: stages that do not fit together in
// names, types, shapes or layers, and processors that the variant has no time on.
#pragma once

#include <functional>
#include <string>

#include "profiles/variant.hpp"
#include "text/object_reader.hpp"

namespace saccade::profiles {

// How a set reads what its variants read, too; each reports what is wrong.
struct StageReaders {
  std::function<std::string(const text::JsonAt& at)> model;
  std::function<std::string(const text::JsonAt& at)> sha256;
};

// Of `variant`, whose frame times are known. `at`: its `stages`; `reader`: of the variant.
[[nodiscard]] Staging read_staging(const text::JsonAt& at, text::ObjectReader& reader, const Variant& variant,
                                   const StageReaders& readers);

}  // namespace saccade::profiles
