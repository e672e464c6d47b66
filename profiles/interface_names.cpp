// The names of interface_io.hpp's enumerations.
#include <array>
#include <cstddef>

#include "profiles/interface_io.hpp"

namespace saccade::profiles {
namespace {

template <class E, std::size_t N>
const char* name_at(E value, const std::array<const char*, N>& names) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "unknown";
}

}  // namespace

const char* to_string(NetworkTask task) { return name_at(task, std::array{"classify", "detect", "tensor"}); }
const char* to_string(TensorLayout layout) { return name_at(layout, std::array{"nchw", "nhwc"}); }
const char* to_string(ElementType type) {
  return name_at(type, std::array{"fp32", "fp16", "uint8", "int8", "int32", "int64"});
}
const char* to_string(ColorOrder color) { return name_at(color, std::array{"rgb", "bgr", "gray"}); }
const char* to_string(Resize resize) { return name_at(resize, std::array{"stretch", "letterbox", "cover"}); }
const char* to_string(Align align) { return name_at(align, std::array{"center", "top_left"}); }
const char* to_string(Filter filter) {
  return name_at(filter, std::array{"linear", "area", "nearest", "cubic"});
}
const char* to_string(Dimension dimension) {
  return name_at(dimension, std::array{"input_width", "input_height", "frame_width", "frame_height"});
}
const char* to_string(Activation activation) {
  return name_at(activation, std::array{"none", "sigmoid", "softmax"});
}
const char* to_string(BoxForm form) { return name_at(form, std::array{"cxcywh", "xyxy", "xywh", "yxyx"}); }
const char* to_string(BoxUnit unit) { return name_at(unit, std::array{"input_pixels", "fraction"}); }
const char* to_string(YoloLayout layout) {
  return name_at(layout, std::array{"auto", "anchors_last", "anchors_first", "objectness", "end_to_end",
                                    "yolox", "gfl"});
}
const char* to_string(Background background) {
  return name_at(background, std::array{"none", "first", "last"});
}

const char* type_name(const Decoder& decoder) {
  static constexpr std::array kNames = {"classify", "yolo", "ssd", "detr", "tensor"};
  return kNames[decoder.index()];
}

}  // namespace saccade::profiles
