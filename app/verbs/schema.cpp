#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "config/schemas.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

using SchemaJson = nlohmann::ordered_json;

// The part of a fleet's schema that is a document of its own in a planner's API (docs/fleet.md): its path
// names it, and what hardware a box is its box reports.
std::string document_schema(const char* title, const char* part, const std::string& left_out = {}) {
  const SchemaJson fleet = SchemaJson::parse(config::fleet_schema());
  SchemaJson schema = {{"$schema", fleet.at("$schema")}, {"title", title}};
  schema.update(fleet.at(SchemaJson::json_pointer(part)));
  SchemaJson& properties = schema["properties"];
  properties.erase(left_out);
  properties["format"] = {{"description", "Format of the document."}, {"const", 1}, {"default", 1}};
  SchemaJson required = SchemaJson::array();
  for (const SchemaJson& key : schema.value("required", SchemaJson::array())) {
    if (key != "id" && key != left_out) required.push_back(key);
  }
  schema.erase("required");
  if (!required.empty()) schema["required"] = std::move(required);
  return schema.dump(1) + "\n";
}

struct NamedSchema {
  const char* name;
  std::string (*text)();
};
const NamedSchema kSchemas[] = {
    {"config", [] { return std::string(config::config_schema()); }},
    {"profile", [] { return std::string(config::profile_schema()); }},
    {"fleet", [] { return std::string(config::fleet_schema()); }},
    {"camera", [] { return document_schema("Saccade camera of a fleet", "/properties/cameras/items"); }},
    {"box", [] { return document_schema("Saccade box of a fleet", "/properties/boxes/items", "kind"); }},
    {"policy", [] { return document_schema("Saccade policy of a fleet", "/properties/policy"); }},
    {"layers", [] { return std::string(config::layers_schema()); }},
};

}  // namespace

int verb_schema(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "schema",
      "[config|profile|fleet|camera|box|policy|layers]",
      "Prints the JSON Schema (draft 07) of the configuration (default), of profile sets, of files of\n"
      "fleets, of the documents of a fleet in operation (camera, box, policy), or of layer files, for\n"
      "editors that complete and check while you type. `saccade check` checks more than a schema can.",
      {},
      0,
      1};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const std::string which = call.arguments().empty() ? "config" : call.arguments()[0];
  std::vector<std::string> names;
  for (const NamedSchema& schema : kSchemas) {
    names.emplace_back(schema.name);
    if (which != schema.name) continue;
    out << schema.text();
    return kExitOk;
  }
  const std::string meant = text::nearest(which, names);
  return usage_error("schema",
                     "there is no schema " + text::in_quotes(which) +
                         (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                     err);
}

}  // namespace saccade::app
