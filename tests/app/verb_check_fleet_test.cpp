// What `saccade check` says of a configuration whose box is in a fleet.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

TEST(CheckOfABoxInAFleet, LooksForTheNameInItsCertificateAsRunDoes) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(test::write_certificate(folder / "box.pem", folder / "box.key", "DNS:localhost"));
  json store = {{"endpoints", {"https://10.0.0.1:2379"}}};
  const auto check = [&](std::string& said) {
    const json config = {{"version", 1},
                         {"processors", {{{"name", "cpu"}}}},
                         {"engine", {{"backend", "simulated"}}},
                         {"tasks", json::array()},
                         {"fleet",
                          {{"name", "city"},
                           {"box", "a"},
                           {"profiles", std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo"},
                           {"store", store}}}};
    std::ofstream(folder / "box.json") << config.dump();
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_program({"check", (folder / "box.json").string()}, out, err);
    said = err.str();
    return code;
  };
  std::string said;
  EXPECT_EQ(check(said), kExitOk) << said;
  store["certificate"] = "box.pem";
  store["key"] = "box.key";
  EXPECT_EQ(check(said), kExitConfig);
  EXPECT_NE(said.find("the client certificate has a common name (CN)"), std::string::npos) << said;
}

}  // namespace
}  // namespace saccade::app
