// How a decoder finds its inputs among a network's outputs: by name, with the expected shape, and for one
// picture if the outputs are those of several. Internal to vision/decode.
// Errors: if an output is missing or differs from the expected one, there is no table. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "vision/decode/tensor.hpp"

namespace saccade::vision {

// The numbers of one picture, of any type.
class Numbers {
 public:
  using Data = std::variant<const float*, const std::int64_t*, const std::int32_t*, const std::uint8_t*>;
  Numbers() = default;
  explicit Numbers(const Data& data) : data_(data) {}

  [[nodiscard]] double operator[](std::size_t index) const {
    return std::visit([&](const auto* data) { return static_cast<double>(data[index]); }, data_);
  }
  [[nodiscard]] const float* floats() const {  // null: of another type
    const float* const* data = std::get_if<const float*>(&data_);
    return data == nullptr ? nullptr : *data;
  }

 private:
  Data data_ = static_cast<const float*>(nullptr);
};

constexpr std::int64_t kAnySize = -1;

struct OutputSpec {
  std::string name;                 // empty: the only one
  int rank = 2;                     // 2: [rows, columns], 1: [rows], 0: a number; of one picture
  std::int64_t rows = kAnySize;     // of a table
  std::int64_t columns = kAnySize;  // of a table of rank 2
  bool floats = true;               // other types are refused
};

struct Table {
  Numbers numbers;  // row after row
  const float* floats = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 1;
};

// `picture`: index into the leading dimension, which may be absent if there is only one picture.
[[nodiscard]] std::optional<Table> find_table(const OutputSpec& spec, std::span<const TensorView> outputs,
                                              std::size_t picture);

// A class as given by a graph (of any type), minus the number of the first label; -1: no label.
[[nodiscard]] int label_of(double number, int first, std::size_t labels);

}  // namespace saccade::vision
