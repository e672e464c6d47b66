// Errors about several files: one that many files share is reported once, with their names.
// Threads: plain values. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::vision {

class Gathered {
 public:
  explicit Gathered(std::size_t files) : files_(files) {}

  void add(const Error& error, const std::string& file);
  // In the order of their first file; "what (a.onnx, b.onnx and 2 more)" unless it is about all of them.
  [[nodiscard]] Errors take() const;

 private:
  struct Entry {
    Error error;
    std::vector<std::string> files;
  };
  std::size_t files_;
  std::vector<Entry> entries_;
};

}  // namespace saccade::vision
