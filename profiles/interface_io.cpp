// The reading half; profiles/interface_write.cpp writes.
#include "profiles/interface_io.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "text/object_reader.hpp"

namespace saccade::profiles {
namespace {

using text::JsonAt;
using text::ObjectReader;
using JsonKind = text::JsonValue::Kind;

constexpr int kMostObjects = 3000;
constexpr std::size_t kMostStrides = 8;
constexpr std::size_t kMostConstants = 16;
constexpr std::size_t kMostConstantValues = 64;

class InterfaceReader {
 public:
  explicit InterfaceReader(text::JsonReport& report) : report_(report) {}

  ModelInterface read(const JsonAt& at) {
    ModelInterface result;
    ObjectReader reader(at, report_);
    const std::optional<NetworkTask> task = read_task(reader);
    result.task = task.value_or(NetworkTask::classify);
    if (task) metric(reader, result);
    if (!task) reader.accept("metric");  // which there are depends on the task
    if (const auto input = reader.require("input")) read_input(*input, result.input, false);
    if (const auto constants = reader.find_given("constants")) read_constants(*constants, result);
    if (const auto decoder = reader.require("decoder")) {
      read_decoder(*decoder, task.has_value(), result);
    }
    return result;
  }

  void read_input(const JsonAt& at, PictureInput& input, bool overrides) {
    ObjectReader reader(at, report_);
    name(reader, "name", input.name);
    optional_choice(reader, "layout", input.layout, {TensorLayout::nchw, TensorLayout::nhwc});
    optional_choice(reader, "type", input.type, {ElementType::fp32, ElementType::fp16, ElementType::uint8});
    for (const auto& [key, target] : {std::pair{"width", &input.width}, {"height", &input.height}}) {
      const auto side = overrides ? reader.find(key) : reader.require(key);
      if (side) *target = text::read_integer(*side, 1, kMostInputSide, report_).value_or(0);
    }
    if (!overrides) {
      reader.choice("color", input.color, {ColorOrder::rgb, ColorOrder::bgr, ColorOrder::gray});
      reader.choice("resize", input.resize, {Resize::stretch, Resize::letterbox, Resize::cover});
      reader.choice("align", input.align, {Align::center, Align::top_left});
      reader.choice("filter", input.filter, {Filter::linear, Filter::area, Filter::nearest, Filter::cubic});
      read_pad(reader, input);
    }
    normalisation(reader, input);
  }

  void read_decoder(const JsonAt& at, bool has_task, ModelInterface& result) {
    ObjectReader reader(at, report_);
    const auto type = reader.require("type");
    const std::vector<std::string> names = {"classify", "yolo", "ssd", "detr", "tensor"};
    const auto index = type ? text::read_choice(*type, names, report_) : std::nullopt;
    if (!index) {
      reader.accept_all();  // which keys it has is not known
      return;
    }
    static const Decoder kinds[] = {ClassifyDecoder{}, YoloDecoder{}, SsdDecoder{}, DetrDecoder{},
                                    TensorDecoder{}};
    result.decoder = kinds[*index];
    const NetworkTask fitting = *index == 0   ? NetworkTask::classify
                                : *index == 4 ? NetworkTask::tensor
                                              : NetworkTask::detect;
    if (has_task && fitting != result.task) {
      report_.add(*type,
                  "the decoder " + text::in_quotes(names[*index]) + " is one of the task " +
                      to_string(fitting) + ", but the task is " + to_string(result.task),
                  result.task == NetworkTask::detect
                      ? "a detector has the decoder yolo, ssd or detr"
                      : std::string("write the decoder ") + to_string(result.task));
    }
    decoder_keys(reader, result, false);
    if (fitting == NetworkTask::detect) selection(reader, result);
  }

  // `overrides`: names and layout alone.
  void decoder_keys(ObjectReader& reader, ModelInterface& result, bool overrides) {
    if (auto* classify = std::get_if<ClassifyDecoder>(&result.decoder)) {
      only_output(reader, classify->output);
      if (!overrides) reader.choice("activation", classify->activation, kActivations);
    } else if (auto* yolo = std::get_if<YoloDecoder>(&result.decoder)) {
      read_yolo(reader, *yolo, overrides);
    } else if (auto* ssd = std::get_if<SsdDecoder>(&result.decoder)) {
      read_ssd(reader, *ssd, overrides);
    } else if (auto* detr = std::get_if<DetrDecoder>(&result.decoder)) {
      read_detr(reader, *detr, overrides);
    } else if (auto* tensor = std::get_if<TensorDecoder>(&result.decoder)) {
      if (const auto list = reader.find("outputs")) tensor->outputs = names_of(*list);
    }
  }

