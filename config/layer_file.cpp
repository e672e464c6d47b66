#include "config/layer_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "text/object_reader.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {
namespace {

using placement::Boundary;
using placement::Layer;
using placement::Link;
using text::JsonAt;
using text::JsonReport;
using text::ObjectReader;

constexpr text::JsonLimits kLayerLimits{.mebibytes = 16, .values = 1'000'000};
constexpr std::size_t kMostProcessors = 16;

class LayerReader {
 public:
  explicit LayerReader(JsonReport& report) : report_(report) {}

  LayerFile read(const JsonAt& document) {
    ObjectReader object(document, report_);
    if (const auto format = object.require("format")) check_format(*format);
    object.text("network", file_.network);
    object.text("model", file_.model);
    object.text("sha256", file_.sha256);
    object.text("source", file_.source);
    object.integer("queue", file_.chain.queue, 0, 1024);
    if (const auto payment = object.find("transfers_paid_by")) read_payment(*payment);
    if (const auto processors = object.require("processors")) read_processors(*processors);
    if (const auto links = object.find("links")) read_links(*links);
    file_.whole.resize(file_.chain.processors.size());
    if (const auto whole = object.find("whole")) read_whole(*whole);
    if (const auto layers = object.require("layers")) read_layers(*layers);
    return std::move(file_);
  }

 private:
  void check_format(const JsonAt& at) {
    const auto format = text::read_text(at, report_);
    if (format && *format != kLayerFormat) {
      report_.add(at, "the format is " + text::in_quotes(*format) + ", not " + kLayerFormat,
                  "`saccade layers MODEL.onnx --json` writes one");
    }
  }

  void read_payment(const JsonAt& at) {
    static const std::vector<std::string> names = {"receiver", "sender", "both"};
    static constexpr std::array kPayments = {placement::kReceiverPays, placement::kSenderPays,
                                             placement::kBothPay};
    if (const auto index = text::read_choice(at, names, report_)) file_.chain.payment = kPayments[*index];
  }

  void read_processors(const JsonAt& at) {
    for (const JsonAt& item : text::read_list(at, report_)) {
      if (file_.chain.processors.size() == kMostProcessors) {
        report_.add(item, "there are more than " + std::to_string(kMostProcessors) + " processors", "");
        return;
      }
      ObjectReader object(item, report_);
      placement::Processor processor;
      if (const auto id = object.require("id")) {
        if (const auto name = text::read_id(*id, report_)) add_name(*id, *name, processor);
      }
      object.number("capacity", processor.capacity, text::kPositive);
      object.quantity("memory_limit_bytes", processor.memory, text::kPositive);
      object.quantity("idle_power_watts", processor.idle_power, text::kNotNegative);
      object.boolean("pays_transfers", processor.pays_transfers);
      file_.chain.processors.push_back(std::move(processor));
    }
  }

  void add_name(const JsonAt& at, const std::string& name, placement::Processor& processor) {
    if (!names_.emplace(name, file_.chain.processors.size()).second) {
      report_.add(at, "there are two processors " + text::in_quotes(name), "give each a name of its own");
    }
    processor.id = ProcessorId(name);
  }

  // The index of a processor's name.
  std::optional<std::size_t> processor_at(const JsonAt& at, const std::string& name) {
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
    std::vector<std::string> candidates;
    for (const auto& [candidate, index] : names_) candidates.push_back(candidate);
    const std::string meant = text::nearest(name, candidates);
    report_.add(at, "there is no processor " + text::in_quotes(name),
                meant.empty() ? "name one of `processors`" : "did you mean `" + meant + "`?");
    return std::nullopt;
  }

  std::optional<std::size_t> processor_member(ObjectReader& object, const std::string& key) {
    const auto member = object.require(key);
    if (!member) return std::nullopt;
    const auto name = text::read_text(*member, report_);
    return name ? processor_at(*member, *name) : std::nullopt;
  }

  void read_links(const JsonAt& at) {
    const std::size_t count = file_.chain.processors.size();
    file_.chain.links.assign(count, std::vector<Link>(count));
    for (const JsonAt& item : text::read_list(at, report_)) {
      ObjectReader object(item, report_);
      const auto from = processor_member(object, "from"), to = processor_member(object, "to");
      Link link;
      object.quantity("fixed_seconds", link.fixed, text::kNotNegative);
      object.number("seconds_per_byte", link.seconds_per_byte, text::kNotNegative);
      object.quantity("fixed_joules", link.fixed_energy, text::kNotNegative);
      object.number("joules_per_byte", link.joules_per_byte, text::kNotNegative);
      object.accept("residual_seconds");
      if (!from || !to) continue;
      if (*from == *to) {
        report_.add(item, "it leads from a processor to itself",
                    "nothing is transferred there: leave it out");
        continue;
      }
      file_.chain.links[*from][*to] = link;
    }
  }

