// The picture's input and the constants: what the graph and the side files say first, the family's habits for
// the rest. Source of the habits: the exporters and the training configurations of the families.
#include <algorithm>
#include <array>

#include "text/strict_json.hpp"
#include "vision/model/guess_facts.hpp"

namespace saccade::vision {
namespace {

using profiles::ElementType;
using profiles::PictureInput;
using profiles::Resize;
using profiles::TensorLayout;

constexpr double kToUnit = 1.0 / 255.0;
constexpr std::array kImageNetMean = {0.485, 0.456, 0.406};
constexpr std::array kImageNetStd = {0.229, 0.224, 0.225};

bool is_picture_type(const OnnxPort& port) {
  const auto type = element_type(port);
  return type == ElementType::fp32 || type == ElementType::fp16 || type == ElementType::uint8;
}

bool is_channel_count(const OnnxDimension& dimension) {
  const auto number = number_of(dimension);
  return number == 1 || number == 3;
}

bool takes_a_picture(const OnnxPort& port) {
  if (!is_picture_type(port) || !port.shape || port.shape->size() != 4) return false;
  const OnnxShape& shape = *port.shape;
  const bool open = !number_of(shape[1]) && !number_of(shape[3]);
  return is_channel_count(shape[1]) || is_channel_count(shape[3]) || open;
}

std::optional<int> side_of(const OnnxDimension& dimension) {
  const auto number = number_of(dimension);
  return number && *number <= profiles::kMostInputSide ? std::optional(static_cast<int>(*number))
                                                       : std::nullopt;
}

// Where the 3 is; where it could be in two places or is open, the layout is asked for.
void find_layout(PicturePort& picture, Draft& draft) {
  const OnnxShape& shape = *picture.port->shape;
  const bool first = is_channel_count(shape[1]);
  const bool last = is_channel_count(shape[3]);
  const std::string pointer = "/interface/input/layout";
  if (first != last) {
    picture.layout = first ? TensorLayout::nchw : TensorLayout::nhwc;
    draft.read(pointer, "the input's shape " + shape_text(*picture.port));
  } else {
    picture.layout = TensorLayout::nchw;
    draft.guessed(pointer, "exporters of PyTorch write nchw");
    draft.ask(pointer, "the shape " + shape_text(*picture.port) + " does not say where the channels are",
              "write \"nchw\" or \"nhwc\"");
  }
  const bool nchw = picture.layout == TensorLayout::nchw;
  picture.channels = side_of(shape[nchw ? 1 : 3]);
  picture.height = side_of(shape[nchw ? 2 : 1]);
  picture.width = side_of(shape[nchw ? 3 : 2]);
  if (number_of(shape[nchw ? 2 : 1]).value_or(1) > profiles::kMostInputSide ||
      number_of(shape[nchw ? 3 : 2]).value_or(1) > profiles::kMostInputSide) {
    draft.conflict("/interface/input",
                   "the picture of " + shape_text(*picture.port) + " has more than " +
                       std::to_string(profiles::kMostInputSide) + " pixels on a side",
                   "export a smaller network");
  }
  if (const auto batch = number_of(shape[0]); batch && *batch != 1) {
    draft.conflict("/interface/input", "the batch of " + shape_text(*picture.port) + " is fixed",
                   "export with an open batch or a batch of 1");
  }
}

// What a family's networks are trained with.
struct Preparation {
  profiles::ColorOrder color = profiles::ColorOrder::rgb;
  double scale = kToUnit;
  std::array<double, 3> mean = {0.0, 0.0, 0.0};
  std::array<double, 3> std = {1.0, 1.0, 1.0};
  Resize resize = Resize::stretch;
  profiles::Align align = profiles::Align::center;
  bool pixels_known = true;  // false: scale, mean and std differ from network to network
  const char* why = "";
};

std::optional<Preparation> preparation_of(Habit habit) {
  using profiles::Align;
  using profiles::ColorOrder;
  switch (habit) {
    case Habit::none:
      return std::nullopt;
    case Habit::ultralytics:
      return Preparation{.resize = Resize::letterbox, .why = "Ultralytics' networks are trained so"};
    case Habit::ultralytics_classify:
      return Preparation{.resize = Resize::cover, .why = "Ultralytics' classifiers are trained so"};
    case Habit::yolox:
      return Preparation{.color = ColorOrder::bgr,
                         .scale = 1.0,
                         .resize = Resize::letterbox,
                         .align = Align::top_left,
                         .why = "YOLOX is trained so"};
    case Habit::nanodet:
      return Preparation{.color = ColorOrder::bgr,
                         .scale = 1.0,
                         .mean = {103.53, 116.28, 123.675},
                         .std = {57.375, 57.12, 58.395},
                         .why = "NanoDet-Plus is trained so"};
    case Habit::rf_detr:
      return Preparation{.mean = kImageNetMean, .std = kImageNetStd, .why = "RF-DETR is trained so"};
    case Habit::rt_detr:
      return Preparation{.why = "RT-DETR and D-FINE are trained so"};
    case Habit::ssd:
      return Preparation{.pixels_known = false,
                         .why = "TensorFlow's detectors take RGB and stretch the picture"};
    case Habit::ssd_lite:
      return Preparation{.mean = {0.5, 0.5, 0.5},
                         .std = {0.5, 0.5, 0.5},
                         .why = "TensorFlow Lite's SSDs take RGB from -1 to 1 and stretch the picture"};
  }
  return std::nullopt;
}

class InputGuess {
 public:
  InputGuess(const ModelFacts& facts, Draft& draft)
      : facts_(facts),
        draft_(draft),
        input_(draft.guess.interface.input),
        habit_(preparation_of(draft.habit)) {}

