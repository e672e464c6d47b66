#include "vision/model/side_file.hpp"

#include <charconv>
#include <map>
#include <utility>

#include "text/object_reader.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::vision {
namespace {

using text::JsonAt;
using JsonKind = text::JsonValue::Kind;

// 22,000 classes with their names, there and back.
constexpr text::JsonLimits kSideFileLimits{
    .mebibytes = 8, .values = 200'000, .members = 32'768, .key_bytes = 512};
constexpr std::size_t kMostLabels = 10'000;
constexpr double kByteScale = 1.0 / 255.0;

// Members that are there and not null; unknown ones are nobody's mistake.
class SideReader {
 public:
  SideReader(JsonAt root, text::JsonReport& report, SideFile& side)
      : root_(std::move(root)), report_(report), side_(side) {}

  void hugging_face_input() {
    side_.kind = "a preprocessor configuration of Hugging Face";
    take_text("image_processor_type", side_.model_type);
    take_text("feature_extractor_type", side_.model_type);
    const bool rescaled = flag("do_rescale", true);
    const double scale = rescaled ? number("rescale_factor").value_or(kByteScale) : 1.0;
    side_.scale = {scale, rescaled ? "rescale_factor" : "do_rescale"};
    if (flag("do_normalize", true)) {
      take_three("image_mean", 0.0, side_.mean);
      take_three("image_std", 1.0, side_.std);
    } else {
      side_.mean = {{0.0, 0.0, 0.0}, "do_normalize"};
      side_.std = {{1.0, 1.0, 1.0}, "do_normalize"};
    }
    if (const auto resample = member("resample")) hugging_face_filter(*resample);
    if (flag("do_resize", true)) hugging_face_size();
    if (flag("do_pad", false)) {
      refuse("do_pad", "the picture is padded to a size that depends on the batch",
             "write \"letterbox\" into /interface/input/resize if the model was exported with a fixed size");
    }
  }

  void hugging_face_labels() {
    side_.kind = "a model configuration of Hugging Face";
    take_text("model_type", side_.model_type);
    take_labels("id2label");
  }

  // `config`: the member pretrained_cfg, or the whole document.
  void timm_input(const std::string& prefix) {
    side_.kind = "a configuration of timm";
    side_.scale = {kByteScale, "timm scales to 0 … 1"};
    take_three("mean", 0.0, side_.mean, prefix);
    take_three("std", 1.0, side_.std, prefix);
    if (const auto size = member("input_size")) timm_size(*size, prefix);
    if (const auto filter = member("interpolation")) {
      named_filter(text::read_text(*filter, report_).value_or(""), *filter, prefix + "interpolation");
    }
    take_labels("label_names", prefix);
    timm_crop(prefix);
  }

  // A list of names, or names by their number.
  void take_labels(const std::string& key, const std::string& prefix = {}) {
    const auto at = member(key);
    if (!at) return;
    std::vector<std::string> names;
    if ((*at)->kind == JsonKind::object) {
      names = numbered_names(*at, key);
    } else {
      for (const JsonAt& item : text::read_list(*at, report_))
        names.push_back(text::read_text(item, report_).value_or(""));
    }
    if (names.size() > kMostLabels) {
      report_.add(*at, "there are " + std::to_string(names.size()) + " labels, more than 10,000", "");
      return;
    }
    if (!names.empty()) side_.labels = {std::move(names), prefix + key};
  }

  void take_text(const std::string& key, std::optional<SideValue<std::string>>& target) {
    const auto at = member(key);
    if (!at) return;
    if (auto text = text::read_text(*at, report_)) target = {std::move(*text), key};
  }

 private:
  [[nodiscard]] std::optional<JsonAt> member(const std::string& key) const {
    const text::JsonValue* value = root_->find(key);
    if (value == nullptr || value->kind == JsonKind::null) return std::nullopt;
    return root_.member(key, *value);
  }

  bool flag(const std::string& key, bool otherwise) {
    const auto at = member(key);
    return at && (*at)->kind == JsonKind::boolean ? (*at)->boolean : otherwise;
  }

  std::optional<double> number(const std::string& key) {
    const auto at = member(key);
    return at ? text::read_number(*at, text::kPositive, report_) : std::nullopt;
  }