  void read_whole(const JsonAt& at) {
    for (const auto& [name, member] : text::read_members(at, report_)) {
      const auto index = processor_at(member, name);
      ObjectReader object(member, report_);
      object.accept_all();
      std::optional<Seconds> time;
      object.quantity("frame_time_seconds", time, text::kPositive);
      if (index) file_.whole[*index] = time;
    }
  }

  void read_layers(const JsonAt& at) {
    for (const JsonAt& item : text::read_list(at, report_)) read_layer(item);
    if (file_.chain.layers.empty()) report_.add(at, "there are no layers", "a network has one at least");
  }

  void read_layer(const JsonAt& item) {
    ObjectReader object(item, report_);
    Layer layer;
    layer.on.resize(file_.chain.processors.size());
    if (const auto name = object.require("name")) layer.name = text::read_text(*name, report_).value_or("");
    object.integer("layers", layer.size, 1, 1'000'000);
    object.quantity("weight_bytes", layer.weights, text::kNotNegative);
    object.quantity("working_bytes", layer.working, text::kNotNegative);
    object.number("work", layer.work, text::kNotNegative);
    object.accept("operators");
    object.accept("multiply_adds");
    object.accept("seconds_alone");
    object.accept("seconds_p99");
    if (const auto times = object.find("seconds")) read_times(*times, layer);
    if (const auto energies = object.find("joules")) read_energies(*energies, layer);
    const auto before = object.find("before");
    if (before && file_.chain.layers.empty()) {
      report_.add(*before, "nothing lies before the first layer", "leave `before` out");
    } else if (!file_.chain.layers.empty()) {
      file_.chain.boundaries.emplace_back();
      file_.tensors.emplace_back();
      if (before) read_boundary(*before);
    }
    file_.chain.layers.push_back(std::move(layer));
  }

  void read_times(const JsonAt& at, Layer& layer) {
    for (const auto& [name, member] : text::read_members(at, report_)) {
      const auto index = processor_at(member, name);
      const auto seconds = text::read_number(member, text::kNotNegative, report_);
      if (index && seconds) layer.on[*index] = placement::LayerCost{Seconds(*seconds), std::nullopt};
    }
  }

  void read_energies(const JsonAt& at, Layer& layer) {
    for (const auto& [name, member] : text::read_members(at, report_)) {
      const auto index = processor_at(member, name);
      const auto joules = text::read_number(member, text::kNotNegative, report_);
      if (!index || !joules) continue;
      if (!layer.on[*index]) {
        report_.add(member, "the layer has an energy but no time on " + text::in_quotes(name),
                    "write its `seconds`, or leave the energy out");
        continue;
      }
      layer.on[*index]->energy = Joules(*joules);
    }
  }

  void read_boundary(const JsonAt& at) {
    Boundary& boundary = file_.chain.boundaries.back();
    ObjectReader object(at, report_);
    object.quantity("bytes", boundary.bytes, text::kNotNegative);
    object.boolean("cut", boundary.legal);
    if (const auto tensors = object.find("tensors")) {
      for (const JsonAt& item : text::read_list(*tensors, report_)) {
        file_.tensors.back().push_back(text::read_text(item, report_).value_or(""));
      }
    }
    if (const auto apart = object.find("apart_seconds")) read_apart(*apart, boundary);
    const auto crossings = object.find("transfers");
    if (!crossings) return;
    for (const JsonAt& item : text::read_list(*crossings, report_)) {
      ObjectReader crossing(item, report_);
      const auto from = processor_member(crossing, "from"), to = processor_member(crossing, "to");
      placement::Crossing read;
      crossing.quantity("seconds", read.time, text::kNotNegative);
      crossing.boolean("allowed", read.allowed);
      if (!from || !to) continue;
      read.from = *from;
      read.to = *to;
      boundary.crossings.push_back(read);
    }
  }

  void read_apart(const JsonAt& at, Boundary& boundary) {
    boundary.apart.assign(file_.chain.processors.size(), Seconds(0.0));
    for (const auto& [name, member] : text::read_members(at, report_)) {
      const auto index = processor_at(member, name);
      const auto seconds = text::read_number(member, text::kNotNegative, report_);
      if (index && seconds) boundary.apart[*index] = Seconds(*seconds);
    }
  }

  JsonReport& report_;
  LayerFile file_;
  std::map<std::string, std::size_t> names_;
};

Result<LayerFile> read_document(const std::optional<text::JsonValue>& document, JsonReport& report) {
  if (!document) return report.errors();
  return read_layer_document(*document, report);
}

}  // namespace

Result<LayerFile> read_layer_document(const text::JsonValue& document, JsonReport& report) {
  LayerFile file = LayerReader(report).read({&document, ""});
  if (!report.empty()) return report.errors();
  return file;
}

Result<LayerFile> parse_layer_file(std::string_view text, const std::string& name) {
  JsonReport report(name);
  return read_document(text::parse_json(text, report, kLayerLimits), report);
}

Result<LayerFile> read_layer_file(const std::filesystem::path& path) {
  JsonReport report(path.string());
  return read_document(text::read_json_file(path, report, kLayerLimits), report);
}

}  // namespace saccade::config
