// saccade bench accelerator [--profiles A,B] [--library DIR] [--device N] [--seconds N] [--limit N] [--json]
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/accelerator/networks.hpp"
#include "bench/accelerator/report.hpp"
#include "bench/bench.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/cuda_memory.hpp"
#include "runtime/engines/fake_accelerator.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::bench {
namespace {

constexpr int kHandOvers = 20'000;
constexpr Duration kPause = std::chrono::milliseconds(250);

const app::CommandSpec& accelerator_spec() {
  static const app::CommandSpec spec{
      "bench accelerator",
      "",
      "Engines on a card of this machine through the execution provider cuda, with captured graphs and "
      "without:\n"
      "inferences while another thread loads, without a pause and with one; two engines at the same time; "
      "and of\n"
      "every network and batch the times of inference and load, memory of the device, energy. Without a "
      "card\n"
      "it says what is missing and measures the fake accelerator alone, whose times are made up.",
      {{"profiles", "A,B",
        "profile sets with model files: one serves, the other is loaded (default: two of the zoo)"},
       {"library", "DIR", "folder of ONNX Runtime and its execution providers"},
       {"device", "N", "which card, counted from 0 (default 0)"},
       {"seconds", "N", "of each of the two stretches that are compared (default 10)"},
       {"limit", "N", "seconds after which nothing more is begun (default 600)"},
       {"json", "", "JSON instead of tables"}},
      0,
      0,
      "Exit codes: 0 measured, 1 something failed while it was measured. A figure that falls short is no "
      "failure."};
  return spec;
}

class Deadline {
 public:
  explicit Deadline(Seconds limit)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(limit.value()))) {}
  [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

struct DeviceTrial {
  std::string name;
  const runtime::EngineBackend* backend = nullptr;
  runtime::EngineSpec serving;
  std::vector<runtime::EngineSpec> loading;
  std::vector<NetworkSubject> subjects;
  std::vector<int> batches;
  runtime::DeviceMemoryMeter* memory = nullptr;
  std::optional<runtime::EnergyTrial> energy;
};

// The most telling first: when time runs out, the table of networks is the shorter.
Result<DeviceReport> measure_device(const DeviceTrial& device, Seconds stretch, const Deadline& deadline) {
  DeviceReport report;
  report.name = device.name;
  const struct {
    const char* name;
    bool graphs;
    Duration pause;
    bool asked;
  } settings[] = {{"graphs", true, Duration(0), true},
                  {"plain, a load every 250 ms", false, kPause, true},
                  {"plain", false, Duration(0), false},
                  {"graphs, a load every 250 ms", true, kPause, false}};
  for (const auto& setting : settings) {
    if (deadline.is_over()) {
      ++report.left_out;
      continue;
    }
    AcceleratorTrial trial{device.backend, device.serving, device.loading, stretch};
    trial.pause = setting.pause;
    trial.serving.graphs = setting.graphs;
    for (runtime::EngineSpec& spec : trial.loading) spec.graphs = setting.graphs;
    auto figures = measure_accelerator(trial);
    if (!figures) return figures.errors();
    report.beside.push_back({setting.name, setting.asked, std::move(figures).value()});
  }
  if (deadline.is_over()) {
    ++report.left_out;
  } else {
    auto pair = measure_pair(*device.backend, device.serving, device.loading.front(), stretch);
    if (!pair) return pair.errors();
    report.pair = pair.value();
  }
  NetworksTrial networks{device.backend, device.subjects, device.batches, device.memory, device.energy};
  networks.is_over = [&] { return deadline.is_over(); };
  report.networks = measure_networks(networks);
  return report;
}

runtime::EngineSpec made_spec() {
  runtime::EngineSpec spec;
  spec.input.width = 64;
  spec.input.height = 64;
  spec.classes = 10;
  spec.processor = ProcessorId("gpu");
  return spec;
}

void sleep_for(Duration time) { std::this_thread::sleep_for(time); }

// The fake accelerator in real time: its loads take what they took on a card.
Result<DeviceReport> fake_device(Seconds stretch, const Deadline& deadline) {
  const runtime::FakeAcceleratorBackend backend({.spend = sleep_for});
  runtime::FakeDeviceMemory memory(backend.device());
  DeviceTrial trial;
  trial.name = "fake";
  trial.backend = &backend;
  trial.serving = made_spec();
  trial.loading = {made_spec()};
  trial.subjects = {{"made up", "fp32", made_spec()}};
  trial.batches = {1};
  trial.memory = &memory;
  return measure_device(trial, stretch, deadline);
}

// What it costs that an engine's own thread answers.
Result<HandOver> measure_hand_over() {
  const runtime::EngineSpec spec = made_spec();
  const auto median_us = [&](const runtime::EngineBackend& backend) -> Result<double> {
    const auto engine = backend.load(spec);
    if (!engine) return engine.errors();
    const auto times = back_to_back(*engine.value(), spec, kHandOvers);
    if (!times) return times.errors();
    return 1e3 * quantile(times.value(), 0.5);
  };
  const auto own = median_us(runtime::FakeAcceleratorBackend());
  if (!own) return own.errors();
  const auto same = median_us(runtime::SimulatedBackend());
  if (!same) return same.errors();
  return HandOver{own.value(), same.value()};
}

struct CardRequest {
  std::vector<std::string> profiles;
  std::string library;
  int device = 0;
  Seconds stretch{10.0};
};

std::size_t most_accurate(const profiles::ProfileSet& set) {
  const auto best = std::max_element(set.variants.begin(), set.variants.end(),
                                     [](const auto& a, const auto& b) { return a.accuracy < b.accuracy; });
  return static_cast<std::size_t>(best - set.variants.begin());
}

// A meter whose figure steps is a card's (or one with a card's in it); any other sees the host alone.
std::optional<runtime::EnergyTrial> energy_of_card(runtime::FoundMeter& found, const Clock& clock) {
  if (!found.meter || found.meter->step() == Duration(0)) return std::nullopt;
  runtime::EnergyTrial energy;
  energy.meter = found.meter.get();
  energy.clock = &clock;
  energy.rest = sleep_for;
  return energy;
}

// Removes what the backend refuses, such as quantised networks with nodes that run on the CPU alone.
Errors leave_out_refused(const runtime::EngineBackend& backend, std::vector<runtime::EngineSpec>& specs) {
  Errors reasons;
  std::erase_if(specs, [&](const runtime::EngineSpec& spec) {
    const auto engine = backend.load(spec);
    if (!engine) reasons.push_back(engine.errors().front());
    return !engine;
  });
  return reasons;
}

// Of the first set the most accurate variant serves; every variant of the second is loaded in turn.
Result<DeviceReport> card_device(const CardRequest& request, const Deadline& deadline) {
  const SteadyClock clock;
  runtime::FoundMeter meter = runtime::find_energy_meter();
  DeviceTrial trial;
  trial.name = "cuda";
  trial.batches = {1, 8, 16, 48};
  trial.energy = energy_of_card(meter, clock);
  const auto rest = [&]() -> std::optional<double> {
    const auto watts = trial.energy ? runtime::idle_power(*trial.energy) : std::nullopt;
    return watts ? std::optional(watts->value()) : std::nullopt;
  };
  const std::optional<double> rest_watts = rest();
  auto backend = runtime::make_backend("onnxruntime", std::nullopt, request.library);
  if (!backend) return backend.errors();
  auto memory = runtime::cuda_memory_meter(request.device);
  if (!memory) return memory.errors();
  trial.backend = backend.value().get();
  trial.memory = memory.value().get();
  std::vector<profiles::ProfileSet> sets;
  for (const std::string& file : request.profiles) {
    auto set = profiles::read_profile_set(file);
    if (!set) return set.errors();
    sets.push_back(std::move(set).value());
  }
  const auto spec_of = [&](const profiles::ProfileSet& set, std::size_t variant) {
    runtime::EngineSpec spec = runtime::engine_spec(set, variant, 1);
    spec.provider = "cuda";
    spec.device = request.device;
    return spec;
  };
  trial.serving = spec_of(sets.front(), most_accurate(sets.front()));
  for (std::size_t v = 0; v < sets.back().variants.size(); ++v)
    trial.loading.push_back(spec_of(sets.back(), v));
  for (const profiles::ProfileSet& set : sets) {
    for (std::size_t v = 0; v < set.variants.size(); ++v) {
      trial.subjects.push_back({set.network + "/" + set.variants[v].id.str(),
                                profiles::to_string(set.variants[v].precision), spec_of(set, v)});
    }
  }
  const auto holds_the_context = trial.backend->load(trial.serving);
  if (!holds_the_context) return holds_the_context.errors();
  const std::optional<double> rest_context_watts = rest();
  Errors refused = leave_out_refused(*trial.backend, trial.loading);
  if (trial.loading.empty()) return refused;
  auto report = measure_device(trial, request.stretch, deadline);
  if (!report) return report;
  report.value().refused = std::move(refused);
  report.value().rest_watts = rest_watts;
  report.value().rest_context_watts = rest_context_watts;
  return report;
}

}  // namespace

