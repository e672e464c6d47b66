#include "vision/model/set_draft.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "profiles/interface_io.hpp"
#include "text/json_text.hpp"
#include "text/object_reader.hpp"
#include "vision/model/gathered.hpp"
#include "vision/model/precision_guess.hpp"

namespace saccade::vision {
namespace {

using profiles::ModelInterface;
using text::JsonValue;

// Keys that variants override, and those of the selection, which is the set's.
bool may_differ(const std::string& key) {
  static const std::set<std::string> keys = {"name",    "layout",          "type",         "width",
                                             "height",  "scale",           "mean",         "std",
                                             "outputs", "strides",         "bins",         "extra",
                                             "box",     "iou_threshold",   "max_objects",  "agnostic",
                                             "metric",  "score_threshold", "merge_regions"};
  return keys.contains(key);
}

// Keys of `own` and `base` that are not the same and must be.
std::vector<std::string> contradictions(const JsonValue& own, const JsonValue& base) {
  std::vector<std::string> keys;
  for (const auto& member : own.members) {
    const JsonValue* other = base.find(member.key);
    if (may_differ(member.key)) continue;
    if (other == nullptr || text::write_json(member.value) != text::write_json(*other))
      keys.push_back(member.key);
  }
  return keys;
}

class Comparison {
 public:
  Comparison(const ModelDraft& first, const ModelDraft& other) : first_(first), other_(other) {}

  Errors all() {
    const ModelInterface& base = first_.guess.interface;
    const ModelInterface& own = other_.guess.interface;
    if (base.task != own.task || base.decoder.index() != own.decoder.index()) {
      tell("/interface/decoder", "the network has another kind of output than " + first_.file);
      return std::move(errors_);
    }
    if (first_.guess.labels != other_.guess.labels)
      tell("/labels", "the network has other labels than " + first_.file);
    const JsonValue base_document = profiles::to_document(base);
    const JsonValue own_document = profiles::to_document(own);
    for (const char* part : {"input", "decoder"}) {
      for (const std::string& key : contradictions(*own_document.find(part), *base_document.find(part))) {
        const JsonValue* value = own_document.find(part)->find(key);
        const JsonValue* usual = base_document.find(part)->find(key);
        tell(std::string("/interface/") + part + "/" + key,
             "`" + key + "` is " + text::write_json(*value) +
                 (usual == nullptr ? "" : ", but " + text::write_json(*usual)) + " in " + first_.file);
      }
    }
    if (box_of(base) != box_of(own))
      tell("/interface/decoder/box", "boxes have another form than in " + first_.file);
    if (base.constants != own.constants)
      tell("/interface/constants", "the network takes other constants than " + first_.file);
    return std::move(errors_);
  }

 private:
  void tell(const std::string& pointer, const std::string& what) {
    errors_.push_back(
        {other_.file, what + " than " + first_.file + " (" + pointer + ")", "make a profile set of each"});
  }

  static std::optional<profiles::BoxForm> box_of(const ModelInterface& interface) {
    if (const auto* yolo = std::get_if<profiles::YoloDecoder>(&interface.decoder)) return yolo->box;
    if (const auto* ssd = std::get_if<profiles::SsdDecoder>(&interface.decoder)) return ssd->box;
    if (const auto* detr = std::get_if<profiles::DetrDecoder>(&interface.decoder)) return detr->box;
    return std::nullopt;
  }

  const ModelDraft& first_;
  const ModelDraft& other_;
  Errors errors_;
};

// Of two folders' files of the same name, the folder is part of the id.
std::vector<std::string> ids_of(std::span<const ModelDraft> models) {
  std::vector<std::string> ids;
  for (const ModelDraft& model : models) {
    std::string id = id_from(model.model);
    const auto same = [&](const ModelDraft& other) { return id_from(other.model) == id; };
    if (std::count_if(models.begin(), models.end(), same) > 1) {
      const std::string folder = std::filesystem::path(model.model).parent_path().filename().string();
      if (!folder.empty()) id = id_from(folder + "-" + id);
    }
    std::string unique = id;
    for (int number = 2; std::find(ids.begin(), ids.end(), unique) != ids.end(); ++number)
      unique = id.substr(0, 60) + "-" + std::to_string(number);
    ids.push_back(std::move(unique));
  }
  return ids;
}

// "yolo11n" of yolo11n-320 and yolo11n-640-int8: whole words.
std::string common_name(const std::vector<std::string>& ids) {
  constexpr std::string_view kSeparators = "-_.";
  std::string common = ids.front();
  for (const std::string& id : ids) {
    const auto end = std::mismatch(common.begin(), common.end(), id.begin(), id.end()).first;
    common.erase(end, common.end());
  }
  const auto inside_a_word = [&](const std::string& id) {
    return id.size() > common.size() && kSeparators.find(id[common.size()]) == std::string_view::npos;
  };
  if (std::any_of(ids.begin(), ids.end(), inside_a_word)) {
    const std::size_t cut = common.find_last_of(kSeparators);
    common.erase(cut == std::string::npos ? 0 : cut);
  }
  common.erase(common.find_last_not_of(kSeparators) + 1);
  return common;
}

class SetDrafting {
 public:
  explicit SetDrafting(std::span<const ModelDraft> models) : models_(models), open_(models.size()) {}

