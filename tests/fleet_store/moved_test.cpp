// Where cameras went, as text: read back as it was written, and nothing that could be more than a name and an
// address, as clients are told it in headers.
#include <gtest/gtest.h>

#include <string>

#include "fleet_store/documents.hpp"

namespace saccade::fleet_store {
namespace {

TEST(FleetMovedText, IsReadAsItWasWritten) {
  fleet::AssignDocument document{3, 4, {}};
  document.moved = {{TaskId("gate"), 7, fleet::BoxId("b"), "http://10.0.0.7:8080"},
                    {TaskId("yard"), 9, fleet::BoxId("c")}};
  const auto read = read_assign(to_text(document));
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  EXPECT_EQ(read.value(), document);
  EXPECT_EQ(read_saved(saved_text({document, 5})).value().document, document);
  document.moved.clear();
  EXPECT_EQ(to_text(document).find("moved"), std::string::npos);  // as it was before there were any
}

TEST(FleetMovedText, TellsClientsNamesAndAddressesAlone) {
  const auto with = [](const std::string& moved) {
    return read_assign(R"({"format": 1, "term": 1, "plan": 1, "cameras": [], "moved": [)" + moved + "]}");
  };
  for (const char* api :
       {"http://b\\r\\nX: y", "javascript:x", "http://u@b", "http://", "http://b/", "http://b b"}) {
    const auto read = with(std::string(R"({"id": "gate", "epoch": 1, "box": "b", "api": ")") + api + "\"}");
    ASSERT_TRUE(read.ok()) << api;
    ASSERT_EQ(read.value().moved.size(), 1U) << api;
    EXPECT_EQ(read.value().moved[0].api, "") << api;
  }
  const auto named = with(R"({"id": "gate", "epoch": 1, "box": "b\r\nX: y"})");
  ASSERT_TRUE(named.ok());
  EXPECT_TRUE(named.value().moved.empty());
  EXPECT_FALSE(with(R"({"id": "gate"})").ok());
}

}  // namespace
}  // namespace saccade::fleet_store
