#include "profiles/profile_io.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "profiles/batch_io.hpp"
#include "profiles/device_io.hpp"
#include "profiles/interface_io.hpp"
#include "profiles/stage_io.hpp"
#include "text/object_reader.hpp"

namespace saccade::profiles {
namespace {

// Reads one document; the device's processors are known before the variants are looked at.
class ProfileReader {
 public:
  ProfileReader(text::JsonReport& report, Drafts drafts) : report_(report), drafts_(drafts) {}

  ProfileSet read(const text::JsonValue& root) {
    ProfileSet set;
    text::ObjectReader top({&root, ""}, report_);
    if (const auto format = top.require("format")) {
      const auto index = text::read_choice(*format, {kProfileFormat1, kProfileFormat2}, report_);
      format_ = index == 0 ? 1 : 2;
    }
    if (const auto network = top.require("network")) {
      set.network = text::read_id(*network, report_).value_or("");
    }
    if (const auto device = top.require("device")) set.device = read_device(*device, report_);
    for (const ProcessorId& processor : set.device.processors) processors_.insert(processor.str());
    if (const auto provenance = top.find_given("provenance")) set.provenance = read_provenance(*provenance);
    read_interfaces(top, set);
    if (const auto labels = top.find_given("labels")) set.labels = read_labels(*labels);
    if (const auto variants = top.require("variants")) set.variants = read_variants(*variants, set.interface);
    if (!unmeasured_.empty() && drafts_ == Drafts::refused) refuse_draft({&root, ""}, set.variants.size());
    return set;
  }

 private:
  // `interface`, or, as in format 1, the numbers of the input alone, and what the accuracies are.
  void read_interfaces(text::ObjectReader& top, ProfileSet& set) {
    const auto interface = format_ == 1 ? std::nullopt : top.find_given("interface");
    if (!interface) {
      if (const auto input = top.find_given("input")) set.input = read_input(*input);
      set.interface = plain_interface(set.input);
      if (const auto metric = format_ == 1 ? std::nullopt : top.find_given("metric"))
        set.interface.metric = read_metric(*metric, report_).value_or("");
      return;
    }
    set.interface = read_interface(*interface, report_);
    const PictureInput& input = set.interface.input;
    set.input = {input.width, input.height, channels_of(input.color)};
    overrides_ = names_a_decoder(*interface->value) ? Overrides::readable : Overrides::not_known;
    if (const auto both = top.find_given("input"))
      report_.add(*both, "the set has both `interface` and `input`",
                  "remove `input`: the interface has the size");
    if (const auto both = top.find_given("metric"))
      report_.add(*both, "the set has both `interface` and `metric`",
                  "remove `metric`: the interface has its own");
  }

  // Which keys a variant may override is known.
  static bool names_a_decoder(const text::JsonValue& interface) {
    const text::JsonValue* decoder = interface.find("decoder");
    const text::JsonValue* type = decoder == nullptr ? nullptr : decoder->find("type");
    static const std::set<std::string> names = {"classify", "yolo", "ssd", "detr", "tensor"};
    return type != nullptr && names.contains(type->string);
  }

  void refuse_draft(const text::JsonAt& root, std::size_t variants) {
    const bool all = unmeasured_.size() == variants;
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(unmeasured_.size(), 3); ++i)
      names += (i == 0 ? "" : ", ") + unmeasured_[i];
    if (unmeasured_.size() > 3) names += " and " + std::to_string(unmeasured_.size() - 3) + " more";
    report_.add(
        root,
        "this set is a draft: accuracy or frame time was not measured for " + (all ? "any variant" : names),
        "measure it with `saccade profile SET.json --data FOLDER`, or write accuracy, "
        "frame_time_seconds and provenance.accuracy_source \"declared\"");
  }