int bench_accelerator(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(accelerator_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  CardRequest request;
  request.profiles = app::split_at_commas(
      call.value("profiles").value_or("profiles/zoo/densenet-signs.json,profiles/zoo/resnext-vehicles.json"));
  request.library = call.value("library").value_or("");
  const auto seconds = app::number_from(call.value("seconds").value_or("10"), 0.1);
  const auto limit = app::number_from(call.value("limit").value_or("600"), 0.0);
  const auto device = app::number_from(call.value("device").value_or("0"), 0.0);
  constexpr double kLongest = 600.0;
  constexpr double kLongestLimit = 86400.0;
  if (!seconds || *seconds > kLongest || !limit || *limit > kLongestLimit || !device || *device > 63.0) {
    return app::usage_error("bench accelerator",
                            "--seconds takes 0.1 to 600, --limit 0 to 86400, --device 0 to 63", err);
  }
  request.stretch = Seconds(*seconds);
  request.device = static_cast<int>(*device);
  const Deadline deadline{Seconds(*limit)};

  AcceleratorReport report;
  report.limit_seconds = *limit;
  report.hand_overs = kHandOvers;
  report.missing = runtime::missing_here({{"gpu", "cuda", request.device}}, request.library);
  auto measured =
      report.missing.empty() ? card_device(request, deadline) : fake_device(request.stretch, deadline);
  if (!measured) return app::fail(measured.errors(), app::kExitFailed, err);
  report.devices.push_back(std::move(measured).value());
  const auto hand_over = measure_hand_over();
  if (!hand_over) return app::fail(hand_over.errors(), app::kExitFailed, err);
  report.hand_over = hand_over.value();
  if (call.has("json")) {
    out << to_json(report, provenance(command_of("accelerator", args), 1)).dump(1) << '\n';
  } else {
    print_report(report, out);
  }
  for (const LoadsBeside& part : report.devices.front().beside) {
    if (part.figures.failed_inferences + part.figures.failed_loads > 0) return app::kExitFailed;
  }
  return app::kExitOk;
}

}  // namespace saccade::bench
