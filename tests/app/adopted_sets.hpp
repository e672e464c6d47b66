// Profile sets of the graphs in tests/vision/model/models, drafted by `saccade adopt` in a folder of their
// own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "app/verbs/verbs.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::testing {

struct Output {
  int code = 0;
  std::string out;
  std::string err;
};

inline Output run_verb(const VerbArguments& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_program(args, out, err);
  return {code, out.str(), err.str()};
}

class AdoptedSets {
 public:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name.c_str()).string(); }

  // Copies a graph into the folder, where it has another name if one is given.
  std::string add(const std::string& graph, const std::string& name = {}) const {
    const std::filesystem::path file = path((name.empty() ? graph : name) + ".onnx");
    std::filesystem::create_directories(file.parent_path());
    const auto models = std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/vision/model/models";
    std::filesystem::copy_file(models / (graph + ".onnx"), file,
                               std::filesystem::copy_options::overwrite_existing);
    return file.string();
  }

  // A file with so many names.
  [[nodiscard]] std::string labels(std::size_t count) const {
    const std::string file = path("labels-" + std::to_string(count) + ".txt");
    std::ofstream out(file);
    for (std::size_t i = 0; i < count; ++i) out << "thing " << i << '\n';
    return file;
  }

  // The set of one graph; 0 labels: those of its metadata, if it has some.
  [[nodiscard]] nlohmann::json adopt(const std::string& graph, std::size_t label_count) const {
    const std::string set = path(graph + ".json");
    VerbArguments args = {"adopt", add(graph), "--out", set, "--force"};
    if (label_count > 0) args.insert(args.end(), {"--labels", labels(label_count)});
    const Output done = run_verb(args);
    EXPECT_LE(done.code, 1) << done.err;
    return nlohmann::json::parse(saccade::testing::file_text(set));
  }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace saccade::app::testing
