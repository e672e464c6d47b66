#include "config/processors_config.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/source_config.hpp"
#include "config/state_settings.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr double kLargestLossTarget = 0.5;
// On a card, inferences of engines without graphs took up to twice as long beside loads without a pause, and
// 1.1 times with one load every 250 ms (docs/accelerators.md).
constexpr Seconds kPauseWithoutGraphs{0.25};
constexpr double kLongestPause = 60.0;
constexpr const char* kAutoKind = "cpu";

ProcessorList one_per_core(const JsonAt& at, const std::vector<std::vector<int>>& cores) {
  ProcessorList list;
  for (const std::vector<int>& core : cores) {
    scheduler::Processor processor;
    processor.id = ProcessorId("cpu" + std::to_string(core.front()));
    processor.kind = ProcessorId(kAutoKind);
    runtime::ProcessorConfig config;
    config.id = processor.id;
    config.cpus = {core.front()};
    config.auto_guard.emplace();
    list.planned.push_back(std::move(processor));
    list.run.push_back(std::move(config));
    list.at.push_back(at);
    list.kind_given.push_back(true);
    list.slowdowns.push_back(1.0);
  }
  return list;
}

class ProcessorReader {
 public:
  explicit ProcessorReader(JsonReport& report) : report_(report) {}

  ProcessorList read(const JsonAt& at) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.empty() && at->kind == JsonValue::Kind::array) {
      report_.add(at, "there is no processor", "for example [{\"name\": \"cpu\"}]");
    }
    for (const JsonAt& item : items) read_one(item);
    check_waits();
    return std::move(list_);
  }

 private:
  void read_one(const JsonAt& item) {
    scheduler::Processor processor;
    runtime::ProcessorConfig config;
    ObjectReader reader(item, report_);
    if (const auto name = reader.require("name")) {
      processor.id = ProcessorId(text::read_id(*name, report_).value_or(""));
      config.id = processor.id;
      if (!processor.id.str().empty() && !names_.insert(processor.id.str()).second) {
        report_.add(*name, "the name " + in_quotes(processor.id.str()) + " is used by two processors",
                    "rename one of the two; equal processors have one `kind` and a name each");
      }
    }
    const auto kind = reader.find_given("kind");
    if (kind) processor.kind = ProcessorId(text::read_id(*kind, report_).value_or(""));
    reader.number("capacity", processor.capacity, {0.0, true, 1.0});
    read_guard(reader, processor, config);
    if (processor.budget() <= 0.0) {
      const auto guard = reader.find("guard_seconds");
      report_.add(guard ? *guard : item,
                  "the guard of " + text::to_text(processor.guard.value()) +
                      " s leaves nothing of the capacity of " + text::to_text(processor.capacity),
                  "the guard is kept free in every second; it must be below the capacity");
    }
    read_memory(reader, processor);
    if (const auto cpus = reader.find("cpus")) config.cpus = read_cpus(*cpus);
    read_provider(reader, item, processor, config);
    list_.slowdowns.push_back(read_slowdown(reader, config.provider == "cpu"));
    list_.planned.push_back(std::move(processor));
    list_.run.push_back(std::move(config));
    list_.at.push_back(item);
    list_.kind_given.push_back(kind.has_value());
  }

  // The way of waiting is set once, for all threads of the process.
  void check_waits() {
    const runtime::ProcessorConfig* first = nullptr;
    for (std::size_t p = 0; p < list_.run.size(); ++p) {
      const runtime::ProcessorConfig& config = list_.run[p];
      if (config.provider == "cpu") continue;
      if (first == nullptr) first = &config;
      if (config.block == first->block) continue;
      const JsonAt& item = list_.at[p];
      const JsonValue* const given = item->find("wait");
      report_.add(given != nullptr ? item.member("wait", *given) : item,
                  "it waits in another way than " + in_quotes(first->id.str()) +
                      ", and `wait` holds for all accelerators of a process",
                  "give all of them the same `wait`");
      return;
    }
  }

  // What a machine lacks for it is no mistake of the file: config/providers.hpp.
  void read_provider(ObjectReader& reader, const JsonAt& item, const scheduler::Processor& processor,
                     runtime::ProcessorConfig& config) {
    const std::vector<std::string> names = {"cpu", "cuda", "tensorrt", "webgpu"};
    if (const auto provider = reader.find("provider")) {
      if (const auto index = text::read_choice(*provider, names, report_)) config.provider = names[*index];
    }
    constexpr int kMostDevices = 63;
    reader.integer("device", config.device, 0, kMostDevices);
    reader.boolean("graphs", config.graphs);
    if (const auto wait = reader.find("wait")) {
      const auto way = text::read_choice(*wait, {"spin", "block"}, report_);
      config.block = way && *way == 1;
    }
    std::optional<Seconds> pause;
    reader.quantity("load_pause_seconds", pause, {0.0, false, kLongestPause});
    const bool disturbed = config.provider != "cpu" && !config.graphs;
    config.load_pause = pause.value_or(disturbed ? kPauseWithoutGraphs : Seconds(0.0));
    if (config.provider == "cuda" && processor.memory.empty()) {
      report_.add(item, "the processor names no `memory`, so that the device's would not be counted",
                  "give it a name, for example \"gpu0\", and a limit in `limits.memories`");
    }
    if (config.provider != "cpu") return;
    for (const char* key : {"device", "graphs", "wait", "load_pause_seconds"}) {
      const JsonValue* given = item->find(key);
      const bool otherwise =
          config.device != 0 || !config.graphs || config.block || config.load_pause > Seconds(0.0);
      if (given != nullptr && otherwise) {
        report_.add(item.member(key, *given), "the provider `cpu` has no such setting",
                    "\"provider\": \"cuda\" has");
      }
    }
  }

  // A number, or "auto".
  void read_guard(ObjectReader& reader, scheduler::Processor& processor, runtime::ProcessorConfig& config) {
    runtime::GuardOptions options;
    const std::optional<JsonAt> target = reader.find("loss_target");
    reader.number("loss_target", options.loss_target, {0.0, true, kLargestLossTarget});
    const std::optional<JsonAt> guard = reader.find("guard_seconds");
    if (guard && (*guard)->kind == JsonValue::Kind::number) {
      reader.quantity("guard_seconds", processor.guard, text::kNotNegative);
      if (target) {
        report_.add(*target, "a guard that is a number follows no target",
                    "leave out `loss_target`, or write \"guard_seconds\": \"auto\"");
      }
      return;
    }
    if (guard && ((*guard)->kind != JsonValue::Kind::string || (*guard)->string != "auto")) {
      report_.add(*guard, "must be a number of seconds or \"auto\"",
                  "\"auto\" is the default: the guard follows the frames lost");
      return;
    }
    config.auto_guard = options;
  }

  std::vector<int> read_cpus(const JsonAt& at) {
    constexpr int kMaxCpu = 1023;  // what a CPU set of the C library holds
    std::vector<int> cpus;
    for (const JsonAt& item : text::read_list(at, report_)) {
      const std::optional<int> cpu = text::read_integer(item, 0, kMaxCpu, report_);
      if (!cpu) continue;
      if (std::find(cpus.begin(), cpus.end(), *cpu) != cpus.end()) {
        report_.add(item, "CPU " + std::to_string(*cpu) + " is listed twice", "remove one of the two");
      }
      cpus.push_back(*cpu);
    }
    return cpus;
  }

  JsonReport& report_;
  std::set<std::string> names_;
  ProcessorList list_;
};

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

