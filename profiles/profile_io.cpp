#include "profiles/profile_io.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "profiles/object_reader.hpp"

namespace saccade::profiles {
namespace {

// Reads one document; the device's processors are known before the variants are looked at.
class ProfileReader {
 public:
  explicit ProfileReader(JsonReport& report) : report_(report) {}

  ProfileSet read(const JsonValue& root) {
    ProfileSet set;
    ObjectReader top({&root, ""}, report_);
    if (const auto format = top.require("format")) (void)read_choice(*format, {kProfileFormat}, report_);
    if (const auto network = top.require("network")) {
      set.network = read_id(*network, report_).value_or("");
    }
    if (const auto device = top.require("device")) set.device = read_device(*device);
    if (const auto provenance = top.find_given("provenance")) set.provenance = read_provenance(*provenance);
    if (const auto input = top.find_given("input")) set.input = read_input(*input);
    if (const auto labels = top.find_given("labels")) set.labels = read_labels(*labels);
    if (const auto variants = top.require("variants")) set.variants = read_variants(*variants);
    return set;
  }

 private:
  Device read_device(const JsonAt& at) {
    Device device;
    ObjectReader reader(at, report_);
    if (const auto name = reader.require("name")) device.name = read_text(*name, report_).value_or("");
    if (const auto list = reader.require("processors")) {
      const std::vector<JsonAt> items = read_list(*list, report_);
      if (items.empty() && list->value->kind == JsonValue::Kind::array) {
        report_.add(*list, "a device has at least one processor", "name it, for example [\"cpu\"]");
      }
      for (const JsonAt& item : items) {
        const std::optional<std::string> name = read_id(item, report_);
        if (!name) continue;
        if (!processors_.insert(*name).second) {
          report_.add(item, "the processor " + in_quotes(*name) + " is listed twice",
                      "remove one of the two");
          continue;
        }
        device.processors.emplace_back(*name);
      }
    }
    reader.quantity("idle_power_watts", device.idle_power, kNotNegative);
    return device;
  }

  Provenance read_provenance(const JsonAt& at) {
    Provenance provenance;
    ObjectReader reader(at, report_);
    reader.text("measured_by", provenance.measured_by);
    reader.text("engine", provenance.engine);
    reader.integer("frames", provenance.frames, 0, kAnyInt);
    reader.integer("warmup_frames", provenance.warmup_frames, 0, kAnyInt);
    reader.text("date", provenance.date);
    reader.text("instruction_set", provenance.instruction_set);
    reader.quantity("measuring_seconds", provenance.measuring, kNotNegative);
    if (const auto source = reader.find("energy_source")) {
      const std::vector<std::string> names = {"measured", "modelled", "unavailable"};
      if (const auto index = read_choice(*source, names, report_)) provenance.energy_source = names[*index];
    }
    return provenance;
  }

  InputShape read_input(const JsonAt& at) {
    InputShape input;
    ObjectReader reader(at, report_);
    for (const auto& [key, target] : {std::pair{"width", &input.width}, {"height", &input.height}}) {
      if (const auto side = reader.require(key)) *target = read_integer(*side, 1, 8192, report_).value_or(0);
    }
    reader.integer("channels", input.channels, 1, 4);
    return input;
  }

  std::vector<std::string> read_labels(const JsonAt& at) {
    std::vector<std::string> labels;
    std::set<std::string> seen;
    for (const JsonAt& item : read_list(at, report_)) {
      const std::optional<std::string> label = read_text(item, report_);
      if (!label) continue;
      if (!seen.insert(*label).second) {
        report_.add(item, "the label " + in_quotes(*label) + " is listed twice",
                    "each output of the network needs a label of its own");
      }
      labels.push_back(*label);
    }
    return labels;
  }

  std::vector<Variant> read_variants(const JsonAt& at) {
    std::vector<Variant> variants;
    const std::vector<JsonAt> items = read_list(at, report_);
    if (items.empty() && at->kind == JsonValue::Kind::array) {
      report_.add(at, "there is no variant", "a profile set has at least one");
    }
    std::map<VariantId, std::size_t> first_line;
    for (const JsonAt& item : items) {
      variants.push_back(read_variant(item));
      const VariantId& id = variants.back().id;
      if (id.str().empty()) continue;
      const auto [first, fresh] = first_line.try_emplace(id, item->line);
      if (!fresh) {
        report_.add(item.member("id", *item->find("id")),
                    "the id " + in_quotes(id.str()) + " is used by two variants",
                    "rename one of the two; the other is in line " + std::to_string(first->second));
      }
    }
    return variants;
  }

  Variant read_variant(const JsonAt& at) {
    Variant v;
    ObjectReader reader(at, report_);
    if (const auto id = reader.require("id")) v.id = VariantId(read_id(*id, report_).value_or(""));
    reader.choice("precision", v.precision,
                  {Precision::fp32, Precision::fp16, Precision::bf16, Precision::int8});
    reader.number("width", v.width, kPositive);
    reader.number("depth", v.depth, kPositive);
    if (const auto model = reader.find_given("model")) v.model = read_model(*model);
    if (const auto sha256 = reader.find_given("sha256")) v.sha256 = read_sha256(*sha256);
    if (const auto accuracy = reader.require("accuracy")) {
      v.accuracy = read_number(*accuracy, kAccuracy, report_).value_or(0.0);
    }
    reader.integer("accuracy_images", v.accuracy_images, 1, kAnyInt);
    if (const auto times = reader.require("frame_time_seconds")) {
      v.frame_time = read_times(*times);
      if (times->value->kind == JsonValue::Kind::object && times->value->members.empty()) {
        report_.add(*times, "there is no time", "name at least one processor and the seconds it takes");
      }
    }
    if (const auto times = reader.find_given("frame_time_p99_seconds")) v.frame_time_p99 = read_times(*times);
    if (const auto batches = reader.find_given("batch_time_seconds"))
      v.batch_time = read_batches(*batches, v);
    if (const auto power = reader.find_given("power_watts")) v.power = read_power(*power);
    reader.quantity("energy_joules_per_frame", v.energy_per_inference, kNotNegative);
    reader.quantity("memory_bytes", v.memory, kPositive);
    reader.quantity("load_time_seconds", v.load_time, kPositive);
    reader.quantity("load_time_uncached_seconds", v.load_time_uncached, kPositive);
    reader.quantity("load_peak_bytes", v.load_peak, kPositive);
    return v;
  }