 private:
  static constexpr std::initializer_list<Activation> kActivations = {Activation::none, Activation::sigmoid,
                                                                     Activation::softmax};
  static constexpr std::initializer_list<BoxForm> kBoxForms = {BoxForm::cxcywh, BoxForm::xyxy, BoxForm::xywh,
                                                               BoxForm::yxyx};
  static constexpr std::initializer_list<BoxUnit> kBoxUnits = {BoxUnit::input_pixels, BoxUnit::fraction};

  template <class E>
  void optional_choice(ObjectReader& reader, const std::string& key, std::optional<E>& target,
                       std::initializer_list<E> values) {
    if (!reader.find_given(key)) return;
    E value = *values.begin();
    reader.choice(key, value, values);
    target = value;
  }

  std::optional<NetworkTask> read_task(ObjectReader& reader) {
    const auto at = reader.require("task");
    const auto index = at ? text::read_choice(*at, {"classify", "detect", "tensor"}, report_) : std::nullopt;
    return index ? std::optional(static_cast<NetworkTask>(*index)) : std::nullopt;
  }

  // A port's name: as the graph has it, never empty.
  std::string name_at(const JsonAt& at) {
    std::string name = text::read_text(at, report_).value_or("");
    if (name.empty() && at->kind == JsonKind::string && at->string.empty()) {
      report_.add(at, "the name is empty",
                  "write the name that `saccade inspect` shows, or leave the key out");
    }
    return name;
  }
  void name(ObjectReader& reader, const std::string& key, std::string& target) {
    if (const auto at = reader.find(key)) target = name_at(*at);
  }

  std::vector<std::string> names_of(const JsonAt& list) {
    std::vector<std::string> names;
    for (const JsonAt& item : text::read_list(list, report_)) {
      std::string name = name_at(item);
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        report_.add(item, "the output " + text::in_quotes(name) + " is named twice", "remove one of the two");
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  void only_output(ObjectReader& reader, std::string& target) {
    const auto list = reader.find("outputs");
    if (!list) return;
    const std::vector<std::string> names = names_of(*list);
    if ((*list)->kind == JsonKind::array && names.size() != 1) {
      report_.add(*list, "must name one output, but names " + std::to_string(names.size()),
                  "leave the key out when the graph has only one");
    }
    if (!names.empty()) target = names.front();
  }

  void metric(ObjectReader& reader, ModelInterface& result) {
    result.metric = result.task == NetworkTask::classify ? "top1"
                    : result.task == NetworkTask::detect ? "map"
                                                         : "";
    const auto at = reader.find("metric");
    if (!at) return;
    if (result.task == NetworkTask::tensor) {
      result.metric = text::read_text(*at, report_).value_or("");
      return;
    }
    const std::vector<std::string> names = result.task == NetworkTask::classify
                                               ? std::vector<std::string>{"top1"}
                                               : std::vector<std::string>{"map", "map50"};
    if (const auto index = text::read_choice(*at, names, report_)) result.metric = names[*index];
  }

  // One number per channel: three, or one of a gray input.
  template <class T, class Read>
  void per_channel(ObjectReader& reader, const std::string& key, const PictureInput& input,
                   std::array<T, 3>& target, T usual, Read read) {
    const auto list = reader.find(key);
    if (!list) return;
    const std::vector<JsonAt> items = text::read_list(*list, report_);
    if ((*list)->kind != JsonKind::array) return;
    const bool gray = input.color == ColorOrder::gray;
    if (items.size() != 3 && !(gray && items.size() == 1)) {
      report_.add(*list, "has " + std::to_string(items.size()) + " numbers instead of " + (gray ? "1" : "3"),
                  gray ? "" : "one per channel, in the order of `color`");
      return;
    }
    if (items.size() == 1) target.fill(usual);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (const auto value = read(items[i])) target[i] = static_cast<T>(*value);
    }
  }

  void read_pad(ObjectReader& reader, PictureInput& input) {
    constexpr int kWhite = 255;
    per_channel(reader, "pad", input, input.pad, PictureInput{}.pad[0],
                [&](const JsonAt& at) { return text::read_integer(at, 0, kWhite, report_); });
  }

  void normalisation(ObjectReader& reader, PictureInput& input) {
    const bool bytes = input.type == ElementType::uint8;
    if (bytes) input.scale = 1.0;
    reader.number("scale", input.scale, text::kPositive);
    per_channel(reader, "mean", input, input.mean, 0.0,
                [&](const JsonAt& at) { return text::read_number(at, {}, report_); });
    per_channel(reader, "std", input, input.std, 1.0,
                [&](const JsonAt& at) { return text::read_number(at, text::kPositive, report_); });
    const bool plain =
        input.scale == 1.0 && input.mean == PictureInput{}.mean && input.std == PictureInput{}.std;
    if (!bytes || plain) return;
    report_.add(reader.at(),
                "a uint8 input takes pixels as they are: scale 1, mean 0, std 1, but scale is " +
                    text::to_text(input.scale) + ", mean " + text::to_text(input.mean[0]) + ", std " +
                    text::to_text(input.std[0]),
                "leave out scale, mean and std, or write the type fp32");
  }

  void read_constants(const JsonAt& at, ModelInterface& result) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.size() > kMostConstants) {
      report_.add(
          at, "has " + std::to_string(items.size()) + " inputs, more than " + std::to_string(kMostConstants),
          "");
      return;
    }
    std::set<std::string> names;
    if (!result.input.name.empty()) names.insert(result.input.name);
    for (const JsonAt& item : items) {
      ConstantInput constant;
      ObjectReader reader(item, report_);
      if (const auto given = reader.require("name")) {
        constant.name = name_at(*given);
        if (!constant.name.empty() && !names.insert(constant.name).second) {
          report_.add(*given, "the input " + text::in_quotes(constant.name) + " is given twice",
                      "each input of the graph is the picture or one constant");
        }
      }
      reader.choice("type", constant.type, {ElementType::fp32, ElementType::int32, ElementType::int64});
      if (const auto value = reader.require("value")) constant.value = constant_value(*value, constant.type);
      result.constants.push_back(std::move(constant));
    }
  }

