#include "service/fleet/box_report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/solvers.hpp"
#include "fleet/problem.hpp"
#include "runtime/machine/checksum.hpp"
#include "scheduler/policy.hpp"
#include "text/text_file.hpp"

namespace saccade::service {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr int kReportFormat = 1;
constexpr std::size_t kMostProfileBytes = 1024UL * 1024UL;

constexpr double kLeastOffer = 1e-3;  // of a capacity: a box that has nothing left stays in the fleet

// What the tasks of the box's own configuration get while it serves nothing else.
struct OwnUse {
  std::vector<double> time_share;          // per processor; empty: there are none
  double memory = 0.0;                     // engines; what contexts take is reported with the processors
  std::map<std::string, double> memories;  // of devices, the same
  double energy_per_second = 0.0;
};
OwnUse own_use(const scheduler::Snapshot& snapshot) {
  OwnUse use;
  const bool active = std::any_of(snapshot.tasks.begin(), snapshot.tasks.end(),
                                  [](const scheduler::Task& task) { return task.active(); });
  if (!active) return use;
  const auto solver = config::make_solver("core");
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, *solver);
  const scheduler::Plan plan = policy->decide(snapshot, {});
  const scheduler::Plan* const runs = scheduler::runnable(plan);
  if (runs == nullptr) return use;
  use.time_share = runs->totals.time_share;
  if (runs->totals.memory)
    use.memory = runs->totals.memory->value() - scheduler::host_context(snapshot).value();
  const std::vector<scheduler::DeviceMemory> devices = scheduler::device_memories(snapshot);
  for (std::size_t m = 0; m < devices.size() && m < runs->totals.device_memory.size(); ++m) {
    const std::optional<Bytes>& used = runs->totals.device_memory[m];
    if (used) use.memories[devices[m].name] = std::max(used->value() - devices[m].context.value(), 0.0);
  }
  if (runs->totals.energy_per_second)
    use.energy_per_second = runs->totals.energy_per_second->value() - snapshot.idle_power.value();
  return use;
}

// Folders of this machine are nobody else's business.
void forget_files(ReportJson& json) {
  if (json.is_object()) json.erase("model");
  for (auto& member : json) {
    if (member.is_structured()) forget_files(member);
  }
}

ReportJson limits_json(const scheduler::Snapshot& snapshot, const OwnUse& own) {
  const scheduler::Limits& limits = snapshot.limits;
  const auto rest = [](double limit, double used, double floor) {
    return std::max(limit - used, floor + kLeastOffer * (limit - floor));
  };
  ReportJson json = ReportJson::object();
  if (limits.peak_power) json["peak_power_watts"] = limits.peak_power->value();
  if (limits.energy_per_second)
    json["energy_joules_per_second"] =
        rest(limits.energy_per_second->value(), own.energy_per_second, snapshot.idle_power.value());
  if (limits.memory)
    json["memory_bytes"] =
        rest(limits.memory->value(), own.memory, scheduler::host_context(snapshot).value());
  for (const scheduler::DeviceMemory& device : scheduler::device_memories(snapshot)) {
    const auto limit = limits.memories.find(device.name);
    if (limit == limits.memories.end()) continue;
    const auto used = own.memories.find(device.name);
    json["memories"][device.name] =
        rest(limit->second.value(), used == own.memories.end() ? 0.0 : used->second, device.context.value());
  }
  return json;
}

ReportJson processor_json(const scheduler::Processor& processor, double capacity) {
  ReportJson json = {
      {"name", processor.id.str()}, {"capacity", capacity}, {"guard_seconds", processor.guard.value()}};
  if (!processor.kind.str().empty()) json["kind"] = processor.kind.str();
  if (!processor.memory.empty()) json["memory"] = processor.memory;
  if (processor.context.value() > 0.0) json["context_memory_bytes"] = processor.context.value();
  if (processor.device_context.value() > 0.0)
    json["context_device_memory_bytes"] = processor.device_context.value();
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
                             const std::string& version, const std::string& livez, const std::string& api) {
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
  const OwnUse own = own_use(snapshot);
  ReportJson processors = ReportJson::array();
  ReportJson corrections = ReportJson::object();  // for who reads it: capacities have them already
  for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
    const scheduler::Processor& processor = snapshot.processors[p];
    const double used = own.time_share.empty() ? 0.0 : own.time_share[p];
    const double rest = std::max(processor.budget() - used, kLeastOffer * processor.budget());
    const bool whole = used == 0.0 && processor.correction == 1.0;
    const double capacity =
        whole ? processor.capacity
              : std::min(processor.capacity, rest / processor.correction + processor.guard.value());
    if (processor.correction != 1.0) corrections[processor.id.str()] = processor.correction;
    processors.push_back(processor_json(processor, capacity));
  }
  ReportJson json = {{"format", kReportFormat},
                     {"version", version},
                     {"features", fleet::known_features()},
                     {"box", fleet.box},
                     {"labels", fleet.labels},
                     {"processors", processors},
                     {"limits", limits_json(snapshot, own)},
                     {"idle_power_watts", snapshot.idle_power.value()},
                     {"networks", networks}};
  if (!corrections.empty()) json["corrections"] = corrections;
  if (!livez.empty()) json["livez"] = livez;
  if (!api.empty()) json["api"] = api;
  report.text = json.dump();
  return report;
}

}  // namespace saccade::service
