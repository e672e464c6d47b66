// Guesses of interfaces for tests: of the model files, of graphs that are drawn up here, and what they say.
// Threads: functions without state.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/vision/model/model_files.hpp"
#include "vision/model/interface_guess.hpp"

namespace saccade::vision::testing {

inline LabelList labels_of(std::size_t count) {
  LabelList list{"labels.txt", {}};
  for (std::size_t i = 0; i < count; ++i) list.names.push_back("thing " + std::to_string(i));
  return list;
}

inline InterfaceGuess guess_of(const std::string& model, std::size_t labels = 0) {
  const LabelList list = labels_of(labels);
  return guess_interface(model_file(model), {}, labels == 0 ? nullptr : &list);
}

inline std::optional<Origin> origin_of(const InterfaceGuess& guess, const std::string& pointer) {
  for (const FieldOrigin& field : guess.origins) {
    if (field.pointer == pointer) return field.origin;
  }
  return std::nullopt;
}

// The question about a place; empty: none is open.
inline std::string question(const Errors& errors, const std::string& pointer) {
  for (const Error& error : errors) {
    if (error.where == pointer) return to_string(error);
  }
  return "";
}

inline bool says_of(const Errors& errors, const std::string& pointer, const std::string& part) {
  return question(errors, pointer).find(part) != std::string::npos;
}

inline profiles::YoloDecoder yolo_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<profiles::YoloDecoder>(guess.interface.decoder)) << guess.family;
  const auto* yolo = std::get_if<profiles::YoloDecoder>(&guess.interface.decoder);
  return yolo == nullptr ? profiles::YoloDecoder{} : *yolo;
}
inline profiles::DetrDecoder detr_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<profiles::DetrDecoder>(guess.interface.decoder)) << guess.family;
  const auto* detr = std::get_if<profiles::DetrDecoder>(&guess.interface.decoder);
  return detr == nullptr ? profiles::DetrDecoder{} : *detr;
}
inline profiles::SsdDecoder ssd_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<profiles::SsdDecoder>(guess.interface.decoder)) << guess.family;
  const auto* ssd = std::get_if<profiles::SsdDecoder>(&guess.interface.decoder);
  return ssd == nullptr ? profiles::SsdDecoder{} : *ssd;
}

inline OnnxPort port(const std::string& name, OnnxShape shape, const std::string& type = "float") {
  return {.name = name, .type = type, .shape = std::move(shape), .made_by = "Conv"};
}
inline constexpr auto num = [](int number) { return OnnxDimension(std::int64_t{number}); };
inline const OnnxDimension kOpen = std::monostate{};

inline OnnxFile graph(std::vector<OnnxPort> inputs, std::vector<OnnxPort> outputs) {
  OnnxFile file;
  file.inputs = std::move(inputs);
  file.outputs = std::move(outputs);
  file.nodes = 1;
  file.operators["Conv"] = 1;
  return file;
}
inline OnnxFile yolo_graph(OnnxShape output, int size = 640) {
  return graph({port("images", {num(1), num(3), num(size), num(size)})},
               {port("output0", std::move(output))});
}

}  // namespace saccade::vision::testing