  void fill() {
    if (facts_.picture.port == nullptr) return;
    input_.name = facts_.picture.port->name;
    draft_.read("/interface/input/name", "the graph");
    input_.layout = facts_.picture.layout;
    input_.type = element_type(*facts_.picture.port);
    draft_.read("/interface/input/type", "the graph");
    size();
    color();
    normalisation();
    resize();
    filter();
  }

 private:
  void size() {
    side("width", input_.width, facts_.picture.width, facts_.width);
    side("height", input_.height, facts_.picture.height, facts_.height);
    check_side_file_size();
    if (!facts_.ultralytics.stride) return;
    const int stride = *facts_.ultralytics.stride;
    if (input_.width % stride == 0 && input_.height % stride == 0) return;
    draft_.conflict("/interface/input",
                    "the size " + size_text(input_.width, input_.height) +
                        " is not a multiple of the stride " + std::to_string(stride),
                    "export the network with a size that is");
  }

  void side(const std::string& key, int& target, std::optional<int> graph, std::optional<int> elsewhere) {
    const std::string pointer = "/interface/input/" + key;
    target = graph.value_or(elsewhere.value_or(0));
    if (graph) {
      draft_.read(pointer, "the input's shape " + shape_text(*facts_.picture.port));
    } else if (elsewhere) {
      draft_.read(pointer, facts_.ultralytics.height ? "the metadata's `imgsz`" : "a side file");
    } else {
      draft_.ask(pointer, "the graph takes any " + key + ": " + shape_text(*facts_.picture.port),
                 "write the one that the network is to run with, as it was trained or smaller");
    }
  }

  void check_side_file_size() {
    for (const SideFile& side : facts_.sides) {
      if (!side.size) continue;
      const SideFile::Size& other = side.size->value;
      if (other.width == input_.width && other.height == input_.height) continue;
      draft_.conflict("/interface/input",
                      "the network takes " + size_text(input_.width, input_.height) + ", " + side.file +
                          " says " + size_text(other.width, other.height),
                      "leave out the side file if it belongs to another network");
    }
    if (!facts_.ultralytics.height || !facts_.picture.height || !facts_.picture.width) return;
    if (facts_.ultralytics.height == facts_.picture.height &&
        facts_.ultralytics.width == facts_.picture.width)
      return;
    draft_.conflict("/interface/input",
                    "the network takes " + size_text(input_.width, input_.height) +
                        ", its metadata's `imgsz` says " +
                        size_text(*facts_.ultralytics.width, *facts_.ultralytics.height),
                    "the graph's size is taken; export the network again if it is wrong");
  }

  static std::string size_text(int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
  }

  void color() {
    const std::string pointer = "/interface/input/color";
    const std::optional<int> channels =
        facts_.picture.channels ? facts_.picture.channels : facts_.ultralytics.channels;
    if (channels == 1) {
      input_.color = profiles::ColorOrder::gray;
      draft_.read(pointer, "one channel");
    } else if (habit_) {
      input_.color = habit_->color;
      draft_.guessed(pointer, habit_->why);
    } else {
      draft_.guessed(pointer, "most networks take RGB");
    }
  }

  void normalisation() {
    if (input_.type == ElementType::uint8) {
      input_.scale = 1.0;
      for (const char* key : {"scale", "mean", "std"}) {
        draft_.read(std::string("/interface/input/") + key, "the input takes uint8, pixels as they are");
      }
      return;
    }
    bool assumed = false;
    const bool known = habit_ && habit_->pixels_known;
    assumed |=
        value("scale", input_.scale, &SideFile::scale, known ? std::optional(habit_->scale) : std::nullopt);
    assumed |=
        value("mean", input_.mean, &SideFile::mean, known ? std::optional(habit_->mean) : std::nullopt);
    assumed |= value("std", input_.std, &SideFile::std, known ? std::optional(habit_->std) : std::nullopt);
    if (!assumed) return;
    draft_.ask("/interface/input/scale", "no file says how the pixels are scaled; 0 … 1 is assumed",
               "give --like with the network's preprocessor_config.json, or write scale, mean and std: most "
               "classifiers of torchvision have mean [0.485, 0.456, 0.406] and std [0.229, 0.224, 0.225]");
  }

