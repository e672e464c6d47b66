// What a decoder is made for, and its configuration errors: all are collected, each with a JSON pointer below
// /interface/decoder, what was found and what was expected. Internal to vision/decode.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "vision/decode/geometry.hpp"
#include "vision/decode/output_port.hpp"
#include "vision/decode/outputs.hpp"

namespace saccade::vision {

// "[1, 84, ?]"
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);
// "output0 [1, 84, 8400], output1"
[[nodiscard]] std::string ports_text(std::span<const OutputPort> ports);

// A known shape without the leading dimension of pictures; `rank` as in OutputSpec. Empty: unknown.
[[nodiscard]] std::vector<std::int64_t> own_shape(const OutputPort* port, int rank);
[[nodiscard]] inline bool fits(std::int64_t size, std::int64_t expected) {
  return size < 0 || expected < 0 || size == expected;
}

class Complaints {
 public:
  Complaints(std::size_t labels, PixelSize input, std::span<const OutputPort> ports)
      : labels_(labels), input_(input), ports_(ports) {}

  [[nodiscard]] std::int64_t labels() const { return static_cast<std::int64_t>(labels_); }
  [[nodiscard]] std::size_t label_count() const { return labels_; }
  [[nodiscard]] PixelSize input() const { return input_; }
  [[nodiscard]] std::span<const OutputPort> ports() const { return ports_; }
  [[nodiscard]] const OutputPort* port(const std::string& name) const;  // null: no such output

  // `key`: below /interface/decoder, "" for the decoder itself.
  void add(const std::string& key, std::string what, std::string hint = "");
  [[nodiscard]] bool none() const { return errors_.empty(); }
  [[nodiscard]] Errors take() { return std::move(errors_); }

  // The output that the interface names in `key`, or the only one; reports an output that does not exist or
  // has an unsuitable type. Null: unknown, or reported.
  const OutputPort* output(const std::string& key, OutputSpec& spec);
  // Reports a known shape other than [*] or [*, *] of the spec's sizes, with or without pictures.
  void check_shape(const std::string& key, const OutputSpec& spec);
  // Reports two known shapes that do not both have one row per box.
  void check_same_rows(const std::string& key, const OutputSpec& spec, const OutputSpec& boxes);
  // "the graph gives [1, 84, 8400]: 80 classes; labels has 12"
  void wrong_classes(const std::string& key, const OutputPort& port, std::int64_t found,
                     const std::string& hint = "");

 private:
  std::size_t labels_;
  PixelSize input_;
  std::span<const OutputPort> ports_;
  Errors errors_;
};

}  // namespace saccade::vision