  Provenance read_provenance(const text::JsonAt& at) {
    Provenance provenance;
    text::ObjectReader reader(at, report_);
    reader.text("measured_by", provenance.measured_by);
    reader.text("engine", provenance.engine);
    reader.integer("frames", provenance.frames, 0, kAnyInt);
    reader.integer("warmup_frames", provenance.warmup_frames, 0, kAnyInt);
    reader.text("date", provenance.date);
    reader.text("instruction_set", provenance.instruction_set);
    reader.quantity("measuring_seconds", provenance.measuring, text::kNotNegative);
    reader.text("provider", provenance.provider);
    reader.text("provider_options", provenance.provider_options);
    if (const auto source = reader.find("energy_source")) {
      const std::vector<std::string> names = {"measured", "modelled", "unavailable"};
      if (const auto index = text::read_choice(*source, names, report_))
        provenance.energy_source = names[*index];
    }
    if (format_ == 1) return provenance;
    if (const auto source = reader.find_given("accuracy_source")) {
      provenance.accuracy_source = AccuracySource::measured;
      reader.choice("accuracy_source", *provenance.accuracy_source,
                    {AccuracySource::measured, AccuracySource::teacher, AccuracySource::declared});
    }
    reader.text("accuracy_data", provenance.accuracy_data);
    reader.text("read_from", provenance.read_from);
    if (const auto guessed = reader.find_given("guessed")) {
      for (const text::JsonAt& item : text::read_list(*guessed, report_))
        provenance.guessed.push_back(text::read_text(item, report_).value_or(""));
    }
    return provenance;
  }

  InputShape read_input(const text::JsonAt& at) {
    InputShape input;
    text::ObjectReader reader(at, report_);
    for (const auto& [key, target] : {std::pair{"width", &input.width}, {"height", &input.height}}) {
      if (const auto side = reader.require(key))
        *target = text::read_integer(*side, 1, kMostInputSide, report_).value_or(0);
    }
    reader.integer("channels", input.channels, 1, 4);
    return input;
  }

  std::vector<std::string> read_labels(const text::JsonAt& at) {
    std::vector<std::string> labels;
    std::set<std::string> seen;
    for (const text::JsonAt& item : text::read_list(at, report_)) {
      const std::optional<std::string> label = text::read_text(item, report_);
      if (!label) continue;
      if (!seen.insert(*label).second) {
        report_.add(item, "the label " + text::in_quotes(*label) + " is listed twice",
                    "each output of the network needs a label of its own");
      }
      labels.push_back(*label);
    }
    return labels;
  }

  std::vector<Variant> read_variants(const text::JsonAt& at, const ModelInterface& interface) {
    std::vector<Variant> variants;
    const std::vector<text::JsonAt> items = text::read_list(at, report_);
    if (items.empty() && at->kind == text::JsonValue::Kind::array) {
      report_.add(at, "there is no variant", "a profile set has at least one");
    }
    std::map<VariantId, std::size_t> first_line;
    for (const text::JsonAt& item : items) {
      variants.push_back(read_variant(item, interface));
      const VariantId& id = variants.back().id;
      if (id.str().empty()) continue;
      const auto [first, fresh] = first_line.try_emplace(id, item->line);
      if (!fresh) {
        report_.add(item.member("id", *item->find("id")),
                    "the id " + text::in_quotes(id.str()) + " is used by two variants",
                    "rename one of the two; the other is in line " + std::to_string(first->second));
      }
    }
    return variants;
  }

