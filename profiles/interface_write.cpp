// The writing half of interface_io.hpp.
#include <algorithm>
#include <utility>

#include "profiles/interface_io.hpp"
#include "text/json_text.hpp"

namespace saccade::profiles {
namespace {

using text::JsonValue;

JsonValue json_of(double number) {
  JsonValue value;
  value.kind = JsonValue::Kind::number;
  value.number = number;
  return value;
}
JsonValue json_of(const std::string& text) {
  JsonValue value;
  value.kind = JsonValue::Kind::string;
  value.string = text;
  return value;
}
JsonValue json_of(const char* text) { return json_of(std::string(text)); }
JsonValue json_of_flag(bool flag) {
  JsonValue value;
  value.kind = JsonValue::Kind::boolean;
  value.boolean = flag;
  return value;
}

template <class List>
JsonValue list_of(const List& items) {
  JsonValue value;
  value.kind = JsonValue::Kind::array;
  for (const auto& item : items) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(item)>>) {
      value.items.push_back(json_of(static_cast<double>(item)));
    } else {
      value.items.push_back(json_of(item));
    }
  }
  return value;
}

class JsonObject {
 public:
  JsonObject() { value_.kind = JsonValue::Kind::object; }
  JsonObject& add(const char* key, JsonValue value) {
    value_.members.push_back({key, std::move(value)});
    return *this;
  }
  JsonObject& add_name(const char* key, const std::string& name) {
    return name.empty() ? *this : add(key, json_of(name));
  }
  JsonValue take() { return std::move(value_); }

 private:
  JsonValue value_;
};

// Of a gray input one number, when the others say nothing.
template <class T>
JsonValue per_channel_list(const std::array<T, 3>& numbers, const std::array<T, 3>& usual, bool gray) {
  if (gray && numbers[1] == usual[1] && numbers[2] == usual[2]) return list_of(std::array{numbers[0]});
  return list_of(numbers);
}

JsonValue input_document(const PictureInput& input) {
  const bool gray = input.color == ColorOrder::gray;
  const PictureInput usual;
  JsonObject object;
  object.add_name("name", input.name);
  if (input.layout) object.add("layout", json_of(to_string(*input.layout)));
  if (input.type) object.add("type", json_of(to_string(*input.type)));
  object.add("width", json_of(input.width)).add("height", json_of(input.height));
  object.add("color", json_of(to_string(input.color))).add("scale", json_of(input.scale));
  object.add("mean", per_channel_list(input.mean, usual.mean, gray));
  object.add("std", per_channel_list(input.std, usual.std, gray));
  object.add("resize", json_of(to_string(input.resize)));
  object.add("align", json_of(to_string(input.align)));
  object.add("pad", per_channel_list(input.pad, usual.pad, gray));
  object.add("filter", json_of(to_string(input.filter)));
  return object.take();
}

JsonValue constant_document(const ConstantInput& constant) {
  JsonValue values;
  values.kind = JsonValue::Kind::array;
  for (const auto& value : constant.value) {
    const auto* dimension = std::get_if<Dimension>(&value);
    values.items.push_back(dimension != nullptr ? json_of(to_string(*dimension))
                                                : json_of(std::get<double>(value)));
  }
  JsonObject object;
  object.add("name", json_of(constant.name)).add("type", json_of(to_string(constant.type)));
  return object.add("value", std::move(values)).take();
}

void add_keys(const ClassifyDecoder& classify, JsonObject& object) {
  if (!classify.output.empty()) object.add("outputs", list_of(std::array{classify.output}));
  object.add("activation", json_of(to_string(classify.activation)));
}

void add_keys(const YoloDecoder& yolo, JsonObject& object) {
  if (!yolo.output.empty()) object.add("outputs", list_of(std::array{yolo.output}));
  object.add("layout", json_of(to_string(yolo.layout)));
  if (yolo.box) object.add("box", json_of(to_string(*yolo.box)));
  object.add("unit", json_of(to_string(yolo.unit)));
  const bool automatic = yolo.layout == YoloLayout::automatic;
  const bool gfl = yolo.layout == YoloLayout::gfl;
  if (automatic || gfl || yolo.layout == YoloLayout::yolox) object.add("strides", list_of(yolo.strides));
  if (automatic || gfl) object.add("bins", json_of(yolo.bins));
  if (yolo.extra != 0) object.add("extra", json_of(yolo.extra));
}

