// saccade bench accelerator [--profiles A,B] [--library DIR] [--seconds N] [--json]
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/accelerator/measurement.hpp"
#include "bench/bench.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/fake_accelerator.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::bench {
namespace {

constexpr double kMostAtP99 = 1.6;  // times of inferences beside loads, as multiples of the quiet ones
constexpr double kMostAtP50 = 1.1;
constexpr int kHandOvers = 20'000;

const app::CommandSpec& accelerator_spec() {
  static const app::CommandSpec spec{
      "bench accelerator",
      "",
      "Loads, inferences, and inferences while another thread loads without a pause, on a card of this "
      "machine\n"
      "through the execution provider cuda. Without a card it says what is missing and measures the fake "
      "accelerator\n"
      "alone: the hand-over to an engine's thread, and that loads beside it fail nothing.",
      {{"profiles", "A,B",
        "profile sets with model files: one serves, the other is loaded (default: two of the zoo)"},
       {"library", "DIR", "folder of ONNX Runtime and its execution providers"},
       {"device", "N", "which card, counted from 0 (default 0)"},
       {"seconds", "N", "of each of the two stretches that are compared (default 10)"},
       {"json", "", "JSON instead of tables"}},
      0,
      0,
      "Exit codes: 0 measured, 1 something failed while it was measured. A figure that falls short is no "
      "failure."};
  return spec;
}

double at(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0.0 : quantile(sorted, share);
}

struct Part {
  std::string name;
  AcceleratorFigures figures;
};

std::vector<FigureCheck> checks_of(const Part& part) {
  const AcceleratorFigures& of = part.figures;
  const auto ratio = [&](double share) -> std::optional<double> {
    if (of.quiet_ms.empty() || of.loaded_ms.empty()) return std::nullopt;
    return at(of.loaded_ms, share) / at(of.quiet_ms, share);
  };
  return {{part.name + ": p99 beside loads / quiet", kMostAtP99, false, ratio(0.99)},
          {part.name + ": p50 beside loads / quiet", kMostAtP50, false, ratio(0.5)},
          {part.name + ": failed inferences", 0.0, false, static_cast<double>(of.failed_inferences)},
          {part.name + ": failed loads", 0.0, false, static_cast<double>(of.failed_loads)}};
}

Sheet sheet_of_parts(const std::vector<Part>& parts) {
  Sheet sheet{{"engines", "load p50 ms", "load max ms", "quiet p50 ms", "quiet p99 ms", "beside loads p50 ms",
               "beside loads p99 ms", "loads beside"}};
  for (const Part& part : parts) {
    const AcceleratorFigures& of = part.figures;
    sheet.rows.push_back({part.name, fixed(at(of.load_ms, 0.5)), fixed(at(of.load_ms, 1.0)),
                          fixed(at(of.quiet_ms, 0.5)), fixed(at(of.quiet_ms, 0.99)),
                          fixed(at(of.loaded_ms, 0.5)), fixed(at(of.loaded_ms, 0.99)),
                          std::to_string(of.loads_beside)});
  }
  return sheet;
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
Result<Part> fake_part(Seconds stretch) {
  const runtime::FakeAcceleratorBackend backend({.spend = sleep_for});
  AcceleratorTrial trial{&backend, made_spec(), {made_spec()}, stretch};
  auto figures = measure_accelerator(trial);
  if (!figures) return figures.errors();
  return Part{"fake", std::move(figures).value()};
}

struct HandOver {
  double own_thread_us = 0.0;  // median
  double same_thread_us = 0.0;
};

// What it costs that an engine's own thread answers.
Result<HandOver> measure_hand_over() {
  const runtime::EngineSpec spec = made_spec();
  const auto median_us = [&](const runtime::EngineBackend& backend) -> Result<double> {
    const auto engine = backend.load(spec);
    if (!engine) return engine.errors();
    const auto times = back_to_back(*engine.value(), spec, kHandOvers);
    if (!times) return times.errors();
    return 1e3 * at(times.value(), 0.5);
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

// Of the first set the most accurate variant serves; every variant of the second is loaded in turn.
Result<Part> card_part(const CardRequest& request) {
  auto backend = runtime::make_backend("onnxruntime", std::nullopt, request.library);
  if (!backend) return backend.errors();
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
  AcceleratorTrial trial{backend.value().get(), {}, {}, request.stretch};
  const auto& first = sets.front().variants;
  const auto best = std::max_element(first.begin(), first.end(),
                                     [](const auto& a, const auto& b) { return a.accuracy < b.accuracy; });
  trial.serving = spec_of(sets.front(), static_cast<std::size_t>(best - first.begin()));
  for (std::size_t v = 0; v < sets.back().variants.size(); ++v)
    trial.loading.push_back(spec_of(sets.back(), v));
  auto figures = measure_accelerator(trial);
  if (!figures) return figures.errors();
  return Part{"cuda", std::move(figures).value()};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

nlohmann::ordered_json to_json(const Part& part) {
  const AcceleratorFigures& of = part.figures;
  return {{"engines", part.name},
          {"load_p50_ms", at(of.load_ms, 0.5)},
          {"load_max_ms", at(of.load_ms, 1.0)},
          {"quiet_p50_ms", at(of.quiet_ms, 0.5)},
          {"quiet_p99_ms", at(of.quiet_ms, 0.99)},
          {"beside_loads_p50_ms", at(of.loaded_ms, 0.5)},
          {"beside_loads_p99_ms", at(of.loaded_ms, 0.99)},
          {"loads_beside", of.loads_beside},
          {"failed_inferences", of.failed_inferences},
          {"failed_loads", of.failed_loads},
          {"first_failure",
           of.first_failure.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(of.first_failure)}};
}

struct Report {
  Errors missing;  // for the card
  std::vector<Part> parts;
  HandOver hand_over;
};

void print_report(const Report& report, std::ostream& out) {
  if (!report.missing.empty()) {
    out << "no card was measured:\n";
    for (const Error& error : report.missing) out << "  " << to_string(error) << '\n';
    out << '\n';
  }
  print({sheet_of_parts(report.parts)}, out);
  out << "\nan inference of nothing: " << fixed(report.hand_over.own_thread_us)
      << " us on an engine's own thread, " << fixed(report.hand_over.same_thread_us)
      << " us on the caller's (medians of " << kHandOvers << ")\n\n";
  std::vector<FigureCheck> checks;
  for (const Part& part : report.parts) {
    const auto more = checks_of(part);
    checks.insert(checks.end(), more.begin(), more.end());
  }
  print({sheet_of(checks)}, out);
}

nlohmann::ordered_json to_json(const Report& report, const Provenance& from) {
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const Error& error : report.missing) missing.push_back(to_string(error));
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Part& part : report.parts) parts.push_back(to_json(part));
  return {{"provenance", to_json(from)},
          {"missing", std::move(missing)},
          {"parts", std::move(parts)},
          {"hand_over",
           {{"own_thread_us", report.hand_over.own_thread_us},
            {"same_thread_us", report.hand_over.same_thread_us}}}};
}

}  // namespace

int bench_accelerator(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(accelerator_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  CardRequest request;
  request.profiles = split(
      call.value("profiles").value_or("profiles/zoo/densenet-signs.json,profiles/zoo/resnext-vehicles.json"));
  request.library = call.value("library").value_or("");
  const auto seconds = app::number_from(call.value("seconds").value_or("10"), 0.1);
  const auto device = app::number_from(call.value("device").value_or("0"), 0.0);
  constexpr double kLongest = 600.0;
  if (!seconds || *seconds > kLongest || !device || *device > 63.0) {
    return app::usage_error("bench accelerator", "--seconds takes 0.1 to 600, --device 0 to 63", err);
  }
  request.stretch = Seconds(*seconds);
  request.device = static_cast<int>(*device);

  Report report;
  report.missing = runtime::missing_here({{"gpu", "cuda", request.device}}, request.library);
  auto fake = fake_part(request.stretch);
  if (!fake) return app::fail(fake.errors(), app::kExitFailed, err);
  report.parts.push_back(std::move(fake).value());
  if (report.missing.empty()) {
    auto card = card_part(request);
    if (!card) return app::fail(card.errors(), app::kExitFailed, err);
    report.parts.push_back(std::move(card).value());
  }
  const auto hand_over = measure_hand_over();
  if (!hand_over) return app::fail(hand_over.errors(), app::kExitFailed, err);
  report.hand_over = hand_over.value();
  if (call.has("json")) {
    out << to_json(report, provenance(command_of("accelerator", args), 1)).dump(1) << '\n';
  } else {
    print_report(report, out);
  }
  const bool failed = std::any_of(report.parts.begin(), report.parts.end(), [](const Part& part) {
    return part.figures.failed_inferences + part.figures.failed_loads > 0;
  });
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
