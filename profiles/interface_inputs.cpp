#include "profiles/interface_inputs.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "profiles/interface_io.hpp"

namespace saccade::profiles {
namespace {

using text::JsonAt;
using text::ObjectReader;
using JsonKind = text::JsonValue::Kind;

constexpr std::size_t kMostConstants = 16;
constexpr std::size_t kMostConstantValues = 64;

class InputReader {
 public:
  explicit InputReader(text::JsonReport& report) : report_(report) {}

  void read_input(const JsonAt& at, PictureInput& input, bool overrides) {
    ObjectReader reader(at, report_);
    if (const auto name = reader.find("name")) input.name = read_port_name(*name, report_);
    read_optional_choice(reader, "layout", input.layout, {TensorLayout::nchw, TensorLayout::nhwc});
    read_optional_choice(reader, "type", input.type,
                         {ElementType::fp32, ElementType::fp16, ElementType::uint8});
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
        constant.name = read_port_name(*given, report_);
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

 private:
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

  text::JsonReport& report_;
};

}  // namespace

std::string read_port_name(const JsonAt& at, text::JsonReport& report) {
  std::string name = text::read_text(at, report).value_or("");
  if (name.empty() && at->kind == JsonKind::string && at->string.empty()) {
    report.add(at, "the name is empty", "write the name that `saccade inspect` shows, or leave the key out");
  }
  return name;
}
void read_picture_input(const JsonAt& at, PictureInput& input, bool overrides, text::JsonReport& report) {
  InputReader(report).read_input(at, input, overrides);
}

void read_constants(const JsonAt& at, ModelInterface& result, text::JsonReport& report) {
  InputReader(report).read_constants(at, result);
}

}  // namespace saccade::profiles
