// Changes of a configuration document: JSON merge patches (RFC 7396) in which `tasks` is an object by id and
// `processors` one by name instead of a list. Everything that changes a configuration uses these: timeline
// entries, changes of a running service, and previews of both.
//   {"tasks": {"gate": {"fps": 10}}, "limits": {"memory_bytes": null}}
// A merged document is read like any other, so that a key's default, type and range are the same wherever it
// is written.
// Order: check_patch(), then apply_patch(). Threads: functions without state. Errors: into the report.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// null removes a member, an object is merged, anything else replaces the target. Values keep the line on
// which they were written.
void merge_patch(const text::JsonValue& patch, text::JsonValue& target);

// An object's member of that name; a null is added if there is none.
[[nodiscard]] text::JsonValue& member_of(text::JsonValue& object, std::string_view key);

// Position of the task, or processor, in the document's list; absent: not found.
[[nodiscard]] std::optional<std::size_t> task_position(const text::JsonValue& document, std::string_view id);
[[nodiscard]] std::optional<std::size_t> processor_position(const text::JsonValue& document,
                                                            std::string_view name);

// A patch of one task is an object and does not change the task's id.
void check_task_patch(const text::JsonAt& patch, std::string_view id, text::JsonReport& report);
// Reports a patch that is not an object, or that names tasks or processors that cannot be patched: unknown,
// removed, renamed.
void check_patch(const text::JsonAt& patch, const text::JsonValue& document, text::JsonReport& report);

// Tasks and processors that check_patch() complains about are skipped.
void apply_patch(const text::JsonValue& patch, text::JsonValue& document);

// Folds the timeline's entries up to `at` into the document; later ones stay. The document has been read
// without errors.
void fold_timeline(Duration at, text::JsonValue& document);

// The value at an RFC 6901 pointer, as readers report it; null: none.
[[nodiscard]] const text::JsonValue* value_at(const text::JsonValue& root, std::string_view pointer);

}  // namespace saccade::config
