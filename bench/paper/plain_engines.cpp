// Table I, its other half: what the engine library's optimiser gains. Every variant runs as an optimised
// engine and with the graph as its file has it, in turn, on this machine and now.
#include <algorithm>

#include "base/clock.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "runtime/profiling/profile_rounds.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::bench {
namespace {

using profiles::Precision;
using profiles::ProfileSet;
using runtime::Engine;
using runtime::EngineBackend;
using runtime::EngineSpec;

constexpr runtime::RoundLimits kLimits{5, 30, 200, Seconds(5.0), Seconds(5.0)};

EngineSpec spec_of(const ProfileSet& set, std::size_t variant, bool optimised) {
  EngineSpec spec = runtime::engine_spec(set, variant, 1);
  spec.processor = ProcessorId("cpu");
  spec.optimised = optimised;
  return spec;
}

// Seconds of one image: first all variants optimised, then all plain.
Result<std::vector<double>> times_of(const EngineBackend& backend, const ProfileSet& set) {
  runtime::Picture image;
  image.resize(set.input.width, set.input.height);
  std::fill(image.pixels.begin(), image.pixels.end(), 128);
  runtime::Outputs outputs;
  runtime::RoundTrial trial;
  trial.engines = 2 * set.variants.size();
  trial.load = [&]() -> Result<std::vector<std::unique_ptr<Engine>>> {
    std::vector<std::unique_ptr<Engine>> engines;
    for (const bool optimised : {true, false}) {
      for (std::size_t v = 0; v < set.variants.size(); ++v) {
        auto engine = backend.load(spec_of(set, v, optimised));
        if (!engine) return engine.errors();
        if (const Status prepared = engine.value()->prepare(0, image, image.whole()); !prepared)
          return prepared.errors();
        engines.push_back(std::move(engine).value());
      }
    }
    return engines;
  };
  trial.report = [](double) {};
  // The engine alone: what is made of the picture stays in its place.
  trial.infer = [&](std::size_t, Engine& engine) { return engine.infer(outputs); };
  const SteadyClock clock;
  const auto samples = runtime::measure_rounds(trial, kLimits, clock);
  if (!samples) return samples.errors();
  std::vector<double> medians;
  for (const std::vector<double>& each : samples.value()) medians.push_back(runtime::median(each));
  return medians;
}

}  // namespace

Result<Finding> plain_engines(const Context& context) {
  const auto backend = runtime::make_backend("onnxruntime");
  if (!backend) return backend.errors();
  Finding finding;
  finding.name = "plain";
  finding.title = "Table I: the optimised engine against the plain one";
  finding.about = "Every variant on one image, as the engine library optimises it and as its file has it (" +
                  backend.value()->version() +
                  ", one thread); medians of interleaved rounds on this machine. The paper's optimised "
                  "engine is TensorRT, "
                  "its plain one the training framework.";
  FindingTable table{"plain",
                     "Speed-up by the optimiser, mean / best over the sizes",
                     {"network", "fp32", "fp16", "int8"},
                     {}};
  std::vector<double> all;
  for (const profiles::ProfileSetPtr& set : context.bed.measured) {
    const Result<std::vector<double>> times = times_of(*backend.value(), *set);
    if (!times) return times.errors();
    const std::size_t variants = set->variants.size();
    std::vector<Cell> row{word(set->network)};
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::int8}) {
      std::vector<double> gains;
      for (std::size_t v = 0; v < variants; ++v) {
        if (set->variants[v].precision != precision) continue;
        gains.push_back(times.value()[variants + v] / times.value()[v]);
      }
      all.insert(all.end(), gains.begin(), gains.end());
      const Spread gain = spread_of(gains);
      row.push_back(gains.empty() ? absent()
                                  : word(number(gain.mean, 2).text + " / " + number(gain.most, 2).text));
    }
    table.rows.push_back(std::move(row));
  }
  const Spread gain = spread_of(all);
  finding.comparisons = {{"optimised engine against plain, speed-up, mean / best", "2.6 to 10.9 / 18.8",
                          number(gain.mean, 2).text + " / " + number(gain.most, 2).text}};
  finding.remarks = {
      "Both engines are of one library here, and the plain one already runs the library's kernels: only what "
      "the "
      "optimiser does to the graph (fused operators, quantised kernels in place of conversions) shows."};
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace saccade::bench
