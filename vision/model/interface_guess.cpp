#include "vision/model/interface_guess.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "text/strict_json.hpp"
#include "text/utf8.hpp"
#include "vision/model/guess_facts.hpp"
#include "vision/model/python_literal.hpp"

namespace saccade::vision {
namespace {

std::optional<int> small_number(std::int64_t number) {
  if (number < 1 || number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<int>(number);
}

bool has_one_of(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

// A value of the metadata; what str() did not write is told and passed over.
std::optional<PythonValue> literal(const OnnxFile& file, const std::string& key, Draft& draft) {
  const std::string* text = file.find_metadata(key);
  if (text == nullptr || text->empty()) return std::nullopt;
  auto value = parse_python_literal(*text);
  if (value) return std::move(value).value();
  const Error& error = value.errors().front();
  draft.ask("", "the metadata's `" + key + "` cannot be read: " + error.what + " (" + error.where + ")", "");
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers(const OnnxFile& file, const std::string& key,
                                                  Draft& draft) {
  const auto value = literal(file, key, draft);
  return value ? integers_in(*value) : std::nullopt;
}

bool is_true(const PythonValue* value) {
  return value != nullptr && value->kind == PythonValue::Kind::boolean && value->boolean;
}

struct LabelSource {
  std::string from;
  std::vector<std::string> names;
};

// The first of: the list that was given, side files, metadata.
std::vector<LabelSource> label_sources(const OnnxFile& file, std::span<const SideFile> sides,
                                       const LabelList* labels, Draft& draft) {
  std::vector<LabelSource> sources;
  if (labels != nullptr) sources.push_back({labels->from, labels->names});
  for (const SideFile& side : sides) {
    if (side.labels) sources.push_back({side.file + ", " + side.labels->key, side.labels->value});
  }
  if (const auto value = literal(file, "names", draft)) {
    if (auto names = names_in(*value)) sources.push_back({"the metadata's `names`", std::move(*names)});
  }
  return sources;
}

// ImageNet has two cranes, and the gaps in COCO's numbers are all "N/A": a set needs names that differ.
void tell_apart(Draft& draft) {
  std::vector<std::string>& names = draft.guess.labels;
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> seen;
  std::size_t repeated = 0;
  std::string first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (seen.insert(names[i]).second) continue;
    const std::string number = " (" + std::to_string(i) + ")";
    do {
      names[i] += number;
    } while (!taken.insert(names[i]).second);
    if (repeated++ == 0) first = text::in_quotes(names[i]);
  }
  if (repeated == 0) return;
  draft.guessed("/labels", (repeated == 1 ? "a name occurs again and gets"
                                          : std::to_string(repeated) + " names occur again and get") +
                               " the number of " + (repeated == 1 ? "its" : "their") + " class: " + first +
                               (repeated == 1 ? "" : ", ..."));
}

void take_labels(const OnnxFile& file, std::span<const SideFile> sides, const LabelList* labels,
                 Draft& draft) {
  const std::vector<LabelSource> sources = label_sources(file, sides, labels, draft);
  if (sources.empty()) return;
  const LabelSource& taken = sources.front();
  draft.guess.labels = taken.names;
  std::string from = taken.from;
  for (const LabelSource& other : sources) {
    if (other.names == taken.names) continue;
    // What is given on purpose replaces what lies beside the network, unless it fits another one.
    if (labels != nullptr && other.names.size() == taken.names.size()) {
      from += (from == taken.from ? ", instead of " : " and ") + other.from;
      continue;
    }
    draft.conflict("/labels",
                   "there are two sets of labels: " + std::to_string(taken.names.size()) + " in " +
                       taken.from + ", " + std::to_string(other.names.size()) + " in " + other.from,
                   "the first is taken; leave out the file that does not belong to the network");
  }
  draft.read("/labels", from);
  for (const std::string& name : draft.guess.labels) {
    if (!name.empty() && text::is_plain_line(name)) continue;
    draft.conflict("/labels", "the label " + text::in_quotes(name) + " cannot be shown",
                   "give --labels FILE");
    return;
  }
  tell_apart(draft);
}

// The size that the decoder's shapes are compared with.
void take_size(ModelFacts& facts) {
  facts.height = facts.picture.height;
  facts.width = facts.picture.width;
  if (facts.height && facts.width) return;
  if (facts.ultralytics.height) {
    facts.height = facts.ultralytics.height;
    facts.width = facts.ultralytics.width;
    return;
  }
  for (const SideFile& side : facts.sides) {
    if (!side.size) continue;
    facts.height = side.size->value.height;
    facts.width = side.size->value.width;
    return;
  }
}

// Detectors of TensorFlow give the numbers of classes, with gaps, and most do not say how many there are: a
// list without the gaps would name nearly all of them wrongly. Where the question arises, what to give.
std::string numbered_labels(const Draft& draft) {
  const auto* ssd = std::get_if<profiles::SsdDecoder>(&draft.guess.interface.decoder);
  const bool tensorflow = draft.habit == Habit::ssd || draft.habit == Habit::ssd_lite;
  if (ssd == nullptr || ssd->classes.empty() || !tensorflow) return "";
  return "a line for every number from " + std::to_string(ssd->class_offset) +
         ", also for numbers that no class has: COCO has 90 there, 80 of them in use";
}

void check_label_count(const ModelFacts& facts, Draft& draft) {
  if (draft.guess.interface.task == profiles::NetworkTask::tensor) return;
  const std::string numbered = numbered_labels(draft);
  const std::string classes = !draft.classes        ? "a number of classes that its shapes do not say"
                              : *draft.classes == 1 ? "1 class"
                                                    : std::to_string(*draft.classes) + " classes";
  if (!facts.label_count) {
    draft.ask("/labels", "the graph gives " + classes + "; no file says what they are called",
              "give --labels FILE with " +
                  (numbered.empty() ? "a name per line, in the order of the network" : numbered));
    return;
  }
  constexpr std::size_t kAllOfCoco = 90;
  if (!draft.classes && !numbered.empty() && facts.label_count != kAllOfCoco) {
    draft.ask("/labels",
              "the graph gives numbers of classes, and its shapes do not say up to which; labels has " +
                  std::to_string(*facts.label_count),
              "the labels are right if the file has " + numbered);
  }
  if (!draft.classes) return;
  if (static_cast<std::int64_t>(*facts.label_count) == *draft.classes) return;
  std::string shapes;
  for (const OnnxPort& port : facts.file.outputs) shapes += (shapes.empty() ? "" : ", ") + shape_text(port);
  draft.conflict(
      "/labels",
      "the graph gives " + shapes + ": " + classes + "; labels has " + std::to_string(*facts.label_count),
      numbered.empty() ? "give the labels that the network was trained with" : "give " + numbered);
}

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::read:
      return "read";
    case Origin::guessed:
      return "guessed";
    case Origin::assumed:
      return "assumed";
  }
  return "assumed";
}

std::optional<std::int64_t> number_of(const OnnxDimension& dimension) {
  const auto* number = std::get_if<std::int64_t>(&dimension);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool is_plain_detr(const std::string& model_type) {
  return has_one_of(" " + model_type + " ", {" detr ", " yolos ", " table-transformer "});
}

// "rt_detr_v2", "RTDetrImageProcessor", "deformable_detr", ...
bool is_sigmoid_detr(const std::string& model_type) {
  return has_one_of(lower_case(model_type), {"rt_detr", "rtdetr", "d_fine", "deformable", "conditional",
                                             "dab-detr", "dab_detr", "rf_detr"});
}

UltralyticsFacts ultralytics_facts(const OnnxFile& file, Draft& draft) {
  UltralyticsFacts facts;
  const std::string* author = file.find_metadata("author");
  facts.present = (author != nullptr && *author == "Ultralytics") ||
                  (file.find_metadata("stride") != nullptr && file.find_metadata("names") != nullptr);
  if (!facts.present) return facts;
  if (const std::string* task = file.find_metadata("task")) facts.task = *task;
  if (const auto size = integers(file, "imgsz", draft); size && (size->size() == 1 || size->size() == 2)) {
    const auto is_side = [](std::int64_t side) { return side >= 1 && side <= profiles::kMostInputSide; };
    if (std::all_of(size->begin(), size->end(), is_side)) {
      facts.height = static_cast<int>(size->front());
      facts.width = static_cast<int>(size->back());
    } else {
      draft.ask(
          "/interface/input",
          "the metadata's `imgsz` is no size of a picture: " + text::in_quotes(*file.find_metadata("imgsz")),
          "export the network again");
    }
  }
  if (const auto stride = integers(file, "stride", draft); stride && !stride->empty()) {
    facts.stride = small_number(*std::max_element(stride->begin(), stride->end()));
  }
  if (const auto channels = integers(file, "channels", draft); channels && channels->size() == 1) {
    facts.channels = small_number(channels->front());
  }
  if (const auto shape = integers(file, "kpt_shape", draft); shape && shape->size() == 2) {
    const auto points = small_number((*shape)[0]);
    const auto numbers = small_number((*shape)[1]);
    constexpr int kMostPoints = 1000;
    if (points && numbers && *points <= kMostPoints && *numbers <= 3)
      facts.key_point_columns = *points * *numbers;
  }
  const auto end_to_end = literal(file, "end2end", draft);
  facts.end_to_end = end_to_end && is_true(&*end_to_end);
  if (const auto arguments = literal(file, "args", draft)) {
    for (const auto& [key, value] : arguments->members) {
      if (key.text == "nms" && is_true(&value)) facts.end_to_end = true;
    }
  }
  return facts;
}

InterfaceGuess guess_interface(const OnnxFile& file, std::span<const SideFile> sides,
                               const LabelList* labels) {
  Draft draft;
  ModelFacts facts{.file = file, .sides = sides};
  facts.picture = find_picture(file, draft);
  facts.ultralytics = ultralytics_facts(file, draft);
  for (const SideFile& side : sides) {
    if (side.model_type) {
      const std::string& type = side.model_type->value;
      facts.model_type += facts.model_type.empty() ? type : " " + type;
    }
    draft.guess.open.insert(draft.guess.open.end(), side.not_taken.begin(), side.not_taken.end());
  }
  take_labels(file, sides, labels, draft);
  if (!draft.guess.labels.empty()) facts.label_count = draft.guess.labels.size();
  take_size(facts);
  guess_decoder(facts, draft);
  guess_input(facts, draft);
  check_label_count(facts, draft);
  const auto place = [](const FieldOrigin& field) {
    const std::string& pointer = field.pointer;
    return pointer.starts_with("/interface/input")       ? 0
           : pointer.starts_with("/interface/constants") ? 1
           : pointer == "/labels"                        ? 3
                                                         : 2;
  };
  std::stable_sort(draft.guess.origins.begin(), draft.guess.origins.end(),
                   [&](const FieldOrigin& a, const FieldOrigin& b) { return place(a) < place(b); });
  return std::move(draft.guess);
}

}  // namespace saccade::vision
