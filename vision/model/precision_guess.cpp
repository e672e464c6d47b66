#include "vision/model/precision_guess.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace saccade::vision {
namespace {

using profiles::Precision;

// Operators of quantised networks, whatever their domain.
bool is_quantised(const std::string& kind) {
  const std::string name = kind.substr(kind.rfind('.') + 1);
  static constexpr std::array kNames = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
                                        "ConvInteger", "MatMulInteger"};
  return name.starts_with("QLinear") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string lower_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

PrecisionGuess by_name(const std::string& path) {
  const std::string name = lower_name(path);
  static constexpr std::array<std::pair<const char*, Precision>, 9> kWords = {{{"int8", Precision::int8},
                                                                               {"tf32", Precision::tf32},
                                                                               {"uint8", Precision::int8},
                                                                               {"quant", Precision::int8},
                                                                               {"qdq", Precision::int8},
                                                                               {"bf16", Precision::bf16},
                                                                               {"fp16", Precision::fp16},
                                                                               {"float16", Precision::fp16},
                                                                               {"half", Precision::fp16}}};
  for (const auto& [word, precision] : kWords) {
    if (name.find(word) != std::string::npos)
      return {precision, Origin::guessed, "the file's name has `" + std::string(word) + "`"};
  }
  return {Precision::fp32, Origin::assumed, "neither weights nor name say it"};
}

}  // namespace

PrecisionGuess guess_precision(const OnnxFile& graph, const std::string& name) {
  for (const auto& [kind, count] : graph.operators) {
    if (is_quantised(kind)) return {Precision::int8, Origin::read, "the graph has " + kind};
  }
  static constexpr std::array<std::pair<const char*, Precision>, 3> kTypes = {
      {{"float", Precision::fp32}, {"float16", Precision::fp16}, {"bfloat16", Precision::bf16}}};
  std::uint64_t most = 0;
  PrecisionGuess guess;
  for (const auto& [type, precision] : kTypes) {
    const auto numbers = graph.weights.find(type);
    if (numbers == graph.weights.end() || numbers->second <= most) continue;
    most = numbers->second;
    guess = {precision, Origin::read, std::string("most weights are ") + type};
  }
  // Some constants are in every graph; they are no weights.
  constexpr std::uint64_t kFewWeights = 64;
  return most > kFewWeights ? guess : by_name(name);
}

}  // namespace saccade::vision