void settle(const std::vector<ProfileFile>& sets, std::size_t p, ProcessorList& processors,
            JsonReport& report) {
  const profiles::KindOfProcessor own = processors.kinds()[p];
  runtime::ProcessorConfig& config = processors.run[p];
  const auto cpus = static_cast<int>(config.cpus.size());
  bool settled = false;
  for (const ProfileFile& file : sets) {
    const profiles::Device& device = file.set->device;
    if (std::find(device.processors.begin(), device.processors.end(), own.kind) == device.processors.end()) {
      continue;
    }
    const int threads = device.threads_on(own.kind);
    const std::string name = std::filesystem::path(file.path).filename().string();
    const std::string measured =
        name + " was measured with " + threads_text(threads) + " on " + in_quotes(own.kind.str());
    if ((processors.kind_given[p] || threads > 1) && cpus > 0 && threads != cpus) {
      report.add(processors.at[p],
                 measured + ", and processor " + in_quotes(own.processor.str()) + " has " +
                     std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs"),
                 "a processor runs as many threads as it has CPUs: measure with `saccade profile --cpu`, and "
                 "give kinds with different numbers of threads different names");
      return;
    }
    if (settled && threads != config.threads) {
      report.add(processors.at[p], measured + ", another profile set with " + threads_text(config.threads),
                 "give kinds with different numbers of threads different names");
      return;
    }
    config.threads = threads;
    settled = true;
  }
  // No set of now names it, and one of later can have no other number: tasks come and go, processors stay.
  if (!settled && processors.kind_given[p] && cpus > 0) config.threads = cpus;
}

}  // namespace

std::vector<profiles::KindOfProcessor> ProcessorList::kinds() const {
  std::vector<profiles::KindOfProcessor> kinds;
  for (const scheduler::Processor& processor : planned) {
    kinds.push_back({processor.id, processor.kind.str().empty() ? processor.id : processor.kind});
  }
  return kinds;
}

ProcessorList read_processors(const JsonAt& at, const std::vector<std::vector<int>>& cores,
                              JsonReport& report) {
  if (at->kind != JsonValue::Kind::string) return ProcessorReader(report).read(at);
  if (at->string == "auto") return one_per_core(at, cores);
  report.add(at, "must be a list of processors or \"auto\"", "\"auto\": one processor for every core");
  return {};
}

double read_slowdown(ObjectReader& reader, bool on_cpu) {
  constexpr double kMost = 100.0;
  double slowdown = 1.0;
  reader.number("slowdown", slowdown, {1.0, false, kMost});
  const auto given = reader.find("slowdown");
  if (!on_cpu && given && slowdown != 1.0) {
    reader.report().add(*given, "only a CPU can be emulated to be slower", "remove the key");
    return 1.0;
  }
  return slowdown;
}

void settle_threads(const std::vector<ProfileFile>& sets, ProcessorList& processors, JsonReport& report) {
  for (std::size_t p = 0; p < processors.run.size(); ++p) settle(sets, p, processors, report);
}

}  // namespace saccade::config
