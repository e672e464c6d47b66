// The facts known before the guess: the picture's input, Ultralytics' exporter metadata, the labels; and the
// draft that the steps of the guess fill in. Used only by interface_guess.cpp, guess_input.cpp,
// guess_output.cpp and graph_check.cpp. Threads: plain values. Errors: none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vision/model/interface_guess.hpp"

namespace saccade::vision {

// A dimension as a number, if it is one.
[[nodiscard]] std::optional<std::int64_t> number_of(const OnnxDimension& dimension);

[[nodiscard]] std::string lower_case(std::string text);

// Of the words of side files. Plain: softmax, and a last column that means "nothing". Sigmoid: per class.
[[nodiscard]] bool is_plain_detr(const std::string& model_type);
[[nodiscard]] bool is_sigmoid_detr(const std::string& model_type);

struct PicturePort {
  const OnnxPort* port = nullptr;  // null: no input accepts a picture
  std::optional<profiles::TensorLayout> layout;
  std::optional<int> channels;
  std::optional<int> height;  // of the graph; open dimensions are absent
  std::optional<int> width;
};

// The keys of metadata_props that Ultralytics' exporter.py writes; YOLOv5 writes `stride` and `names` only.
struct UltralyticsFacts {
  bool present = false;
  std::string task;  // detect, segment, pose, obb, classify; empty: not given
  std::optional<int> height;
  std::optional<int> width;
  std::optional<int> stride;
  std::optional<int> channels;
  int key_point_columns = 0;  // of kpt_shape
  bool end_to_end = false;    // end2end or exported with nms
};

// Typical training settings of a family's networks.
enum class Habit { none, ultralytics, ultralytics_classify, yolox, nanodet, rf_detr, rt_detr, ssd, ssd_lite };

struct ModelFacts {
  const OnnxFile& file;
  std::span<const SideFile> sides = {};
  PicturePort picture = {};
  UltralyticsFacts ultralytics = {};
  std::optional<std::size_t> label_count = {};  // absent: unknown
  std::optional<int> height = {};               // of the input chosen by the guess
  std::optional<int> width = {};
  std::string model_type = {};  // from a side file; empty: not given
};

// The guess as it grows.
struct Draft {
  InterfaceGuess guess;
  Habit habit = Habit::none;
  std::optional<std::int64_t> classes;  // given by the graph; absent: unknown

  void read(const std::string& pointer, const std::string& from) {
    guess.origins.push_back({pointer, Origin::read, from});
  }
  void guessed(const std::string& pointer, const std::string& why) {
    guess.origins.push_back({pointer, Origin::guessed, why});
  }
  void assumed(const std::string& pointer, const std::string& why) {
    guess.origins.push_back({pointer, Origin::assumed, why});
  }
  void ask(const std::string& pointer, std::string what, std::string hint) {
    guess.open.push_back({pointer, std::move(what), std::move(hint)});
  }
  void conflict(const std::string& pointer, std::string what, std::string hint) {
    guess.conflicts.push_back({pointer, std::move(what), std::move(hint)});
  }
};

// Step 1: which input takes the picture.
[[nodiscard]] PicturePort find_picture(const OnnxFile& file, Draft& draft);
[[nodiscard]] UltralyticsFacts ultralytics_facts(const OnnxFile& file, Draft& draft);
// Step 2: family, task and decoder, from the outputs.
void guess_decoder(const ModelFacts& facts, Draft& draft);
// Step 3: input and constants, with the family's habits.
void guess_input(const ModelFacts& facts, Draft& draft);

}  // namespace saccade::vision
