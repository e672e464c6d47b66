#include "app/report/run_report.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;
using Align = Table::Align;

// --- JSON -----------------------------------------------------------------------------------------

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json id(const std::optional<VariantId>& variant) { return variant ? Json(variant->str()) : Json(nullptr); }

Json accuracy_json(const runtime::AccuracyCheck& check) {
  return {{"labelled_inferences", check.labelled},
          {"different_images", check.different_images},
          {"measured", check.measured},
          {"promised", check.promised},
          {"standard_error", number(check.standard_error)},
          {"deviation_in_standard_errors", number(check.deviation())}};
}

Json task_json(const runtime::TaskSummary& task) {
  Json dropped = Json::object();
  for (std::size_t i = 0; i < runtime::kDropReasons; ++i) {
    dropped[to_string(static_cast<runtime::DropReason>(i))] = task.dropped[i];
  }
  Json by_cause = Json::object();
  for (std::size_t i = 0; i < runtime::kLossCauses; ++i) {
    by_cause[to_string(static_cast<runtime::LossCause>(i))] = task.dropped_by_cause[i];
  }
  Json variants = Json::array();
  for (const runtime::VariantSummary& variant : task.variants) {
    variants.push_back({{"id", variant.id.str()},
                        {"frames", variant.frames},
                        {"labelled_inferences", variant.labelled},
                        {"measured_accuracy", number(variant.measured_accuracy)},
                        {"promised_accuracy", variant.promised_accuracy},
                        {"frame_time_residual", number(variant.residual)}});
  }
  Json latency = nullptr;
  if (task.latency) {
    latency = {{"p50", task.latency->p50.value()},
               {"p99", task.latency->p99.value()},
               {"max", task.latency->max.value()},
               {"p99_in_periods", task.latency->p99_in_periods}};
  }
  Json age = nullptr;
  if (task.age) {
    age = {{"p50", task.age->p50.value()}, {"p99", task.age->p99.value()}, {"max", task.age->max.value()}};
  }
  Json parts = nullptr;
  if (task.frame_time_parts) {
    parts = {{"prepare", task.frame_time_parts->prepare.value()},
             {"infer", task.frame_time_parts->infer.value()},
             {"decode", task.frame_time_parts->decode.value()}};
  }
  return {{"id", task.id.str()},
          {"demanded", task.demanded},
          {"granted", task.granted},
          {"received", task.received},
          {"processed", task.processed},
          {"rejected", task.rejected},
          {"dropped", std::move(dropped)},
          {"dropped_by_cause", std::move(by_cause)},
          {"dropped_in_stall", task.dropped_in_stall},
          {"missed_in_stall", task.missed_in_stall},
          {"in_flight", task.in_flight},
          {"achieved_rate", number(task.achieved_rate)},
          {"mean_relative_accuracy", number(task.mean_relative_accuracy)},
          {"delivered_accuracy", number(task.delivered_accuracy)},
          {"measured_accuracy", task.accuracy ? Json(task.accuracy->measured) : Json(nullptr)},
          {"promised_accuracy", task.accuracy ? Json(task.accuracy->promised) : Json(nullptr)},
          {"accuracy_check", task.accuracy ? accuracy_json(*task.accuracy) : Json(nullptr)},
          {"switches", task.switches},
          {"latency_seconds", std::move(latency)},
          {"age_seconds", std::move(age)},
          {"frame_time_parts_seconds", std::move(parts)},
          {"largest_gap_seconds", task.largest_gap.value()},
          {"variants", std::move(variants)}};
}

Json segment_json(const runtime::SegmentSummary& segment, const runtime::RunSummary& summary) {
  Json tasks = Json::array();
  for (std::size_t i = 0; i < segment.tasks.size(); ++i) {
    const runtime::SegmentFrames& frames = segment.tasks[i];
    const auto share = [&](std::int64_t part) {
      return frames.demanded == 0 ? Json(nullptr)
                                  : Json(static_cast<double>(part) / static_cast<double>(frames.demanded));
    };
    tasks.push_back({{"id", summary.tasks[i].id.str()},
                     {"demanded", frames.demanded},
                     {"granted", frames.granted},
                     {"processed", frames.processed},
                     {"granted_share", share(frames.granted)},
                     {"achieved_rate", share(frames.processed)}});
  }
  return {{"from_seconds", segment.from.value()},
          {"to_seconds", segment.to.value()},
          {"achieved_rate", number(segment.achieved_rate)},
          {"tasks", std::move(tasks)}};
}

Json switch_json(const runtime::SwitchSummary& record) {
  return {{"at_seconds", record.at.value()},
          {"task", record.task.str()},
          {"from", id(record.from)},
          {"to", id(record.to)},
          {"load_seconds", record.load.value()},
          {"warm_seconds", record.warm.value()},
          {"swap_seconds", record.swap.value()},
          {"frames_lost", record.frames_lost},
          {"both_fit", record.both_fit},
          {"bridge", record.bridge}};
}

// --- Tables ---------------------------------------------------------------------------------------

std::string percent_or_dash(std::optional<double> share, int digits = 1) {
  return share ? percent(*share, digits) : "-";
}

