// The reading half, whose inputs are in profiles/interface_inputs.cpp; profiles/interface_write.cpp writes.
#include "profiles/interface_io.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "profiles/interface_inputs.hpp"
#include "text/object_reader.hpp"

namespace saccade::profiles {
namespace {

using text::JsonAt;
using text::ObjectReader;
using JsonKind = text::JsonValue::Kind;

constexpr int kMostObjects = 3000;
constexpr std::size_t kMostStrides = 8;

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
    if (const auto input = reader.require("input")) read_picture_input(*input, result.input, false, report_);
    if (const auto constants = reader.find_given("constants")) read_constants(*constants, result, report_);
    if (const auto decoder = reader.require("decoder")) {
      read_decoder(*decoder, task.has_value(), result);
    }
    return result;
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

  std::optional<NetworkTask> read_task(ObjectReader& reader) {
    const auto at = reader.require("task");
    const auto index = at ? text::read_choice(*at, {"classify", "detect", "tensor"}, report_) : std::nullopt;
    return index ? std::optional(static_cast<NetworkTask>(*index)) : std::nullopt;
  }

  std::vector<std::string> names_of(const JsonAt& list) {
    std::vector<std::string> names;
    for (const JsonAt& item : text::read_list(list, report_)) {
      std::string name = read_port_name(item, report_);
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
    read_optional_choice(reader, "box", yolo.box, kBoxForms);
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
    if (at) target = read_port_name(*at, report_);
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

std::optional<std::string> read_metric(const text::JsonAt& at, text::JsonReport& report) {
  std::optional<std::string> name = text::read_id(at, report);
  if (!name) return std::nullopt;
  std::string letters;  // "mAP-50" is map50
  for (const char c : *name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) letters += static_cast<char>(std::tolower(byte));
  }
  for (const char* known : {"top1", "map", "map50"}) {
    if (letters != known || *name == known) continue;
    report.add(at, text::in_quotes(*name) + " is another spelling of a known metric",
               "did you mean `" + std::string(known) + "`?");
  }
  return name;
}

bool has_foreign_metric(const ModelInterface& interface) {
  return interface.task == NetworkTask::classify && interface.metric != ModelInterface{}.metric;
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
  if (input) read_picture_input(*input, result.input, true, report);
  if (decoder) {
    ObjectReader keys(*decoder, report);
    InterfaceReader(report).decoder_keys(keys, result, true);
  }
  return result;
}

}  // namespace saccade::profiles
