// `saccade place SET.json --layers FILE` on a network of the zoo, with made-up times of its layers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/verb_outputs.hpp"

namespace saccade::app::testing {

inline const std::filesystem::path kZoo = std::filesystem::path(SACCADE_SOURCE_DIR) / "profiles/zoo";
inline const std::string kSet = (kZoo / "mobilenet_v2-glyphs.json").string();
inline const std::string kVariant = "w0.55-d0.50-fp32";

using test::Outcome;
using test::run;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The layers of a model with made-up times: `slow` takes 2.5 times as long for products, not for bytes.
inline nlohmann::json made_up_layers(
    const std::string& model = (kZoo / "mobilenet_v2-glyphs" / (kVariant + ".onnx")).string(),
    const std::vector<std::string>& more = {}) {
  VerbArguments args = {model, "--json"};
  args.insert(args.end(), more.begin(), more.end());
  const Outcome done = run(verb_layers, args);
  EXPECT_EQ(done.code, kExitOk) << done.err;
  nlohmann::json file = nlohmann::json::parse(done.out);
  file["processors"] =
      nlohmann::json::array({nlohmann::json{{"id", "fast"}}, nlohmann::json{{"id", "slow"}}});
  file["links"] = nlohmann::json::array();
  for (const auto& [from, to] : {std::pair{"fast", "slow"}, {"slow", "fast"}})
    file["links"].push_back(
        {{"from", from}, {"to", to}, {"fixed_seconds", 1e-5}, {"seconds_per_byte", 1e-10}});
  for (nlohmann::json& layer : file["layers"]) {
    const double products = layer["multiply_adds"].get<double>(),
                 bytes = layer["working_bytes"].get<double>();
    layer["seconds"] = {{"fast", 2e-10 * products + 5e-9 * bytes}, {"slow", 5e-10 * products + 6e-9 * bytes}};
    if (layer.contains("before")) layer["before"]["apart_seconds"] = {{"fast", 1e-6}, {"slow", 2e-6}};
  }
  return file;
}

class PlaceSet : public ::testing::Test {
 protected:
  std::string write(const char* name, const nlohmann::json& document) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << document.dump(1);
    return path.string();
  }
  Outcome place(const std::vector<std::string>& more, const std::string& set = kSet) {
    VerbArguments args = {set, "--out", out_.string()};
    args.insert(args.end(), more.begin(), more.end());
    return run(verb_place, args);
  }

  test::TemporaryFolder folder_;
  std::filesystem::path out_ = folder_ / "placed.json";
};

}  // namespace saccade::app::testing