std::string milliseconds(Seconds time) { return short_number(time.value() * 1e3) + " ms"; }

std::string drops(const runtime::TaskSummary& task) {
  std::string text;
  for (std::size_t i = 0; i < runtime::kDropReasons; ++i) {
    if (task.dropped[i] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(task.dropped[i]) + " " +
            to_string(static_cast<runtime::DropReason>(i));
  }
  if (task.rejected > 0) {
    text += (text.empty() ? "" : ", ") + std::to_string(task.rejected) + " rejected";
  }
  if (task.dropped_in_stall > 0) text += " (" + std::to_string(task.dropped_in_stall) + " outside)";
  if (task.missed_in_stall > 0) {
    text += (text.empty() ? "" : ", ") + std::to_string(task.missed_in_stall) + " missed outside";
  }
  return text.empty() ? "none" : text;
}

std::string accuracy(const runtime::TaskSummary& task) {
  if (!task.accuracy) return "-";
  const runtime::AccuracyCheck& check = *task.accuracy;
  return percent_or_dash(check.measured) + " (promised " + percent_or_dash(check.promised) + " +- " +
         percent_or_dash(check.standard_error) + ")";
}

void print_tasks(const runtime::RunSummary& summary, std::ostream& out) {
  Table table({{"task", Align::left},
               {"demanded", Align::right},
               {"processed", Align::right},
               {"achieved", Align::right},
               {"of best", Align::right},
               {"switches", Align::right},
               {"p99", Align::right},
               {"in periods", Align::right},
               {"measured accuracy", Align::left},
               {"dropped", Align::left}});
  for (const runtime::TaskSummary& task : summary.tasks) {
    table.add_row({task.id.str(), std::to_string(task.demanded), std::to_string(task.processed),
                   percent_or_dash(task.achieved_rate, 2), percent_or_dash(task.mean_relative_accuracy),
                   std::to_string(task.switches), task.latency ? milliseconds(task.latency->p99) : "-",
                   task.latency ? short_number(task.latency->p99_in_periods) : "-", accuracy(task),
                   drops(task)});
  }
  table.print(out);
}

void print_segments(const runtime::RunSummary& summary, std::ostream& out) {
  if (summary.segments.size() < 2) return;
  std::vector<Table::Column> columns{
      {"from", Align::right}, {"to", Align::right}, {"achieved", Align::right}};
  for (const runtime::TaskSummary& task : summary.tasks) columns.push_back({task.id.str(), Align::right});
  Table table(std::move(columns));
  for (const runtime::SegmentSummary& segment : summary.segments) {
    std::vector<std::string> row{short_number(segment.from.value()) + " s",
                                 short_number(segment.to.value()) + " s",
                                 percent_or_dash(segment.achieved_rate, 2)};
    for (const runtime::SegmentFrames& frames : segment.tasks) {
      row.push_back(std::to_string(frames.processed) + "/" + std::to_string(frames.demanded));
    }
    table.add_row(std::move(row));
  }
  out << '\n';
  table.print(out);
}

void print_switches(const runtime::RunSummary& summary, std::ostream& out) {
  if (summary.switches.empty()) return;
  Table table({{"at", Align::right},
               {"task", Align::left},
               {"from", Align::left},
               {"to", Align::left},
               {"load", Align::right},
               {"warm-up", Align::right},
               {"swap", Align::right},
               {"frames lost", Align::right}});
  for (const runtime::SwitchSummary& record : summary.switches) {
    table.add_row({short_number(record.at.value()) + " s", record.task.str(),
                   record.from ? record.from->str() : "-",
                   (record.to ? record.to->str() : "off") + (record.bridge ? " (bridge)" : ""),
                   milliseconds(record.load), milliseconds(record.warm), milliseconds(record.swap),
                   std::to_string(record.frames_lost) +
                       (record.frames_lost == 0 || record.both_fit ? "" : " (both did not fit)")});
  }
  out << '\n';
  table.print(out);
}

// The figures above are raw: this says how many of the losses were not the product's.
void print_outside(const runtime::RunSummary& summary, std::ostream& out) {
  const runtime::OutsideSummary& outside = summary.outside;
  if (!outside.watched) {
    out << "outside: not known; name the CPUs of the processors (`cpus`), eight at most for each\n";
  } else if (summary.stalls > 0) {
    out << "outside: " << outside.frames << " frames";
    if (outside.stolen.value() > 0.0) out << ", " << milliseconds(outside.stolen) << " of steal";
    const Seconds programs = outside.held - outside.stolen;
    if (programs.value() > 0.0) out << ", " << milliseconds(programs) << " of other programs";
    out << " (" << summary.stalls << " times, " << milliseconds(summary.longest_stall)
        << " at the longest)\n";
  }
  if (outside.throttled > 0) {
    out << "the CPU quota of the control group throttled the process " << outside.throttled << " times, "
        << milliseconds(outside.throttled_time) << "; frames lost to it count as lost\n";
  }
}

}  // namespace