  // True when nothing says the value.
  template <class T>
  bool value(const char* key, T& target, std::optional<SideValue<T>> SideFile::*member,
             const std::optional<T>& usual) {
    const std::string pointer = std::string("/interface/input/") + key;
    for (const SideFile& side : facts_.sides) {
      const auto& found = side.*member;
      if (!found) continue;
      target = found->value;
      draft_.read(pointer, side.file + ", " + found->key);
      return false;
    }
    if (usual) {
      target = *usual;
      draft_.guessed(pointer, habit_->why);
      return false;
    }
    draft_.assumed(pointer, "nothing says it");
    return true;
  }

  void resize() {
    const bool assumed = value("resize", input_.resize, &SideFile::resize,
                               habit_ ? std::optional(habit_->resize) : std::nullopt);
    if (assumed) {
      draft_.ask("/interface/input/resize",
                 "no file says how pictures of other sides were fitted; stretch is assumed",
                 "write \"letterbox\" or \"cover\" if the network was trained so");
    }
    if (input_.resize != Resize::letterbox) return;
    if (habit_) input_.align = habit_->align;
    draft_.guessed("/interface/input/align", habit_ ? habit_->why : "most trainers centre");
    draft_.guessed("/interface/input/pad", habit_ ? habit_->why : "most trainers pad with 114");
  }

  void filter() {
    const bool assumed = value("filter", input_.filter, &SideFile::filter, std::optional<profiles::Filter>());
    if (!assumed) return;
    draft_.guess.origins.pop_back();
    draft_.guessed("/interface/input/filter", "most trainers use linear");
  }

  const ModelFacts& facts_;
  Draft& draft_;
  PictureInput& input_;
  std::optional<Preparation> habit_;
};

// Inputs that are no picture.
void guess_constants(const ModelFacts& facts, Draft& draft) {
  for (const OnnxPort& port : facts.file.inputs) {
    if (&port == facts.picture.port) continue;
    const auto type = element_type(port);
    const std::string pointer =
        "/interface/constants/" + std::to_string(draft.guess.interface.constants.size());
    const bool pair = port.shape && port.shape->size() == 2 && number_of(port.shape->back()) == 2;
    if (port.name == "orig_target_sizes" && pair &&
        (type == ElementType::int64 || type == ElementType::fp32)) {
      profiles::ConstantInput constant{.name = port.name, .type = *type, .value = {}};
      constant.value = {profiles::Dimension::input_width, profiles::Dimension::input_height};
      draft.guess.interface.constants.push_back(std::move(constant));
      draft.guessed(pointer, "RT-DETR and D-FINE take the size here that boxes are scaled to");
      continue;
    }
    draft.ask(
        "/interface/constants",
        "the input " + text::in_quotes(port.name) + ", " + port.type + " " + shape_text(port) +
            ", takes no picture; what it takes cannot be known",
        "write {\"name\": …, \"type\": …, \"value\": [numbers, or input_width, input_height, frame_width, "
        "frame_height]}");
  }
}

}  // namespace

PicturePort find_picture(const OnnxFile& file, Draft& draft) {
  static constexpr std::array kUsualNames = {"images", "image", "pixel_values", "input", "data", "x"};
  std::vector<const OnnxPort*> fitting;
  for (const OnnxPort& port : file.inputs) {
    if (takes_a_picture(port)) fitting.push_back(&port);
  }
  PicturePort picture;
  if (fitting.empty()) {
    std::string ports;
    for (const OnnxPort& port : file.inputs)
      ports += (ports.empty() ? "" : ", ") + port.type + " " + shape_text(port);
    draft.conflict(
        "/interface/input",
        "no input takes a picture, a tensor of four dimensions with 3 or 1 channels in float, float16 or "
        "uint8: the graph has " +
            ports,
        "export the network with such an input");
    return picture;
  }
  picture.port = fitting.front();
  if (fitting.size() > 1) {
    for (const OnnxPort* port : fitting) {
      if (std::find(kUsualNames.begin(), kUsualNames.end(), port->name) != kUsualNames.end()) {
        picture.port = port;
        break;
      }
    }
    draft.ask("/interface/input/name",
              std::to_string(fitting.size()) + " inputs could take the picture; " +
                  text::in_quotes(picture.port->name) + " is assumed",
              "write the name of the one that does");
  }
  find_layout(picture, draft);
  return picture;
}

void guess_input(const ModelFacts& facts, Draft& draft) {
  InputGuess(facts, draft).fill();
  guess_constants(facts, draft);
}

}  // namespace saccade::vision