  std::vector<std::variant<double, Dimension>> constant_value(const JsonAt& at, ElementType type) {
    static const std::vector<std::string> names = {"input_width", "input_height", "frame_width",
                                                   "frame_height"};
    std::vector<std::variant<double, Dimension>> values;
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (at->kind == JsonKind::array && (items.empty() || items.size() > kMostConstantValues)) {
      report_.add(at,
                  "has " + std::to_string(items.size()) + " values instead of 1 to " +
                      std::to_string(kMostConstantValues),
                  "");
      return values;
    }
    for (const JsonAt& item : items) {
      if (item->kind == JsonKind::string) {
        if (const auto index = text::read_choice(item, names, report_))
          values.emplace_back(static_cast<Dimension>(*index));
      } else if (const auto number = text::read_number(item, {}, report_)) {
        const double most =
            type == ElementType::int32 ? std::numeric_limits<int>::max() : 9007199254740992.0;  // 2^53
        if (type != ElementType::fp32 && (*number != std::floor(*number) || std::abs(*number) > most)) {
          report_.add(item,
                      "must be a whole number that fits " + std::string(to_string(type)) + ", but is " +
                          text::to_text(*number),
                      "");
        }
        values.emplace_back(*number);
      }
    }
    return values;
  }

  void read_yolo(ObjectReader& reader, YoloDecoder& yolo, bool overrides) {
    only_output(reader, yolo.output);
    const YoloLayout before = yolo.layout;
    reader.choice("layout", yolo.layout,
                  {YoloLayout::automatic, YoloLayout::anchors_last, YoloLayout::anchors_first,
                   YoloLayout::objectness, YoloLayout::end_to_end, YoloLayout::yolox, YoloLayout::gfl});
    if (!overrides || yolo.layout != before) {
      yolo.strides = yolo.layout == YoloLayout::gfl ? std::vector{8, 16, 32, 64} : YoloDecoder{}.strides;
    }
    constexpr int kMostStride = 1024;
    constexpr int kMostBins = 64;
    constexpr int kMostExtra = 4096;
    if (const auto list = reader.find("strides")) {
      std::vector<int> strides;
      const std::vector<JsonAt> items = text::read_list(*list, report_);
      for (const JsonAt& item : items)
        strides.push_back(text::read_integer(item, 1, kMostStride, report_).value_or(1));
      if ((*list)->kind == JsonKind::array && (items.empty() || items.size() > kMostStrides)) {
        report_.add(*list,
                    "has " + std::to_string(items.size()) + " strides instead of 1 to " +
                        std::to_string(kMostStrides),
                    "for example [8, 16, 32]");
      }
      of_layouts(*list, yolo.layout, {YoloLayout::automatic, YoloLayout::yolox, YoloLayout::gfl});
      yolo.strides = std::move(strides);
    }
    if (const auto bins = reader.find("bins")) {
      of_layouts(*bins, yolo.layout, {YoloLayout::automatic, YoloLayout::gfl});
    }
    reader.integer("bins", yolo.bins, 2, kMostBins);
    reader.integer("extra", yolo.extra, 0, kMostExtra);
    if (overrides) return;
    optional_choice(reader, "box", yolo.box, kBoxForms);
    reader.choice("unit", yolo.unit, kBoxUnits);
  }

  void of_layouts(const JsonAt& at, YoloLayout layout, std::initializer_list<YoloLayout> those) {
    if (std::find(those.begin(), those.end(), layout) != those.end()) return;
    std::string names;
    for (const YoloLayout one : those) names += (names.empty() ? "" : ", ") + std::string(to_string(one));
    report_.add(at, "belongs to the layouts " + names + ", but the layout is " + to_string(layout),
                "remove the key");
  }