nlohmann::ordered_json to_json(const runtime::RunSummary& summary) {
  Json tasks = Json::array();
  for (const runtime::TaskSummary& task : summary.tasks) tasks.push_back(task_json(task));
  Json segments = Json::array();
  for (const runtime::SegmentSummary& segment : summary.segments) {
    segments.push_back(segment_json(segment, summary));
  }
  Json processors = Json::object();
  for (const runtime::ProcessorSummary& processor : summary.processors) {
    processors[processor.id.str()] = {{"busy_share", processor.busy_share},
                                      {"correction", processor.correction},
                                      {"guard_seconds", processor.guard.value()}};
    if (processor.slowdown > 1.0) processors[processor.id.str()]["emulated_slowdown"] = processor.slowdown;
  }
  Json switches = Json::array();
  for (const runtime::SwitchSummary& record : summary.switches) switches.push_back(switch_json(record));
  Json json = {{"seconds", summary.seconds.value()},
               {"generations", summary.generations},
               {"tasks", std::move(tasks)},
               {"segments", std::move(segments)},
               {"achieved_rate", number(summary.achieved_rate)},
               {"mean_relative_accuracy", number(summary.mean_relative_accuracy)},
               {"delivered_accuracy", number(summary.delivered_accuracy)},
               {"processor", std::move(processors)},
               {"energy_joules", summary.energy ? Json(summary.energy->total.value()) : Json(nullptr)},
               {"energy_source", summary.energy ? Json(to_string(summary.energy->source)) : Json(nullptr)},
               {"energy_meter", summary.energy && !summary.energy->meter.empty() ? Json(summary.energy->meter)
                                                                                 : Json(nullptr)},
               {"memory_peak_bytes", std::llround(summary.memory_peak.value())},
               {"switches", std::move(switches)},
               {"solves",
                {{"count", summary.solves.count},
                 {"p50_seconds", summary.solves.p50.value()},
                 {"max_seconds", summary.solves.max.value()}}},
               {"overhead_share", summary.overhead_share},
               {"stalls", {{"count", summary.stalls}, {"longest_seconds", summary.longest_stall.value()}}},
               {"outside",
                {{"frames", summary.outside.frames},
                 {"held_seconds", summary.outside.held.value()},
                 {"steal_seconds", summary.outside.stolen.value()},
                 {"throttled_count", summary.outside.throttled},
                 {"throttled_seconds", summary.outside.throttled_time.value()}}}};
  for (const runtime::MemoryUse& memory : summary.memories) {
    json["memories"][memory.name] = {{"peak_bytes", std::llround(memory.peak.value())}};
  }
  if (!summary.outside.watched) {  // what was not looked at is not 0
    json["stalls"] = {{"count", nullptr}, {"longest_seconds", nullptr}};
    for (const char* key : {"frames", "held_seconds", "steal_seconds"}) json["outside"][key] = nullptr;
    for (nlohmann::ordered_json& task : json["tasks"])
      task["dropped_in_stall"] = task["missed_in_stall"] = nullptr;
  }
  return json;
}

void write_event(std::ostream& file, Duration at, const runtime::action::Report& report) {
  nlohmann::ordered_json line{{"at_ns", at.count()}, {"event", to_string(report.event)}};
  if (!report.task.empty()) line["task"] = report.task;
  if (!report.detail.empty()) line["detail"] = report.detail;
  file << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

Status finish_events(std::ostream& file, const std::string& name) {
  file.flush();
  if (file) return Done{};
  return Error{name, "not every event could be written: the file ends early",
               "make room for it, or name a file on another disk"};
}

void print_summary(const runtime::RunSummary& summary, std::ostream& out) {
  print_tasks(summary, out);
  print_segments(summary, out);
  print_switches(summary, out);
  out << "\nachieved rate " << percent_or_dash(summary.achieved_rate, 2) << ", mean relative accuracy "
      << percent_or_dash(summary.mean_relative_accuracy, 2) << ", delivered accuracy "
      << percent_or_dash(summary.delivered_accuracy, 2) << ", overhead "
      << percent_or_dash(summary.overhead_share, 3) << '\n';
  out << short_number(summary.seconds.value()) << " s, " << summary.solves.count << " solves ("
      << milliseconds(summary.solves.p50) << " median, " << milliseconds(summary.solves.max) << " longest), "
      << summary.switches.size() << " switches, memory peak " << short_bytes(summary.memory_peak.value());
  for (const runtime::MemoryUse& memory : summary.memories) {
    out << ", of " << memory.name << ' ' << short_bytes(memory.peak.value());
  }
  for (const runtime::ProcessorSummary& processor : summary.processors) {
    out << ", " << processor.id.str() << " busy " << percent_or_dash(processor.busy_share);
    if (processor.slowdown > 1.0) out << ", emulated " << short_number(processor.slowdown) << " times slower";
    if (processor.correction != 1.0) out << " (times x " << short_number(processor.correction) << ")";
  }
  if (summary.energy) {
    out << ", energy " << short_number(summary.energy->total.value()) << " J ("
        << to_string(summary.energy->source)
        << (summary.energy->meter.empty() ? "" : ", " + summary.energy->meter) << ")";
  }
  out << '\n';
  print_outside(summary, out);
}

}  // namespace saccade::app