  // Below the profile's folder and nowhere else: a profile set cannot make a service open other files.
  std::string read_model(const JsonAt& at) {
    const std::optional<std::string> text = read_text(at, report_);
    if (!text) return {};
    const std::filesystem::path path(*text);
    const bool leaves = std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
    if (text->empty() || path.is_absolute() || leaves) {
      report_.add(at, in_quotes(*text) + " is not a file name below the folder of the profile set",
                  "write a relative path without \"..\", or null for none");
      return {};
    }
    return *text;
  }

  std::string read_sha256(const JsonAt& at) {
    std::string text = read_text(at, report_).value_or("");
    if (text.size() != 64 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      if (at->kind == JsonValue::Kind::string) {
        report_.add(at, "must be the 64 hexadecimal digits of a SHA-256", "`sha256sum FILE` prints them");
      }
      return {};
    }
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  // The processor a key names; nothing after a report when the device has no such one.
  std::optional<ProcessorId> read_processor(const std::string& key, const JsonAt& at) {
    if (processors_.contains(key)) return ProcessorId(key);
    if (!processors_.empty()) {
      std::string all;
      for (const std::string& name : processors_) all += (all.empty() ? "" : ", ") + name;
      report_.add(at, "the device has no processor " + in_quotes(key), "its processors are: " + all);
    }
    return std::nullopt;
  }

  TimeByProcessor read_times(const JsonAt& at) {
    TimeByProcessor times;
    for (const auto& [key, item] : read_members(at, report_)) {
      const std::optional<double> seconds = read_number(item, kPositive, report_);
      const std::optional<ProcessorId> processor = read_processor(key, item);
      if (seconds && processor) times[*processor] = Seconds(*seconds);
    }
    return times;
  }

  std::map<int, TimeByProcessor> read_batches(const JsonAt& at, const Variant& variant) {
    std::map<int, TimeByProcessor> batches;
    for (const auto& [key, item] : read_members(at, report_)) {
      int batch = 0;
      const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), batch);
      if (failure != std::errc{} || end != key.data() + key.size() || batch < 2 || batch > kLargestBatch ||
          key != std::to_string(batch)) {
        report_.add(item, in_quotes(key) + " is not a batch size",
                    "batch sizes are whole numbers from 2 to 1024; batch 1 is `frame_time_seconds`");
        continue;
      }
      const TimeByProcessor times = read_times(item);
      for (const auto& [processor, time] : times) {
        if (!variant.frame_time.empty() && !variant.frame_time.contains(processor)) {
          report_.add(item,
                      "a batch is given for processor " + in_quotes(processor.str()) +
                          ", which `frame_time_seconds` does not name",
                      "measure batch 1 on it as well, or remove the batch");
        }
      }
      batches[batch] = times;
    }
    return batches;
  }

  std::optional<Power> read_power(const JsonAt& at) {
    if (at->kind != JsonValue::Kind::object) {
      const std::optional<double> watts = read_number(at, kNotNegative, report_);
      if (!watts) return std::nullopt;
      return Power{Watts(*watts), {}};
    }
    Power power;
    for (const auto& [key, item] : read_members(at, report_)) {
      const std::optional<double> watts = read_number(item, kNotNegative, report_);
      const std::optional<ProcessorId> processor = read_processor(key, item);
      if (watts && processor) power.by_processor[*processor] = Watts(*watts);
    }
    if (at->members.empty()) {
      report_.add(at, "there is no power", "name a processor and its watts, or write null for not measured");
    }
    return power;
  }

  static constexpr int kAnyInt = std::numeric_limits<int>::max();
  static constexpr int kLargestBatch = 1024;

  JsonReport& report_;
  std::set<std::string> processors_;
};

Result<ProfileSet> finish(const std::optional<JsonValue>& document, JsonReport& report,
                          std::filesystem::path directory) {
  if (!document) return report.errors();
  Result<ProfileSet> set = read_profile_document(*document, report);
  if (set) set.value().directory = std::move(directory);
  return set;
}

}  // namespace

Result<ProfileSet> read_profile_document(const JsonValue& document, JsonReport& report) {
  ProfileSet set = ProfileReader(report).read(document);
  if (!report.empty()) return report.errors();
  return set;
}

Result<ProfileSet> read_profile_set(const std::filesystem::path& path) {
  JsonReport report(path.string());
  const std::optional<JsonValue> document = read_json_file(path, report, kProfileLimits);
  return finish(document, report, path.parent_path());
}

Result<ProfileSet> parse_profile_set(std::string_view text, const std::string& name,
                                     const std::filesystem::path& directory) {
  JsonReport report(name);
  const std::optional<JsonValue> document = parse_json(text, report, kProfileLimits);
  return finish(document, report, directory);
}

}  // namespace saccade::profiles
