// The output of `saccade inspect` for a model file: ports, metadata, operators, and the draft of its
// interface with the origin of every field; for people and as JSON. `saccade adopt` prints fields and
// questions in the same form.
// Threads: functions without state. Errors: none.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.hpp"
#include "text/strict_json.hpp"
#include "vision/model/set_draft.hpp"

namespace saccade::app {

void print_report(const vision::ModelDraft& report, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const vision::ModelDraft& report);

// A table of fields with their values in `document` (a profile set), origins and reasons.
void print_fields(const text::JsonValue& document, const std::vector<vision::FieldOrigin>& fields,
                  std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<vision::FieldOrigin>& fields);
// The questions to be answered; nothing if there are none.
void print_questions(const char* title, const Errors& questions, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const Errors& errors);

}  // namespace saccade::app