  std::vector<std::string> numbered_names(const JsonAt& table, const std::string& name) {
    std::map<int, std::string> labels;
    for (const auto& [key, at] : text::read_members(table, report_)) {
      int index = -1;
      const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (failure != std::errc{} || end != key.data() + key.size() || index < 0) {
        report_.add(at, "the label's number is " + text::in_quotes(key),
                    name + " goes from numbers to names");
        continue;
      }
      labels[index] = text::read_text(at, report_).value_or("");
    }
    std::vector<std::string> names;
    for (auto& [index, label] : labels) {
      if (index != static_cast<int>(names.size())) {
        report_.add(table, "label " + std::to_string(names.size()) + " is missing", "");
        return {};
      }
      names.push_back(std::move(label));
    }
    return names;
  }

  void refuse(const std::string& key, std::string what, std::string hint) {
    const auto at = member(key);
    side_.not_taken.push_back({at ? report_.where(*at) : report_.file(), std::move(what), std::move(hint)});
  }

  // Three numbers, or one for all channels; `least`: of a deviation, above 0.
  void take_three(const std::string& key, double least,
                  std::optional<SideValue<std::array<double, 3>>>& target, const std::string& prefix = {}) {
    const auto at = member(key);
    if (!at) return;
    const text::NumberRule rule = least > 0 ? text::kPositive : text::NumberRule{};
    std::array<double, 3> numbers{};
    if ((*at)->kind == JsonKind::number) {
      numbers.fill(text::read_number(*at, rule, report_).value_or(least));
    } else {
      const std::vector<JsonAt> items = text::read_list(*at, report_);
      if (items.size() != 3 && items.size() != 1) {
        report_.add(*at, "has " + std::to_string(items.size()) + " numbers instead of one per channel", "");
        return;
      }
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = text::read_number(items[items.size() == 1 ? 0 : i], rule, report_).value_or(least);
      }
    }
    target = {numbers, prefix + key};
  }

  std::optional<int> side(const JsonAt& at) {
    return text::read_integer(at, 1, profiles::kMostInputSide, report_);
  }

  // {"height": h, "width": w}, or one number for both.
  std::optional<SideFile::Size> both_sides(const JsonAt& at) {
    if (at->kind == JsonKind::number) {
      const auto length = side(at);
      return length ? std::optional(SideFile::Size{*length, *length}) : std::nullopt;
    }
    const text::JsonValue* height = at->find("height");
    const text::JsonValue* width = at->find("width");
    if (height == nullptr || width == nullptr) return std::nullopt;
    const auto tall = side(at.member("height", *height));
    const auto wide = side(at.member("width", *width));
    return tall && wide ? std::optional(SideFile::Size{*wide, *tall}) : std::nullopt;
  }

  void hugging_face_size() {
    const auto size = member("size");
    if (!size) return;
    const auto crop = flag("do_center_crop", false) ? member("crop_size") : std::nullopt;
    const std::optional<SideFile::Size> cropped = crop ? both_sides(*crop) : std::nullopt;
    if (const text::JsonValue* edge = (*size)->find("shortest_edge")) {
      if (!cropped) {
        refuse(
            "size", "the shortest edge is given, the size of the input depends on the picture",
            "write /interface/input/width and height as the model was exported, and /interface/input/resize");
        return;
      }
      side_.size = {*cropped, "crop_size"};
      side_.resize = {profiles::Resize::cover, "size.shortest_edge, do_center_crop"};
      if (edge->kind == JsonKind::number && edge->number != cropped->width) {
        refuse("size",
               "the picture is made " + text::to_text(edge->number) +
                   " pixels at its shortest edge and cut to " + std::to_string(cropped->width),
               "\"cover\" cuts less: its shortest edge is the input's; the accuracy may differ a little");
      }
      return;
    }
    const std::optional<SideFile::Size> whole = both_sides(*size);
    if (!whole) {
      refuse("size", "the size is given in a way that the interface does not have",
             "write /interface/input/width, height and resize");
      return;
    }
    side_.size = {cropped ? *cropped : *whole, cropped ? "crop_size" : "size"};
    if (cropped && *cropped != *whole) {
      refuse("crop_size", "the picture is stretched to one size and cut to a smaller one",
             "\"stretch\" takes the whole picture; the accuracy may differ a little");
    }
    side_.resize = {profiles::Resize::stretch, "size"};
  }

