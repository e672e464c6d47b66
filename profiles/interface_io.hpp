// The member `interface` of a profile set (format saccade-profiles/2) and a variant's overrides of it, as
// JSON: reading reports every mistake at once, each with its pointer, what was found and what is expected; a
// written interface reads back as the same value. What depends on a graph (ranks, numbers of classes) is not
// checked here.
// Writing includes all keys that apply to the decoder; reading accepts any subset, with the defaults of
// profiles/interface.hpp for the rest. Four defaults depend on other keys: without `scale` a uint8 input has
// 1; without `strides` the layout gfl has 8, 16, 32, 64; without `iou_threshold` only yolo's layouts with
// overlapping candidates have one; without `metric` a classifier has top1, a detector map. Threads: functions
// without state. Errors: into the report, or a Result; nothing throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {

// The names used in JSON.
[[nodiscard]] const char* to_string(NetworkTask task);
[[nodiscard]] const char* to_string(TensorLayout layout);
[[nodiscard]] const char* to_string(ElementType type);
[[nodiscard]] const char* to_string(ColorOrder color);
[[nodiscard]] const char* to_string(Resize resize);
[[nodiscard]] const char* to_string(Align align);
[[nodiscard]] const char* to_string(Filter filter);
[[nodiscard]] const char* to_string(Dimension dimension);
[[nodiscard]] const char* to_string(Activation activation);
[[nodiscard]] const char* to_string(BoxForm form);
[[nodiscard]] const char* to_string(BoxUnit unit);
[[nodiscard]] const char* to_string(YoloLayout layout);
[[nodiscard]] const char* to_string(Background background);
// "classify", "yolo", "ssd", "detr", "tensor"
[[nodiscard]] const char* type_name(const Decoder& decoder);

// Mistakes are in the report; the value must then not be used.
[[nodiscard]] ModelInterface read_interface(const text::JsonAt& at, text::JsonReport& report);
// The metric of a set without an interface: any name, those of interfaces in their own spelling only, so that
// one metric has one name.
[[nodiscard]] std::optional<std::string> read_metric(const text::JsonAt& at, text::JsonReport& report);
// Whether it is the metric of a set without an interface, and not top1: nothing describes what the network's
// outputs mean, so the set can be planned, but neither run nor measured.
[[nodiscard]] bool has_foreign_metric(const ModelInterface& interface);
[[nodiscard]] Result<ModelInterface> parse_interface(std::string_view text, const std::string& name);

// The set's interface with a variant's `input` and `decoder`: names, size, layout, type and normalisation of
// the input, names and layout of the outputs. Nothing else may differ between the variants of a set.
[[nodiscard]] ModelInterface read_overrides(const ModelInterface& base,
                                            const std::optional<text::JsonAt>& input,
                                            const std::optional<text::JsonAt>& decoder,
                                            text::JsonReport& report);

// The inverse: the members `input` and `decoder` that turn `base` into `own`; objects, empty if nothing
// differs.
struct InterfaceOverrides {
  text::JsonValue input;
  text::JsonValue decoder;
};
[[nodiscard]] InterfaceOverrides overrides_of(const ModelInterface& own, const ModelInterface& base);

[[nodiscard]] text::JsonValue to_document(const ModelInterface& interface);
[[nodiscard]] std::string to_json(const ModelInterface& interface);  // indented by 1, a line break at the end

}  // namespace saccade::profiles
