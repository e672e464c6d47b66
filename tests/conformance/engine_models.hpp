// The models of tests/support/models for tests of engines: what they take, what they answer, and how to
// load and ask one.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engines/engine.hpp"

namespace saccade::runtime::conformance {

inline constexpr std::size_t kClasses = 5;
inline constexpr int kImages = 4;  // images whose logits are known

inline std::filesystem::path model_file(const std::string& name) {
  return std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/support/models" / name;
}

inline EngineSpec spec_of(const std::filesystem::path& model, int batch = 1) {
  EngineSpec spec;
  spec.model = model;
  spec.batch = batch;
  spec.input.width = 8;
  spec.input.height = 8;
  spec.classes = kClasses;
  spec.processor = ProcessorId("cpu");
  return spec;
}

// Images first .. first + count - 1, one after the other.
inline std::vector<float> images(int first, int count) {
  std::vector<float> numbers;
  for (int k = first; k < first + count; ++k) {
    for (int i = 0; i < 3 * 8 * 8; ++i)
      numbers.push_back(static_cast<float>((37 * i + 11 * k) % 101) / 101.0F);
  }
  return numbers;
}

inline std::vector<float> expected_logits(const std::string& model) {
  std::ifstream stream(model_file(model + ".logits.txt"));
  std::vector<float> numbers((std::istream_iterator<float>(stream)), std::istream_iterator<float>());
  EXPECT_EQ(numbers.size(), kImages * kClasses) << model;
  return numbers;
}

inline std::unique_ptr<Engine> load(const EngineBackend& backend, const EngineSpec& spec) {
  auto loaded = backend.load(spec);
  if (!loaded) {
    ADD_FAILURE() << to_string(loaded.errors());
    return nullptr;
  }
  return std::move(loaded).value();
}

// Prepares the numbers, infers, and hands the logits out.
inline Status infer(Engine& engine, const std::vector<float>& input, std::vector<float>& logits) {
  if (Status prepared = engine.prepare(input); !prepared) return prepared;
  Outputs outputs;
  Status status = engine.infer(outputs);
  const std::span<const float> found = logits_of(outputs);
  if (status.ok()) logits.assign(found.begin(), found.end());
  return status;
}
// Logits of images first .. first + batch - 1.
inline std::vector<float> infer(Engine& engine, int first) {
  std::vector<float> logits;
  const Status status = infer(engine, images(first, engine.batch()), logits);
  if (!status) ADD_FAILURE() << to_string(status.errors());
  EXPECT_EQ(logits.size(), static_cast<std::size_t>(engine.batch()) * engine.classes());
  return logits;
}

inline void expect_near(const std::vector<float>& found, const std::vector<float>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance) << "logit " << i;
}

inline std::size_t entries(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& contents)
      : path_(std::filesystem::temp_directory_path() /
              ("saccade-engine-" + std::to_string(::getpid()) + "-" + std::to_string(count()++) + ".onnx")) {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static std::atomic<int>& count() {
    static std::atomic<int> files = 0;
    return files;
  }
  std::filesystem::path path_;
};

inline std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace saccade::runtime::conformance
