// Profile sets as JSON files: reading reports every mistake at once, each with file, line, JSON pointer and
// what to do; a written set reads back as the same value. Two formats are read: saccade-profiles/1, of
// classifiers that take plain_interface(), and saccade-profiles/2, which adds `interface`, the variants'
// overrides of it, the source of accuracies, and drafts. The lowest format that can express the set is
// written. Suspicious but usable values are reported by warnings(), separately from reading. Threads:
// functions without state. Errors: Result; nothing throws.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {

inline constexpr const char* kProfileFormat1 = "saccade-profiles/1";
inline constexpr const char* kProfileFormat2 = "saccade-profiles/2";
// Enough for thousands of variants.
inline constexpr text::JsonLimits kProfileLimits{.mebibytes = 16, .values = 1'000'000};

// Whether sets are accepted in which accuracies and frame times are still to be measured.
enum class Drafts { refused, read };

// The set's directory is the file's.
[[nodiscard]] Result<ProfileSet> read_profile_set(const std::filesystem::path& path,
                                                  Drafts drafts = Drafts::refused);
// The same from text; `name` replaces the file's name in errors.
[[nodiscard]] Result<ProfileSet> parse_profile_set(std::string_view text, const std::string& name,
                                                   const std::filesystem::path& directory = {},
                                                   Drafts drafts = Drafts::refused);
// The same from a document that something else was made into; adds to what `report` holds already.
[[nodiscard]] Result<ProfileSet> read_profile_document(const text::JsonValue& document,
                                                       text::JsonReport& report,
                                                       Drafts drafts = Drafts::refused);

[[nodiscard]] std::string to_json(const ProfileSet& set);
// Replaces the file as a whole or leaves it as it was.
[[nodiscard]] Status write_profile_set(const ProfileSet& set, const std::filesystem::path& path);

// Worth a look before relying on the set, one complaint per kind: units that look wrong, an accuracy
// below half of what its siblings have, an int8 variant slower than its fp32, two ids for one thing, a
// larger batch faster than a smaller one, a 99th percentile far from the median, a load peak far below
// the memory, missing energy. `where` is `name` (default: the network) and the pointer of the first
// variant it is about.
[[nodiscard]] Errors warnings(const ProfileSet& set, const std::string& name = {});

}  // namespace saccade::profiles
