#include "app/report/measured_state.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/report/table.hpp"
#include "runtime/frames/capture_facts.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;

// Absent: it is not there, or no number.
std::optional<double> number_at(const Json& of, const char* key) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  if (found == of.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

const Json& list_at(const Json& of, const char* key) {
  static const Json kEmpty = Json::array();
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found != of.end() && found->is_array() ? *found : kEmpty;
}

std::string text_at(const Json& of, const char* key) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string id_of(const Json& of) { return text_at(of, "id"); }

bool holds_at(const Json& of, const char* key) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found != of.end() && *found == true;
}

std::optional<runtime::CaptureSize> size_at(const Json& of, const char* key) {
  const Json& size = list_at(of, key);
  const auto pixels = [](const Json& each) { return each.is_number_integer() && each.get<int>() > 0; };
  if (size.size() != 2 || !std::all_of(size.begin(), size.end(), pixels)) return std::nullopt;
  return runtime::CaptureSize{size[0].get<int>(), size[1].get<int>()};
}

std::string text_of(const runtime::CaptureSize& size) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " pixels";
}

// False: a figure is missing.
bool lay_over(const Json& measured, scheduler::Processor& processor, std::vector<Sentence>& sentences) {
  const auto budget = number_at(measured, "time_budget");
  const auto guard = number_at(measured, "guard_seconds");
  const auto correction = number_at(measured, "correction");
  if (!budget || !guard || !correction) return false;
  const double left_for_it = processor.capacity - (*budget + *guard);
  processor.capacity = *budget + *guard;
  processor.guard = Seconds(*guard);
  processor.correction = *correction;
  const double decoding = number_at(measured, "decoding_seconds").value_or(0.0);
  if (decoding <= 0.0) return true;
  constexpr double kAlmostNothing = 0.005;
  const std::string& id = processor.id.str();
  sentences.push_back(
      {"decoding", id,
       "Decoding of cameras takes " + short_percent(decoding) + " of " + id +
           (left_for_it > kAlmostNothing ? "; plans leave it " + short_percent(left_for_it) + "."
                                         : "; the measured frame times include that already."),
       std::nullopt});
  return true;
}

// Of the rules that are active there.
void add_active_rules(const Json& rules, std::vector<Sentence>& sentences) {
  for (const Json& rule : rules) {
    if (!holds_at(rule, "active")) continue;
    std::string text = "In the service, rule " + id_of(rule) + " is active for " + text_at(rule, "task");
    if (const auto since = number_at(rule, "since_seconds"))
      text += " since second " + short_number(*since) + " of its run";
    text += " (condition: " + text_at(rule, "reason") + ")";
    if (holds_at(rule, "frozen")) text += ", frozen because it started and ended too often";
    const std::string refused = text_at(rule, "refused");
    text += refused.empty() ? "." : "; its settings are not in force: " + refused;
    sentences.push_back({"active_rule", id_of(rule), text, std::nullopt});
  }
}

}  // namespace

Result<std::vector<Sentence>> lay_measured_over(std::string_view status, const std::string& where,
                                                scheduler::Snapshot& snapshot) {
  const Json measured = Json::parse(status, nullptr, false);
  const Json& processors = list_at(measured, "processors");
  std::vector<Sentence> sentences;
  for (scheduler::Processor& processor : snapshot.processors) {
    const auto found = std::find_if(processors.begin(), processors.end(),
                                    [&](const Json& each) { return id_of(each) == processor.id.str(); });
    if (found == processors.end() || !lay_over(*found, processor, sentences)) {
      return Error{where, "reports no measurements of processor " + processor.id.str(),
                   "name the service that runs this configuration"};
    }
  }
  if (Errors errors = scheduler::validate(snapshot); !errors.empty()) return errors;
  for (const Json& task : list_at(measured, "tasks")) {
    const auto capture = task.is_object() ? task.find("capture") : task.end();
    if (capture == task.end()) continue;
    const auto sent = size_at(*capture, "sent_pixels");
    const auto used = size_at(*capture, "used_pixels");
    if (!sent || !used || !runtime::sends_too_much(*sent, *used)) continue;
    sentences.push_back({"camera", id_of(task),
                         "The camera of `" + id_of(task) + "` sends " + text_of(*sent) + ", reduced to " +
                             text_of(*used) + ": its sub-stream costs less to decode.",
                         std::nullopt});
  }
  add_active_rules(list_at(measured, "rules"), sentences);
  return sentences;
}

}  // namespace saccade::app
