#include "profiles/stage_io.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "profiles/interface_io.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {
namespace {

using text::in_quotes;
using text::JsonAt;

constexpr std::size_t kMostStages = 64;
constexpr int kMostLayers = 1'000'000;
constexpr int kMostSide = 1 << 30;

std::string shape_text(const StageTensor& tensor) {
  std::string text = to_string(tensor.type);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i == 0 ? " " : "x") + std::to_string(tensor.shape[i]);
  return text;
}

class StagesReader {
 public:
  StagesReader(text::JsonReport& report, const Variant& variant, const StageReaders& readers)
      : report_(report), variant_(variant), readers_(readers) {}

  std::vector<Stage> read(const JsonAt& at) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (at->kind == text::JsonValue::Kind::array && (items.size() < 2 || items.size() > kMostStages)) {
      report_.add(at, "there are " + std::to_string(items.size()) + " stages",
                  "a variant has 2 to 64 of them, or none and a `model`");
    }
    std::vector<Stage> stages;
    for (const JsonAt& item : items) {
      const bool last = stages.size() + 1 == items.size();
      stages.push_back(read_stage(item));
      check_against_those_before(item, stages);
      check_ends(item, stages, last);
    }
    if (kinds_are_known_ && !stages.empty()) check_times(at, stages);
    return stages;
  }

 private:
  Stage read_stage(const JsonAt& at) {
    Stage stage;
    text::ObjectReader reader(at, report_);
    const auto kind = reader.require("kind");
    kinds_are_known_ = kinds_are_known_ && kind.has_value();
    if (kind) {
      if (const auto processor = read_kind(*kind)) stage.kind = *processor;
    }
    if (const auto copies = reader.find_given("copies")) read_copies(*copies, stage);
    int unit = 0;
    reader.integer("unit", unit, 0, 63);
    if (unit > 0) {
      report_.add(at, "unit " + std::to_string(unit) + " of a kind is not planned with",
                  "give the processor a kind of its own, and write unit 0");
    }
    if (const auto model = reader.find_given("model")) stage.model = readers_.model(*model);
    if (const auto sha256 = reader.find_given("sha256")) stage.sha256 = readers_.sha256(*sha256);
    const auto layers = reader.require("layers");
    layers_are_known_ = layers_are_known_ && layers.has_value();
    if (layers) read_layers(*layers, stage);
    if (const auto takes = reader.find_given("takes")) stage.takes = read_tensors(*takes);
    if (const auto gives = reader.find_given("gives")) stage.gives = read_tensors(*gives);
    if (const auto time = reader.require("frame_time_seconds"))
      stage.frame_time = Seconds(text::read_number(*time, text::kPositive, report_).value_or(0.0));
    reader.quantity("transfer_seconds", stage.transfer, text::kNotNegative);
    reader.quantity("period_if_earlier_seconds", stage.period_if_earlier, text::kPositive);
    reader.quantity("period_if_later_seconds", stage.period_if_later, text::kPositive);
    return stage;
  }

  std::optional<ProcessorId> read_kind(const JsonAt& at) {
    const auto name = text::read_text(at, report_);
    if (!name) return std::nullopt;
    const ProcessorId kind(*name);
    if (!variant_.frame_time.contains(kind)) {
      kinds_are_known_ = false;
      std::string all;
      for (const auto& [processor, time] : variant_.frame_time)
        all += (all.empty() ? "" : ", ") + processor.str();
      report_.add(at, "`frame_time_seconds` has no time on " + in_quotes(*name),
                  all.empty() ? "write the variant's time on it" : "it has times on " + all);
    }
    return kind;
  }

  void read_copies(const JsonAt& at, Stage& stage) {
    for (const JsonAt& item : text::read_list(at, report_)) {
      const auto processor = read_kind(item);
      kinds_are_known_ = kinds_are_known_ && processor.has_value();
      if (!processor) continue;
      if (stage.runs_on(*processor)) {
        report_.add(item, "the stage runs on " + in_quotes(processor->str()) + " already",
                    "name every processor of a stage once");
        continue;
      }
      stage.copies.push_back(*processor);
    }
  }

  void read_layers(const JsonAt& at, Stage& stage) {
    const std::vector<JsonAt> ends = text::read_list(at, report_);
    const bool were_known = std::exchange(layers_are_known_, false);
    if (at->kind != text::JsonValue::Kind::array) return;
    std::vector<int> numbers;
    for (const JsonAt& end : ends) {
      if (const auto number = text::read_integer(end, 0, kMostLayers, report_)) numbers.push_back(*number);
    }
    if (numbers.size() != ends.size()) return;
    if (numbers.size() != 2 || numbers[0] > numbers[1]) {
      report_.add(at, "must be two layers, the first and the last", "for example [0, 12]");
      return;
    }
    layers_are_known_ = were_known;
    stage.first_layer = numbers[0];
    stage.last_layer = numbers[1];
  }

  std::vector<StageTensor> read_tensors(const JsonAt& at) {
    std::vector<StageTensor> tensors;
    for (const JsonAt& item : text::read_list(at, report_)) {
      StageTensor tensor;
      text::ObjectReader reader(item, report_);
      if (const auto name = reader.require("name"))
        tensor.name = text::read_text(*name, report_).value_or("");
      reader.choice(
          "type", tensor.type,
          {ElementType::fp32, ElementType::fp16, ElementType::uint8, ElementType::int32, ElementType::int64});
      if (const auto shape = reader.require("shape")) {
        for (const JsonAt& side : text::read_list(*shape, report_))
          tensor.shape.push_back(text::read_integer(side, 1, kMostSide, report_).value_or(1));
      }
      const bool twice = std::any_of(tensors.begin(), tensors.end(),
                                     [&](const StageTensor& other) { return other.name == tensor.name; });
      if (twice)
        report_.add(item, "the tensor " + in_quotes(tensor.name) + " is listed twice", "name it once");
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  // Layers follow each other, processors differ, and what is taken was given.
  void check_against_those_before(const JsonAt& at, const std::vector<Stage>& stages) {
    const Stage& stage = stages.back();
    const int expected = stages.size() == 1 ? 0 : stages[stages.size() - 2].last_layer + 1;
    if (layers_are_known_ && stage.first_layer != expected) {
      report_.add(at,
                  "the stage begins with layer " + std::to_string(stage.first_layer) + ", not " +
                      std::to_string(expected),
                  "the layers of the stages follow each other without a gap");
    }
    if (stages.size() == 1) return;
    for (std::size_t k = 0; k < stage.processors(); ++k) {
      const ProcessorId& processor = stage.processor(k);
      if (!stages[stages.size() - 2].runs_on(processor)) continue;
      report_.add(at, "two stages in a row run on " + in_quotes(processor.str()), "make them one stage");
    }
    for (const StageTensor& tensor : stage.takes) {
      const StageTensor* given = nullptr;
      for (std::size_t k = 0; k + 1 < stages.size(); ++k) {
        for (const StageTensor& candidate : stages[k].gives)
          if (candidate.name == tensor.name) given = &candidate;
      }
      if (given == nullptr) {
        report_.add(at, "no stage before it gives " + in_quotes(tensor.name), "name it in `gives` of one");
      } else if (*given != tensor) {
        report_.add(at,
                    "it takes " + in_quotes(tensor.name) + " as " + shape_text(tensor) + ", but is given " +
                        shape_text(*given),
                    "the stages belong to different cuts");
      }
    }
  }

  void check_ends(const JsonAt& at, const std::vector<Stage>& stages, bool last) {
    const Stage& stage = stages.back();
    const bool first = stages.size() == 1;
    if (first && !stage.takes.empty())
      report_.add(at, "the first stage takes tensors", "it takes the picture alone: remove `takes`");
    if (!first && stage.takes.empty())
      report_.add(at, "the stage takes nothing", "name the tensors that cross to it in `takes`");
    if (last && !stage.gives.empty())
      report_.add(at, "the last stage gives tensors", "its outputs are the interface's: remove `gives`");
    if (!last && stage.gives.empty())
      report_.add(at, "the stage gives nothing", "name the tensors that cross from it in `gives`");
    if (last && !stage.copies.empty())
      report_.add(at, "the last stage has `copies`", "results leave in order: it runs on one processor");
  }

  void check_times(const JsonAt& at, const std::vector<Stage>& stages) {
    std::map<ProcessorId, double> sums;
    for (const Stage& stage : stages) {
      const auto shared_by = static_cast<double>(stage.processors());
      for (std::size_t k = 0; k < stage.processors(); ++k)
        sums[stage.processor(k)] += stage.frame_time.value() / shared_by;
    }
    for (const auto& [processor, time] : variant_.frame_time) {
      const auto sum = sums.find(processor);
      if (sum == sums.end()) {
        report_.add(at,
                    "no stage runs on " + in_quotes(processor.str()) + ", where the variant has a frame time",
                    "add a stage there, or remove the time");
      } else if (std::abs(sum->second - time.value()) > 0.01 * time.value()) {
        report_.add(
            at,
            "the stages take " + text::to_text(sum->second) + " s on " + in_quotes(processor.str()) +
                ", `frame_time_seconds` says " + text::to_text(time.value()),
            "the frame time of a processor is the sum of its stages, each by its number of processors");
      }
    }
  }

  text::JsonReport& report_;
  const Variant& variant_;
  const StageReaders& readers_;
  bool kinds_are_known_ = true, layers_are_known_ = true;  // of all stages so far
};

}  // namespace

Staging read_staging(const JsonAt& at, text::ObjectReader& reader, const Variant& variant,
                     const StageReaders& readers) {
  Staging staging;
  staging.stages = StagesReader(reader.report(), variant, readers).read(at);
  if (!variant.model.empty()) {
    reader.report().add(at, "the variant has both `model` and `stages`",
                        "remove `model`: stages have their own");
  }
  if (!variant.batch_time.empty())
    reader.report().add(at, "the variant has both `batch_time_seconds` and `stages`",
                        "remove the batches: stages take one picture at a time");
  if (!variant.batch_energy.empty())
    reader.report().add(at, "the variant has both `batch_energy_joules` and `stages`",
                        "remove the batches: stages take one picture at a time");
  if (const auto latency = reader.require("latency_seconds"))
    staging.latency = Seconds(text::read_number(*latency, text::kPositive, reader.report()).value_or(0.0));
  if (const auto rate = reader.require("max_fps"))
    staging.max_fps = Fps(text::read_number(*rate, text::kPositive, reader.report()).value_or(0.0));
  reader.integer("max_in_flight", staging.max_in_flight, 1, 1'000'000);
  return staging;
}

}  // namespace saccade::profiles
