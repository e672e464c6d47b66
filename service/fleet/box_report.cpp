#include "service/fleet/box_report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "runtime/machine/checksum.hpp"
#include "text/text_file.hpp"

namespace saccade::service {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr int kReportFormat = 1;
constexpr std::size_t kMostProfileBytes = 1024UL * 1024UL;

// Folders of this machine are nobody else's business.
void forget_files(ReportJson& json) {
  if (json.is_object()) json.erase("model");
  for (auto& member : json) {
    if (member.is_structured()) forget_files(member);
  }
}

ReportJson limits_json(const scheduler::Limits& limits) {
  ReportJson json = ReportJson::object();
  if (limits.peak_power) json["peak_power_watts"] = limits.peak_power->value();
  if (limits.energy_per_second) json["energy_joules_per_second"] = limits.energy_per_second->value();
  if (limits.memory) json["memory_bytes"] = limits.memory->value();
  return json;
}

}  // namespace

std::string digest_of(const std::string& text) {
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016llx",
                static_cast<unsigned long long>(runtime::checksum(std::span(text.data(), text.size()))));
  return digest;
}

Result<BoxReport> box_report(const config::FleetSettings& fleet, const runtime::RunConfig& run,
                             const std::string& version, const std::string& livez) {
  BoxReport report;
  ReportJson networks = ReportJson::object();
  for (const auto& [network, file] : fleet.networks) {
    const Result<std::string> text = text::read_text_file(file, 1);
    if (!text) return text.errors();
    ReportJson set = ReportJson::parse(text.value(), nullptr, false);
    if (set.is_discarded()) return Error{file.string(), "is no JSON", ""};
    forget_files(set);
    std::string shared = set.dump();
    if (shared.size() > kMostProfileBytes) return Error{file.string(), "is too large for the store", ""};
    const std::string digest = digest_of(shared);
    networks[network] = digest;
    report.profiles.emplace(digest, std::move(shared));
  }
  const scheduler::Snapshot& snapshot = run.timeline.front().snapshot;
  ReportJson processors = ReportJson::array();
  for (const scheduler::Processor& processor : snapshot.processors) {
    processors.push_back({{"name", processor.id.str()},
                          {"capacity", processor.capacity},
                          {"guard_seconds", processor.guard.value()}});
  }
  ReportJson json = {{"format", kReportFormat},
                     {"version", version},
                     {"box", fleet.box},
                     {"labels", fleet.labels},
                     {"processors", processors},
                     {"limits", limits_json(snapshot.limits)},
                     {"idle_power_watts", snapshot.idle_power.value()},
                     {"networks", networks}};
  if (!livez.empty()) json["livez"] = livez;
  report.text = json.dump();
  return report;
}

}  // namespace saccade::service
