#include "app/verbs/profile_layers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/layer_report.hpp"
#include "app/report/output.hpp"
#include "app/report/status_line.hpp"
#include "app/report/table.hpp"
#include "app/verbs/profile_subject.hpp"
#include "runtime/machine/energy_meter.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/profiling/layer_profile.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

struct LayersRequest {
  vision::ChainOptions chain;
  std::vector<LayerProcessor> processors;
  runtime::RoundLimits rounds;
  runtime::TransferLimits transfers;
  Seconds energy{1.0};  // of each group on each processor, where there is a meter
  std::string backend = "auto";
  std::optional<std::string> out;
  bool json = false;
};

LayersRequest layers_request(const Invocation& call, std::vector<std::string>& mistakes) {
  LayersRequest request;
  for (const char* option : {"data", "images", "teacher", "verify", "agree", "plot", "cpu", "model-power",
                             "graph-cache", "fresh", "provider", "device", "no-graphs", "wait", "library"}) {
    if (call.has(option)) mistakes.push_back("--" + std::string(option) + " says nothing about layers");
  }
  const auto live = whole_number_from(call.value("max-live-tensors").value_or("1"));
  if (!live || *live < 1 || *live > 64)
    mistakes.emplace_back("--max-live-tensors is a whole number from 1 to 64");
  request.chain.max_live_tensors = live.value_or(1);
  const std::string groups = call.value("groups").value_or("fine");
  if (groups != "fine" && groups != "coarse") mistakes.emplace_back("--groups is fine or coarse");
  if (groups == "coarse") request.chain.groups = vision::ChainGroups::coarse;
  request.processors = layer_processors(call.value("processors"), runtime::allowed_cpus(), mistakes);
  request.backend = call.value("backend").value_or("auto");
  request.out = call.value("out");
  request.json = call.has("json");
  request.rounds.most = 300;
  if (call.has("quick")) {
    request.rounds.warmup = 2;
    request.rounds.fewest = 3;
    request.rounds.most = 20;
    request.rounds.time = Seconds(1.0);
    request.transfers.repeats = 21;
    request.energy = Seconds(0.2);
  }
  return request;
}

