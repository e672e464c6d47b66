// The schemas of a fleet's documents, made of that of its file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "config/schemas.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

json schema_of(const std::string& name) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_program({"schema", name}, out, err), kExitOk) << err.str();
  return json::parse(out.str());
}

TEST(SchemaVerb, OfADocumentOfAFleetIsThatOfItsPartOfTheFile) {
  const json fleet = json::parse(config::fleet_schema());
  for (const auto& [name, part] : {std::pair{"camera", "/properties/cameras/items"},
                                   {"box", "/properties/boxes/items"},
                                   {"policy", "/properties/policy"}}) {
    json schema = schema_of(name);
    EXPECT_EQ(schema["$schema"], fleet["$schema"]) << name;
    EXPECT_EQ(schema["additionalProperties"], false) << name;
    json properties = fleet.at(json::json_pointer(part)).at("properties");
    properties.erase("kind");  // of a box: it reports itself what it is
    EXPECT_EQ(schema["properties"]["format"]["const"], 1) << name;
    schema["properties"].erase("format");
    EXPECT_EQ(schema["properties"], properties) << name;
  }
  EXPECT_EQ(schema_of("camera")["required"], (json{"network", "fps"}));
  EXPECT_FALSE(schema_of("box").contains("required"));
}

}  // namespace
}  // namespace saccade::app