  // The graph's names by role.
  void role(ObjectReader& roles, const std::string& key, std::string& target, bool needed) {
    const auto at = needed ? roles.require(key) : roles.find_given(key);
    if (at) target = name_at(*at);
  }

  void read_ssd(ObjectReader& reader, SsdDecoder& ssd, bool overrides) {
    if (const auto outputs = overrides ? reader.find("outputs") : reader.require("outputs")) {
      ssd.boxes = ssd.scores = ssd.classes = ssd.count = "";
      ObjectReader roles(*outputs, report_);
      role(roles, "boxes", ssd.boxes, true);
      role(roles, "scores", ssd.scores, true);
      role(roles, "classes", ssd.classes, false);
      role(roles, "count", ssd.count, false);
      differ(*outputs, {ssd.boxes, ssd.scores, ssd.classes, ssd.count});
    }
    if (overrides) return;
    constexpr int kMostOffset = 1000;
    reader.choice("box", ssd.box, kBoxForms);
    reader.choice("unit", ssd.unit, kBoxUnits);
    reader.integer("class_offset", ssd.class_offset, 0, kMostOffset);
  }

  void read_detr(ObjectReader& reader, DetrDecoder& detr, bool overrides) {
    if (const auto outputs = overrides ? reader.find("outputs") : reader.require("outputs")) {
      detr.boxes = detr.logits = detr.labels = detr.scores = "";
      ObjectReader roles(*outputs, report_);
      role(roles, "boxes", detr.boxes, true);
      role(roles, "logits", detr.logits, false);
      role(roles, "labels", detr.labels, false);
      role(roles, "scores", detr.scores, false);
      differ(*outputs, {detr.boxes, detr.logits, detr.labels, detr.scores});
      const bool pair = !detr.labels.empty() && !detr.scores.empty();
      const bool none = detr.labels.empty() && detr.scores.empty();
      if ((*outputs)->kind == JsonKind::object && (detr.logits.empty() ? !pair : !none)) {
        report_.add(*outputs,
                    std::string("must have either logits, or labels and scores, but has ") +
                        (detr.logits.empty() ? "" : "logits ") + (detr.labels.empty() ? "" : "labels ") +
                        (detr.scores.empty() ? "" : "scores ") + "beside boxes",
                    "");
      }
    }
    if (overrides) return;
    reader.choice("activation", detr.activation, kActivations);
    reader.choice("background", detr.background, {Background::none, Background::first, Background::last});
    reader.choice("box", detr.box, kBoxForms);
    reader.choice("unit", detr.unit, kBoxUnits);
  }

  void differ(const JsonAt& at, std::initializer_list<std::string> names) {
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (name.empty() || seen.insert(name).second) continue;
      report_.add(at, "the output " + text::in_quotes(name) + " has two roles",
                  "each role has an output of its own");
    }
  }

  void selection(ObjectReader& reader, ModelInterface& result) {
    Selection& chosen = result.selection;
    const auto* yolo = std::get_if<YoloDecoder>(&result.decoder);
    if (yolo == nullptr || yolo->layout == YoloLayout::end_to_end) chosen.iou_threshold = std::nullopt;
    reader.number("score_threshold", chosen.score_threshold, {.least = 0.0, .most = 1.0});
    reader.number("iou_threshold", chosen.iou_threshold, {.least = 0.0, .above = true, .most = 1.0});
    reader.integer("max_objects", chosen.max_objects, 1, kMostObjects);
    reader.boolean("agnostic", chosen.agnostic);
    reader.boolean("merge_regions", chosen.merge_regions);
  }

  text::JsonReport& report_;
};

}  // namespace

ModelInterface read_interface(const text::JsonAt& at, text::JsonReport& report) {
  return InterfaceReader(report).read(at);
}

Result<ModelInterface> parse_interface(std::string_view text, const std::string& name) {
  text::JsonReport report(name);
  const std::optional<text::JsonValue> document = text::parse_json(text, report);
  if (!document) return report.errors();
  ModelInterface result = read_interface({&*document, ""}, report);
  if (!report.empty()) return report.errors();
  return result;
}

ModelInterface read_overrides(const ModelInterface& base, const std::optional<text::JsonAt>& input,
                              const std::optional<text::JsonAt>& decoder, text::JsonReport& report) {
  ModelInterface result = base;
  InterfaceReader reader(report);
  if (input) reader.read_input(*input, result.input, true);
  if (decoder) {
    ObjectReader keys(*decoder, report);
    reader.decoder_keys(keys, result, true);
  }
  return result;
}

}  // namespace saccade::profiles