void add_keys(const SsdDecoder& ssd, JsonObject& object) {
  JsonObject roles;
  roles.add_name("boxes", ssd.boxes).add_name("scores", ssd.scores);
  roles.add_name("classes", ssd.classes).add_name("count", ssd.count);
  object.add("outputs", roles.take());
  object.add("box", json_of(to_string(ssd.box))).add("unit", json_of(to_string(ssd.unit)));
  object.add("class_offset", json_of(ssd.class_offset));
}

void add_keys(const DetrDecoder& detr, JsonObject& object) {
  JsonObject roles;
  roles.add_name("boxes", detr.boxes).add_name("logits", detr.logits);
  roles.add_name("labels", detr.labels).add_name("scores", detr.scores);
  object.add("outputs", roles.take());
  object.add("activation", json_of(to_string(detr.activation)));
  object.add("background", json_of(to_string(detr.background)));
  object.add("box", json_of(to_string(detr.box))).add("unit", json_of(to_string(detr.unit)));
}

void add_keys(const TensorDecoder& tensor, JsonObject& object) {
  if (!tensor.outputs.empty()) object.add("outputs", list_of(tensor.outputs));
}

void add_selection(const Selection& selection, JsonObject& object) {
  object.add("score_threshold", json_of(selection.score_threshold));
  object.add("iou_threshold", selection.iou_threshold ? json_of(*selection.iou_threshold) : JsonValue{});
  object.add("max_objects", json_of(selection.max_objects));
  object.add("agnostic", json_of_flag(selection.agnostic));
  object.add("merge_regions", json_of_flag(selection.merge_regions));
}

// Members of `own` that `base` does not have or has otherwise.
JsonValue difference(const JsonValue& own, const JsonValue& base) {
  JsonValue result;
  result.kind = JsonValue::Kind::object;
  for (const auto& member : own.members) {
    const JsonValue* other = base.find(member.key);
    if (other == nullptr || text::write_json(member.value) != text::write_json(*other))
      result.members.push_back(member);
  }
  return result;
}

}  // namespace

InterfaceOverrides overrides_of(const ModelInterface& own, const ModelInterface& base) {
  const JsonValue own_document = to_document(own);
  const JsonValue base_document = to_document(base);
  InterfaceOverrides overrides;
  overrides.input = difference(*own_document.find("input"), *base_document.find("input"));
  const JsonValue& decoder = *own_document.find("decoder");
  overrides.decoder = difference(decoder, *base_document.find("decoder"));
  // A layout brings strides of its own, so they stand beside it.
  if (overrides.decoder.find("layout") != nullptr && overrides.decoder.find("strides") == nullptr) {
    if (const JsonValue* strides = decoder.find("strides"))
      overrides.decoder.members.push_back({"strides", *strides});
  }
  // Two keys are left out where they say nothing, which is not what the set's say.
  const JsonValue& usual = *base_document.find("decoder");
  const auto dropped = [&](const char* key) {
    return decoder.find(key) == nullptr && usual.find(key) != nullptr;
  };
  if (std::holds_alternative<TensorDecoder>(own.decoder) && dropped("outputs"))
    overrides.decoder.members.push_back({"outputs", list_of(std::vector<std::string>{})});
  if (dropped("extra")) overrides.decoder.members.push_back({"extra", json_of(0.0)});
  return overrides;
}

text::JsonValue to_document(const ModelInterface& interface) {
  JsonObject object;
  object.add("task", json_of(to_string(interface.task))).add_name("metric", interface.metric);
  object.add("input", input_document(interface.input));
  if (!interface.constants.empty()) {
    JsonValue constants;
    constants.kind = JsonValue::Kind::array;
    for (const ConstantInput& constant : interface.constants)
      constants.items.push_back(constant_document(constant));
    object.add("constants", std::move(constants));
  }
  JsonObject decoder;
  decoder.add("type", json_of(type_name(interface.decoder)));
  std::visit([&](const auto& kind) { add_keys(kind, decoder); }, interface.decoder);
  if (interface.task == NetworkTask::detect) add_selection(interface.selection, decoder);
  return object.add("decoder", decoder.take()).take();
}

std::string to_json(const ModelInterface& interface) {
  return text::write_json(to_document(interface), 1) + "\n";
}

}  // namespace saccade::profiles
