#include "vision/model/interface_guess.hpp"

#include <algorithm>
#include <limits>
#include <set>
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

void take_labels(const OnnxFile& file, std::span<const SideFile> sides, const LabelList* labels,
                 Draft& draft) {
  const std::vector<LabelSource> sources = label_sources(file, sides, labels, draft);
  if (sources.empty()) return;
  draft.guess.labels = sources.front().names;
  draft.read("/labels", sources.front().from);
  for (const LabelSource& other : sources) {
    if (other.names == sources.front().names) continue;
    draft.conflict("/labels",
                   "there are two sets of labels: " + std::to_string(sources.front().names.size()) + " in " +
                       sources.front().from + ", " + std::to_string(other.names.size()) + " in " + other.from,
                   "the first is taken; leave out the file that does not belong to the network");
  }
  std::set<std::string> seen;
  for (const std::string& name : draft.guess.labels) {
    if (name.empty() || !text::is_plain_line(name)) {
      draft.conflict("/labels", "the label " + text::in_quotes(name) + " cannot be shown",
                     "give --labels FILE");
      break;
    }
    if (!seen.insert(name).second) {
      draft.conflict("/labels", "the label " + text::in_quotes(name) + " is listed twice",
                     "each output of the network needs a label of its own: give --labels FILE");
      break;
    }
  }
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

void check_label_count(const ModelFacts& facts, Draft& draft) {
  if (draft.guess.interface.task == profiles::NetworkTask::tensor) return;
  const std::string classes = !draft.classes        ? "a number of classes that its shapes do not say"
                              : *draft.classes == 1 ? "1 class"
                                                    : std::to_string(*draft.classes) + " classes";
  if (!facts.label_count) {
    draft.ask("/labels", "the graph gives " + classes + "; no file says what they are called",
              "give --labels FILE with a name per line, in the order of the network");
    return;
  }
  if (!draft.classes) return;
  if (static_cast<std::int64_t>(*facts.label_count) == *draft.classes) return;
  std::string shapes;
  for (const OnnxPort& port : facts.file.outputs) shapes += (shapes.empty() ? "" : ", ") + shape_text(port);
  draft.conflict(
      "/labels",
      "the graph gives " + shapes + ": " + classes + "; labels has " + std::to_string(*facts.label_count),
      "give the labels that the network was trained with");
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