  SetDraft make(const std::string& network) {
    const std::vector<std::string> ids = ids_of(models_);
    draft_.set.network = network;
    draft_.set.labels = models_.front().guess.labels;
    take_interface();
    for (std::size_t i = 0; i < models_.size(); ++i) add_variant(i, ids[i]);
    draft_.open = open_.take();
    for (const FieldOrigin& field : draft_.origins) {
      if (field.origin != Origin::read) draft_.set.provenance.guessed.push_back(field.pointer);
    }
    draft_.set.provenance.read_from = sources();
    return std::move(draft_);
  }

 private:
  void take_interface() {
    ModelInterface& base = draft_.set.interface;
    base = models_.front().guess.interface;
    draft_.origins = models_.front().guess.origins;
    add_size(base, "/interface/input/", draft_.origins);
    for (const ModelDraft& model : models_) {
      const auto& threshold = model.guess.interface.selection.iou_threshold;
      if (base.selection.iou_threshold || !threshold) continue;
      base.selection.iou_threshold = threshold;
      draft_.origins.push_back({"/interface/decoder/iou_threshold", Origin::assumed,
                                model.file + " needs suppression, " + models_.front().file + " does not"});
    }
    draft_.set.input = {base.input.width, base.input.height, profiles::channels_of(base.input.color)};
  }

  // Of a graph that takes any size, when no file says one.
  static void add_size(ModelInterface& interface, const std::string& place,
                       std::vector<FieldOrigin>& origins) {
    const bool classifier = interface.task == profiles::NetworkTask::classify;
    for (const auto& [key, side] :
         {std::pair{"width", &interface.input.width}, {"height", &interface.input.height}}) {
      if (*side > 0) continue;
      *side = classifier ? 224 : 640;
      origins.push_back({place + key, Origin::assumed,
                         classifier ? "most classifiers take 224 pixels" : "most detectors take 640 pixels"});
    }
  }

  void add_variant(std::size_t index, const std::string& id) {
    const ModelDraft& model = models_[index];
    const std::string place = "/variants/" + std::to_string(index);
    profiles::Variant variant;
    variant.id = VariantId(id);
    variant.model = model.model;
    variant.sha256 = model.sha256;
    variant.accuracy_known = false;
    const PrecisionGuess precision = guess_precision(model.graph, model.model);
    variant.precision = precision.precision;
    draft_.origins.push_back({place + "/precision", precision.origin, precision.why});

    ModelInterface own = model.guess.interface;
    std::vector<FieldOrigin> origins = model.guess.origins;
    add_size(own, "/interface/input/", origins);
    own.selection = draft_.set.interface.selection;
    own.metric = draft_.set.interface.metric;
    const auto overrides = profiles::overrides_of(own, draft_.set.interface);
    if (own != draft_.set.interface) variant.interface = std::move(own);
    for (FieldOrigin& field : origins) {
      const std::string pointer = place_of(field.pointer, overrides, place);
      if (index > 0 && pointer != field.pointer) draft_.origins.push_back({pointer, field.origin, field.why});
    }
    for (Error question : model.guess.open) {
      question.where = place_of(question.where, overrides, place);
      open_.add(question, model.file);
    }
    draft_.set.variants.push_back(std::move(variant));
  }

  // Where the field is written: in the variant if it overrides it.
  static std::string place_of(const std::string& pointer, const profiles::InterfaceOverrides& overrides,
                              const std::string& variant) {
    for (const auto& [part, members] :
         {std::pair{"/input/", &overrides.input}, {"/decoder/", &overrides.decoder}}) {
      const std::string prefix = std::string("/interface") + part;
      if (pointer.starts_with(prefix) && members->find(pointer.substr(prefix.size())) != nullptr)
        return variant + part + pointer.substr(prefix.size());
    }
    return pointer;
  }

  // What the fields were read from, without the shapes.
  [[nodiscard]] std::string sources() const {
    std::vector<std::string> names;
    for (const FieldOrigin& field : draft_.origins) {
      if (field.origin != Origin::read) continue;
      const std::string name = field.why.substr(0, field.why.find(" ["));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
    return text;
  }

  std::span<const ModelDraft> models_;
  SetDraft draft_;
  Gathered open_;
};

}  // namespace

std::string id_from(const std::string& model) {
  std::string id = std::filesystem::path(model).filename().string();
  if (id.ends_with(".onnx")) id.resize(id.size() - 5);
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (char& c : id) {
    if (!is_letter(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  id.erase(id.begin(), std::find_if(id.begin(), id.end(), is_letter));
  constexpr std::size_t kLongest = 64;
  if (id.size() > kLongest) id.resize(kLongest);
  return id.empty() ? "model" : id;
}

std::string network_from(std::span<const ModelDraft> models) {
  SACCADE_CHECK(!models.empty());
  return common_name(ids_of(models));
}

Errors differences(std::span<const ModelDraft> models) {
  Errors errors;
  for (std::size_t i = 1; i < models.size(); ++i) {
    const Errors more = Comparison(models.front(), models[i]).all();
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

Result<SetDraft> draft_set(const std::string& network, std::span<const ModelDraft> models) {
  SACCADE_CHECK(!models.empty());
  Errors errors;
  for (const ModelDraft& model : models) {
    for (const Error& conflict : model.guess.conflicts)
      errors.push_back({model.file + " " + conflict.where, conflict.what, conflict.hint});
  }
  const Errors differing = differences(models);
  errors.insert(errors.end(), differing.begin(), differing.end());
  if (!errors.empty()) return errors;
  return SetDrafting(models).make(network);
}

}  // namespace saccade::vision