  Variant read_variant(const text::JsonAt& at, const ModelInterface& interface) {
    Variant v;
    text::ObjectReader reader(at, report_);
    if (const auto id = reader.require("id")) v.id = VariantId(text::read_id(*id, report_).value_or(""));
    reader.choice("precision", v.precision, kPrecisions);
    reader.number("width", v.width, text::kPositive);
    reader.number("depth", v.depth, text::kPositive);
    if (const auto model = reader.find_given("model")) v.model = read_model(*model);
    if (const auto sha256 = reader.find_given("sha256")) v.sha256 = read_sha256(*sha256);
    if (format_ == 2) read_own_interface(reader, interface, v);
    if (const auto accuracy = needed(reader, "accuracy")) {
      v.accuracy = text::read_number(*accuracy, text::kAccuracy, report_).value_or(0.0);
    } else {
      v.accuracy_known = false;
    }
    reader.integer("accuracy_images", v.accuracy_images, 1, kAnyInt);
    const auto times = needed(reader, "frame_time_seconds");
    if (format_ == 2 && at->kind == text::JsonValue::Kind::object && (!v.accuracy_known || !times))
      unmeasured_.push_back(v.id.str());
    if (times) {
      v.frame_time = read_times(*times);
      if ((*times)->kind == text::JsonValue::Kind::object && (*times)->members.empty())
        report_.add(*times, "there is no time", "name at least one processor and the seconds it takes");
    }
    if (const auto p99 = reader.find_given("frame_time_p99_seconds")) v.frame_time_p99 = read_times(*p99);
    if (const auto parts = reader.find_given("frame_time_parts_seconds"))
      v.frame_time_parts = read_parts(*parts);
    if (const auto batches = reader.find_given("batch_time_seconds"))
      v.batch_time = read_batches(*batches, v);
    if (const auto power = reader.find_given("power_watts")) v.power = read_power(*power);
    reader.quantity("energy_joules_per_frame", v.energy_per_inference, text::kNotNegative);
    if (const auto energies = reader.find_given("batch_energy_joules"))
      v.batch_energy = read_batch_energies(*energies, v.energy_per_inference.has_value(), report_);
    reader.quantity("memory_bytes", v.memory, text::kPositive);
    reader.quantity("load_time_seconds", v.load_time, text::kPositive);
    reader.quantity("load_time_uncached_seconds", v.load_time_uncached, text::kPositive);
    reader.quantity("load_peak_bytes", v.load_peak, text::kPositive);
    reader.quantity("device_memory_bytes", v.device_memory, text::kPositive);
    reader.quantity("device_load_peak_bytes", v.device_load_peak, text::kPositive);
    const auto stages = format_ == 2 ? reader.find_given("stages") : std::nullopt;
    if (!stages) return v;
    const StageReaders readers{[this](const text::JsonAt& model) { return read_model(model); },
                               [this](const text::JsonAt& sha256) { return read_sha256(sha256); }};
    v.staging = read_staging(*stages, reader, v, readers);
    return v;
  }

  // Of format 2 what is missing is a draft's; see read().
  std::optional<text::JsonAt> needed(text::ObjectReader& reader, const std::string& key) {
    return format_ == 1 ? reader.require(key) : reader.find_given(key);
  }

  void read_own_interface(text::ObjectReader& reader, const ModelInterface& interface, Variant& v) {
    const auto input = reader.find_given("input");
    const auto decoder = reader.find_given("decoder");
    if ((input || decoder) && overrides_ == Overrides::readable) {
      ModelInterface own = read_overrides(interface, input, decoder, report_);
      if (own != interface) v.interface = std::move(own);
    } else if ((input || decoder) && overrides_ == Overrides::none) {
      report_.add(input ? *input : *decoder, "the variant overrides an interface that the set does not have",
                  "write `interface`, or leave `input` and `decoder` of the variant out");
    }
    const auto interval = reader.find_given("accuracy_interval");
    if (!interval) return;
    const std::vector<text::JsonAt> ends = text::read_list(*interval, report_);
    std::vector<double> numbers;
    for (const text::JsonAt& end : ends) {
      const auto number = text::read_number(end, text::kAccuracy, report_);
      if (!number) return;
      numbers.push_back(*number);
    }
    if ((*interval)->kind != text::JsonValue::Kind::array) return;
    if (numbers.size() == 2 && numbers[0] <= numbers[1]) {
      v.accuracy_interval = {numbers[0], numbers[1]};
    } else {
      report_.add(*interval, "must be two numbers, the lower one first", "for example [0.71, 0.78]");
    }
  }

  // Below the profile's folder and nowhere else: a profile set cannot make a service open other files.
  std::string read_model(const text::JsonAt& at) {
    const std::optional<std::string> text = text::read_text(at, report_);
    if (!text) return {};
    const std::filesystem::path path(*text);
    const bool leaves = std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
    if (text->empty() || path.is_absolute() || leaves) {
      report_.add(at, text::in_quotes(*text) + " is not a file name below the folder of the profile set",
                  "write a relative path without \"..\", or null for none");
      return {};
    }
    return *text;
  }