  // PIL's numbers.
  void hugging_face_filter(const JsonAt& at) {
    static const std::vector<std::string> names = {"nearest", "lanczos", "bilinear",
                                                   "bicubic", "box",     "hamming"};
    const auto index = text::read_integer(at, 0, static_cast<int>(names.size()) - 1, report_);
    if (index) named_filter(names[static_cast<std::size_t>(*index)], at, "resample");
  }

  void named_filter(const std::string& name, const JsonAt& at, const std::string& key) {
    using profiles::Filter;
    static const std::map<std::string, Filter> filters = {{"nearest", Filter::nearest},
                                                          {"bilinear", Filter::linear},
                                                          {"bicubic", Filter::cubic},
                                                          {"box", Filter::area}};
    const auto found = filters.find(name);
    if (found != filters.end()) {
      side_.filter = {found->second, key};
      return;
    }
    side_.not_taken.push_back({report_.where(at),
                               "the filter " + text::in_quotes(name) + " is not known here",
                               "write /interface/input/filter: linear, area, nearest or cubic"});
  }

  // [channels, height, width]
  void timm_size(const JsonAt& at, const std::string& prefix) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.size() != 3) {
      report_.add(
          at, "has " + std::to_string(items.size()) + " numbers instead of channels, height and width", "");
      return;
    }
    const auto height = side(items[1]);
    const auto width = side(items[2]);
    if (height && width) side_.size = {{*width, *height}, prefix + "input_size"};
  }

  void timm_crop(const std::string& prefix) {
    const auto mode = member("crop_mode");
    const std::string name = mode ? text::read_text(*mode, report_).value_or("") : "center";
    if (name == "squash") {
      side_.resize = {profiles::Resize::stretch, prefix + "crop_mode"};
    } else if (name == "border") {
      side_.resize = {profiles::Resize::letterbox, prefix + "crop_mode"};
    } else {
      side_.resize = {profiles::Resize::cover, prefix + "crop_mode"};
    }
    const double share = number("crop_pct").value_or(1.0);
    if (share != 1.0) {
      refuse("crop_pct",
             "only the middle " + text::to_text(share) + " of the picture's shorter side was used",
             "the interface takes the whole side; the accuracy may differ a little");
    }
  }

  JsonAt root_;
  text::JsonReport& report_;
  SideFile& side_;
};

bool has_any(const text::JsonValue& value, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (value.find(key) != nullptr) return true;
  }
  return false;
}

}  // namespace

Result<SideFile> parse_side_file(std::string_view text, const std::string& name) {
  text::JsonReport report(name);
  const std::optional<text::JsonValue> document = text::parse_json(text, report, kSideFileLimits);
  if (!document) return report.errors();
  SideFile side;
  side.file = name;
  SideReader reader({&*document, ""}, report, side);
  const text::JsonValue* nested = document->find("pretrained_cfg");
  if (nested != nullptr && nested->kind == JsonKind::object) {
    SideReader inner(JsonAt{&*document, ""}.member("pretrained_cfg", *nested), report, side);
    inner.timm_input("pretrained_cfg.");
    reader.take_labels("label_names");  // where timm writes them; it prefers them as well
    reader.take_text("architecture", side.model_type);
  } else if (has_any(*document, {"image_mean", "do_normalize", "rescale_factor", "do_rescale",
                                 "image_processor_type", "feature_extractor_type"})) {
    reader.hugging_face_input();
  } else if (has_any(*document, {"id2label", "model_type"})) {
    reader.hugging_face_labels();
  } else if (has_any(*document, {"input_size", "crop_pct"})) {
    reader.timm_input("");
    reader.take_text("architecture", side.model_type);
  } else {
    report.add_file(
        "this is none of the files that are known to lie beside a model",
        "known are preprocessor_config.json and config.json of Hugging Face, and timm's config.json");
  }
  if (!report.empty()) return report.errors();
  return side;
}

Result<SideFile> read_side_file(const std::filesystem::path& path) {
  const Result<std::string> content = text::read_text_file(path, kSideFileLimits.mebibytes);
  if (!content) return content.errors();
  return parse_side_file(content.value(), path.string());
}

}  // namespace saccade::vision
