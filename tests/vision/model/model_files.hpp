// The graphs that make_models.py made, as bytes and as values.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "vision/model/onnx_file.hpp"

namespace saccade::vision::testing {

inline std::filesystem::path models_folder() {
  return std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/vision/model/models";
}

inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder())) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string model_bytes(const std::string& name) {
  std::ifstream in(models_folder() / (name + ".onnx"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Result<OnnxFile> parse_bytes(const std::string& bytes, const OnnxLimits& limits = {}) {
  std::istringstream in(bytes);
  return parse_onnx(in, bytes.size(), "model.onnx", limits);
}

inline OnnxFile model_file(const std::string& name) {
  auto file = read_onnx_file(models_folder() / (name + ".onnx"));
  EXPECT_TRUE(file.ok()) << to_string(file.errors());
  return file ? std::move(file).value() : OnnxFile{};
}

}  // namespace saccade::vision::testing