  std::string read_sha256(const text::JsonAt& at) {
    std::string text = text::read_text(at, report_).value_or("");
    if (text.size() != 64 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      if (at->kind == text::JsonValue::Kind::string) {
        report_.add(at, "must be the 64 hexadecimal digits of a SHA-256", "`sha256sum FILE` prints them");
      }
      return {};
    }
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  // The processor a key names; nothing after a report when the device has no such one.
  std::optional<ProcessorId> read_processor(const std::string& key, const text::JsonAt& at) {
    if (processors_.contains(key)) return ProcessorId(key);
    if (!processors_.empty()) {
      std::string all;
      for (const std::string& name : processors_) all += (all.empty() ? "" : ", ") + name;
      report_.add(at, "the device has no processor " + text::in_quotes(key), "its processors are: " + all);
    }
    return std::nullopt;
  }

  TimeByProcessor read_times(const text::JsonAt& at) {
    TimeByProcessor times;
    for (const auto& [key, item] : text::read_members(at, report_)) {
      const std::optional<double> seconds = text::read_number(item, text::kPositive, report_);
      const std::optional<ProcessorId> processor = read_processor(key, item);
      if (seconds && processor) times[*processor] = Seconds(*seconds);
    }
    return times;
  }

  FrameTimeParts read_parts(const text::JsonAt& at) {
    FrameTimeParts parts;
    text::ObjectReader reader(at, report_);
    for (const auto& [key, target] :
         {std::pair{"prepare", &parts.prepare}, {"infer", &parts.infer}, {"decode", &parts.decode}}) {
      if (const auto part = reader.require(key))
        *target = Seconds(text::read_number(*part, text::kNotNegative, report_).value_or(0.0));
    }
    return parts;
  }

  std::map<int, TimeByProcessor> read_batches(const text::JsonAt& at, const Variant& variant) {
    std::map<int, TimeByProcessor> batches;
    for (const auto& [key, item] : text::read_members(at, report_)) {
      const auto batch = read_batch_size(key, item, "frame_time_seconds", report_);
      if (!batch) continue;
      const TimeByProcessor times = read_times(item);
      for (const auto& [processor, time] : times) {
        if (!variant.frame_time.empty() && !variant.frame_time.contains(processor)) {
          report_.add(item,
                      "a batch is given for processor " + text::in_quotes(processor.str()) +
                          ", which `frame_time_seconds` does not name",
                      "measure batch 1 on it as well, or remove the batch");
        }
      }
      batches[*batch] = times;
    }
    return batches;
  }

  std::optional<Power> read_power(const text::JsonAt& at) {
    if (at->kind != text::JsonValue::Kind::object) {
      const std::optional<double> watts = text::read_number(at, text::kNotNegative, report_);
      if (!watts) return std::nullopt;
      return Power{Watts(*watts), {}};
    }
    Power power;
    for (const auto& [key, item] : text::read_members(at, report_)) {
      const std::optional<double> watts = text::read_number(item, text::kNotNegative, report_);
      const std::optional<ProcessorId> processor = read_processor(key, item);
      if (watts && processor) power.by_processor[*processor] = Watts(*watts);
    }
    if (at->members.empty()) {
      report_.add(at, "there is no power", "name a processor and its watts, or write null for not measured");
    }
    return power;
  }

  static constexpr int kAnyInt = std::numeric_limits<int>::max();

  // What variants may write into `input` and `decoder`: nothing without an interface; and nothing is said of
  // them when the interface itself does not name its decoder.
  enum class Overrides { none, readable, not_known };

  text::JsonReport& report_;
  Drafts drafts_;
  int format_ = 2;
  Overrides overrides_ = Overrides::none;
  std::vector<std::string> unmeasured_;  // variants of a draft
  std::set<std::string> processors_;
};

Result<ProfileSet> finish(const std::optional<text::JsonValue>& document, text::JsonReport& report,
                          std::filesystem::path directory, Drafts drafts) {
  if (!document) return report.errors();
  Result<ProfileSet> set = read_profile_document(*document, report, drafts);
  if (set) set.value().directory = std::move(directory);
  return set;
}

}  // namespace

Result<ProfileSet> read_profile_document(const text::JsonValue& document, text::JsonReport& report,
                                         Drafts drafts) {
  ProfileSet set = ProfileReader(report, drafts).read(document);
  if (!report.empty()) return report.errors();
  return set;
}

Result<ProfileSet> read_profile_set(const std::filesystem::path& path, Drafts drafts) {
  text::JsonReport report(path.string());
  const std::optional<text::JsonValue> document = text::read_json_file(path, report, kProfileLimits);
  return finish(document, report, path.parent_path(), drafts);
}

Result<ProfileSet> parse_profile_set(std::string_view text, const std::string& name,
                                     const std::filesystem::path& directory, Drafts drafts) {
  text::JsonReport report(name);
  const std::optional<text::JsonValue> document = text::parse_json(text, report, kProfileLimits);
  return finish(document, report, directory, drafts);
}

}  // namespace saccade::profiles