// The calling thread runs on these CPUs while it lives.
class Pinned {
 public:
  explicit Pinned(const std::vector<int>& cpus) : before_(runtime::allowed_cpus()) { runtime::pin_to(cpus); }
  ~Pinned() { runtime::pin_to(before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<int> before_;
};

// A folder for cut models, gone when it is destroyed.
class Scratch {
 public:
  Scratch()
      : path_(fs::temp_directory_path() / ("saccade-layers-" + std::to_string(std::random_device{}()))) {
    std::error_code failure;
    fs::create_directories(path_, failure);
  }
  ~Scratch() {
    std::error_code failure;
    fs::remove_all(path_, failure);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string source_text(const LayersRequest& request, const std::string& engine) {
  std::string text = "saccade profile --layers, " + engine + ", " + runtime::machine_name();
  for (const LayerProcessor& processor : request.processors) {
    if (processor.like) {
      text += "; " + processor.name + " as " + request.processors[*processor.like].name;
      continue;
    }
    text += "; " + processor.name + " = CPU";
    for (const int cpu : processor.cpus) text += " " + std::to_string(cpu);
    if (processor.slowdown > 1.0) text += ", emulated " + short_number(processor.slowdown) + " times slower";
  }
  return text;
}

// One variant after the other.
class LayerCampaign {
 public:
  LayerCampaign(const LayersRequest& request, const runtime::EngineBackend& backend, std::ostream& out,
                std::ostream& err)
      : request_(request), backend_(backend), out_(out), err_(err), status_(err, clock_) {}

  // What the device draws at rest, where a meter says it. What it sees of simulated engines is not theirs.
  void measure_idle() {
    if (backend_.name() == "simulated") return;
    meter_ = runtime::find_energy_meter();
    print_warnings(meter_.notes, err_);
    // A meter that steps is a card's: it says little of layers on CPUs, and takes many seconds for each.
    if (meter_.meter && meter_.meter->step() > Duration(0)) meter_.meter.reset();
    if (!meter_.meter) return;
    status_.show("power at rest", 0.0);
    const auto idle = runtime::idle_power(energy_trial());
    status_.clear();
    if (idle) idle_ = *idle;
    if (!idle) meter_.meter.reset();
  }

  // `links` are measured once: they depend on the processors alone. Those that are alike have the same ones;
  // from one to another of them, it is a transfer between two threads on the same CPUs.
  Status measure_links() {
    const auto& processors = request_.processors;
    std::map<std::pair<std::size_t, std::size_t>, runtime::TransferLine> lines;
    for (std::size_t from = 0; from < processors.size(); ++from) {
      for (std::size_t to = 0; to < processors.size(); ++to) {
        if (from == to) continue;
        const std::pair pair(processors[from].like.value_or(from), processors[to].like.value_or(to));
        if (!lines.contains(pair)) {
          const auto line = measure_link(processors[pair.first], processors[pair.second]);
          if (!line) return line.errors();
          lines[pair] = line.value();
        }
        links_.push_back({from, to, lines[pair]});
      }
    }
    status_.clear();
    return Done{};
  }

  Status measure(const ProfileSubject& subject, std::size_t variant) {
    profiles::ProfileSet set = subject.set;
    set.variants = {subject.set.variants[variant]};
    const profiles::Variant& v = set.variants.front();
    const std::string name = set.network + " " + v.id.str();
    if (v.model.empty()) return Error{name, "has no model file", "measure variants that have one: --only"};
    const fs::path model = set.directory / v.model;
    const auto bytes = runtime::sha256_of(model);
    if (!bytes) return bytes.errors();
    vision::ChainOptions options = request_.chain;
    options.picture = profiles::input_of(set, v);
    const auto cutter = vision::OnnxCutter::open(model, options);
    if (!cutter) return cutter.errors();
    const LayerSubject layers{name, model.filename().string(), bytes.value(), &cutter.value().chain()};
    LayerMeasurement measured{source_text(request_, backend_.version()), {}, links_};
    for (const LayerProcessor& processor : request_.processors) {
      auto times = processor.like ? Result<runtime::LayerTimes>(measured.processors[*processor.like].times)
                                  : times_on(processor, set, cutter.value(), name);
      if (!times) return times.errors();
      measured.processors.push_back({processor.name, processor.slowdown, std::move(times).value()});
    }
    // A model of open sides is that of several variants.
    const bool shared = layers.chain->sized;
    return write(layers, measured, model, shared ? v.id.str() : model.stem().string());
  }

 private:
  Result<runtime::TransferLine> measure_link(const LayerProcessor& from, const LayerProcessor& to) {
    status_.show("transfers from " + from.name + " to " + to.name, 0.0);
    const Pinned sender(from.cpus);
    runtime::ThreadHandOver hand_over(clock_, to.cpus);
    const auto points = runtime::measure_transfers(
        [&](std::size_t bytes) -> Result<double> { return hand_over.once(bytes); }, request_.transfers);
    if (!points) return points.errors();
    return runtime::fit_line(points.value());
  }

  [[nodiscard]] runtime::EnergyTrial energy_trial() {
    runtime::EnergyTrial trial;
    trial.meter = meter_.meter.get();
    trial.clock = &clock_;
    trial.rest = [](Duration time) { std::this_thread::sleep_for(time); };
    trial.per_variant = request_.energy;
    return trial;
  }

  Result<runtime::LayerTimes> times_on(const LayerProcessor& processor, const profiles::ProfileSet& set,
                                       const vision::OnnxCutter& cutter, const std::string& name) {
    const Pinned pinned(processor.cpus);
    const Scratch scratch;
    runtime::LayerProfileRequest request;
    if (meter_.meter) request.energy = energy_trial();
    request.idle = idle_;
    request.set = set;
    request.folder = scratch.path();
    request.threads = static_cast<int>(processor.cpus.size());
    request.rounds = request_.rounds;
    request.slowdown = processor.slowdown;
    // With several threads the calling one waits for the others.
    const runtime::ThreadCpuClock own;
    const Clock& clock = request.threads > 1 ? static_cast<const Clock&>(clock_) : own;
    auto times = runtime::profile_layers(backend_, cutter, request, clock, [&](double share) {
      status_.show(name + " on " + processor.name, share);
    });
    status_.clear();
    return times;
  }

  // `name`: of the file, where none is asked for.
  Status write(const LayerSubject& layers, const LayerMeasurement& measured, const fs::path& model,
               const std::string& name) {
    fs::path file = model.parent_path() / (name + ".layers.json");
    std::error_code failure;
    if (request_.out) {
      const bool folder = fs::is_directory(*request_.out, failure);
      file = folder ? fs::path(*request_.out) / file.filename() : fs::path(*request_.out);
    }
    LayerSubject subject = layers;
    const fs::path relative =
        fs::relative(model, file.parent_path().empty() ? "." : file.parent_path(), failure);
    if (!failure && !relative.empty()) subject.model = relative.string();
    const std::string text =
        layers_json(subject, measured).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
        "\n";
    if (request_.json) {
      out_ << text;
      return Done{};
    }
    Status written = text::write_text_file(file, text);
    if (!written) return written;
    out_ << layers.network << '\n';
    print_layers(layers, measured, out_);
    out_ << "written to " << file.string() << "\n\n";
    return Done{};
  }

  const LayersRequest& request_;
  const runtime::EngineBackend& backend_;
  std::ostream& out_;
  std::ostream& err_;
  SteadyClock clock_;
  StatusLine status_;
  std::vector<MeasuredLink> links_;
  runtime::FoundMeter meter_;
  Watts idle_;
};

// NAME=CPU[+CPU...][*FACTOR]; false: not of that form.
bool read_processor(const std::string& part, LayerProcessor& processor) {
  const std::size_t equals = part.find('='), times = part.find('*');
  if (equals == std::string::npos || equals == 0) return false;
  processor.name = part.substr(0, equals);
  if (times != std::string::npos) {
    const auto factor = number_from(part.substr(times + 1), 1.0);
    if (!factor || times < equals) return false;
    processor.slowdown = *factor;
  }
  std::string cpus = part.substr(equals + 1, times == std::string::npos ? times : times - equals - 1) + "+";
  for (std::size_t at = 0; at < cpus.size();) {
    const std::size_t end = cpus.find('+', at);
    const auto cpu = whole_number_from(cpus.substr(at, end - at));
    if (!cpu || *cpu > 4095) return false;
    processor.cpus.push_back(static_cast<int>(*cpu));
    at = end + 1;
  }
  return true;
}

// NAME=OTHER; absent: not of that form.
std::optional<LayerProcessor> another_of(const std::string& part, const std::vector<LayerProcessor>& before) {
  const std::size_t equals = part.find('=');
  if (equals == std::string::npos || equals == 0 || whole_number_from(part.substr(equals + 1)))
    return std::nullopt;  // or a CPU
  for (std::size_t p = 0; p < before.size(); ++p) {
    if (part.substr(equals + 1) != before[p].name) continue;
    LayerProcessor processor = before[p];
    processor.name = part.substr(0, equals);
    processor.like = before[p].like.value_or(p);
    return processor;
  }
  return std::nullopt;
}

}  // namespace

std::vector<LayerProcessor> layer_processors(const std::optional<std::string>& text,
                                             const std::vector<int>& allowed,
                                             std::vector<std::string>& mistakes) {
  std::vector<LayerProcessor> processors;
  if (!text) {
    constexpr std::size_t kMost = 16;
    for (const int cpu : allowed) {
      if (processors.size() < kMost) processors.push_back({"cpu" + std::to_string(cpu), {cpu}, 1.0});
    }
    return processors;
  }
  std::set<std::string> names;
  std::set<int> taken;
  for (const std::string& part : split_at_commas(*text)) {
    LayerProcessor processor;
    if (auto another = another_of(part, processors)) {
      processor = *std::move(another);
    } else if (!read_processor(part, processor)) {
      mistakes.push_back("--processors: " + text::in_quotes(part) +
                         " is neither NAME=CPU[+CPU...][*FACTOR] nor NAME=OTHER with one before it");
      continue;
    }
    if (!names.insert(processor.name).second)
      mistakes.push_back("--processors names " + text::in_quotes(processor.name) + " twice");
    if (processor.like) {
      processors.push_back(std::move(processor));
      continue;
    }
    for (const int cpu : processor.cpus) {
      if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end())
        mistakes.push_back("--processors: this process may not run on CPU " + std::to_string(cpu));
      if (!taken.insert(cpu).second)
        mistakes.push_back("--processors: CPU " + std::to_string(cpu) + " is in two processors");
    }
    processors.push_back(std::move(processor));
  }
  return processors;
}

int profile_layers(const Invocation& call, std::ostream& out, std::ostream& err) {
  std::vector<std::string> mistakes;
  const LayersRequest request = layers_request(call, mistakes);
  if (!mistakes.empty()) return usage_error("profile", mistakes, err);
  auto read = read_profile_subjects(call.arguments());
  if (!read) return fail(read.errors(), kExitConfig, err);
  std::vector<ProfileSubject> subjects = std::move(read).value();
  if (const auto patterns = call.value("only")) {
    const Status kept = keep_only(split_at_commas(*patterns), subjects);
    if (!kept) return fail(kept.errors(), kExitUsage, err);
  }
  std::size_t variants = 0;
  for (const ProfileSubject& subject : subjects) variants += subject.set.variants.size();
  std::error_code failure;
  if (variants > 1 && request.out && !fs::is_directory(*request.out, failure))
    return usage_error("profile", "--out is a folder when there are several variants; choose one with --only",
                       err);
  if (variants > 1 && request.json)
    return usage_error("profile", "--json is for one variant; choose it with --only", err);
  const auto backend = runtime::make_backend(request.backend);
  if (!backend) return fail(backend.errors(), kExitUnavailable, err);

  LayerCampaign campaign(request, *backend.value(), out, err);
  campaign.measure_idle();
  const Status links = campaign.measure_links();
  if (!links) return fail(links.errors(), kExitFailed, err);
  for (const ProfileSubject& subject : subjects) {
    for (std::size_t v = 0; v < subject.set.variants.size(); ++v) {
      const Status measured = campaign.measure(subject, v);
      if (!measured) return fail(measured.errors(), kExitFailed, err);
    }
  }
  return kExitOk;
}

}  // namespace saccade::app
