#include "runtime/profiling/layer_profile.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/profiling/frame_runner.hpp"

namespace saccade::runtime {
namespace {

using Engines = std::vector<std::unique_ptr<Engine>>;

class LayerEngines {
 public:
  LayerEngines(const EngineBackend& backend, const vision::OnnxCutter& cutter,
               const LayerProfileRequest& request)
      : backend_(backend),
        cutter_(cutter),
        folder_(request.folder),
        groups_(cutter.chain().groups.size()),
        whole_(engine_spec(request.set, 0, 1)) {
    whole_.threads = request.threads;
  }

  [[nodiscard]] std::size_t groups() const { return groups_; }

  Result<Engines> load() {
    Engines engines;
    for (const auto& [first, last] : timed_spans(groups_)) {
      auto engine = load_span(first, last);
      if (!engine) return engine.errors();
      engines.push_back(std::move(engine).value());
    }
    if (const Status placed = place_inputs(engines); !placed) return placed.errors();
    return engines;
  }

 private:
  Result<std::unique_ptr<Engine>> load_span(std::size_t first, std::size_t last) {
    auto stage = load_stage(backend_, cutter_, whole_, first, last, folder_);
    if (!stage) return stage.errors();
    specs_.push_back(std::move(stage.value().spec));
    return std::move(stage.value().engine);
  }

  // One frame of noise through all groups; what crosses is then the input of whoever takes it.
  Status place_inputs(Engines& engines) {
    const std::vector<EngineSpec> of_groups(specs_.begin(),
                                            specs_.begin() + static_cast<std::ptrdiff_t>(groups_));
    std::vector<profiles::StageTensor> crossing;
    for (const EngineSpec& spec : of_groups) {
      for (const profiles::StageTensor& tensor : spec.tensors) {
        if (std::find(crossing.begin(), crossing.end(), tensor) == crossing.end()) crossing.push_back(tensor);
      }
    }
    KeptTensors kept(std::move(crossing));
    Outputs outputs;
    for (std::size_t k = 0; k < engines.size(); ++k) {
      Status placed = specs_[k].takes_tensors() ? engines[k]->take(kept.views()) : prepare_noise(*engines[k]);
      if (!placed) return placed;
      if (k >= groups_) continue;
      if (Status done = engines[k]->infer(outputs); !done) return done;
      if (Status copied = kept.keep(outputs); !copied) return copied;
    }
    return Done{};
  }

  Status prepare_noise(Engine& engine) const {
    Picture noise;
    noise.resize(whole_.input.width, whole_.input.height);
    std::size_t at = 0;
    for (std::uint8_t& value : noise.pixels) value = static_cast<std::uint8_t>(at++ * 2654435761U >> 7U);
    return engine.prepare(0, noise, noise.whole());
  }

  const EngineBackend& backend_;
  const vision::OnnxCutter& cutter_;
  std::filesystem::path folder_;
  std::size_t groups_;
  EngineSpec whole_;
  std::vector<EngineSpec> specs_;
};

// Adds what a meter sees of each group.
Status measure_energies(LayerEngines& engines, const LayerProfileRequest& request,
                        const std::function<void(double share)>& report, LayerTimes& times) {
  auto loaded = engines.load();
  if (!loaded) return loaded.errors();
  Outputs outputs;
  for (std::size_t k = 0; k < engines.groups(); ++k) {
    report(static_cast<double>(k) / static_cast<double>(engines.groups()));
    Engine& engine = *loaded.value()[k];
    const auto draw =
        measure_draw(*request.energy, request.idle, [&]() -> Status { return engine.infer(outputs); });
    if (!draw) return draw.errors();
    times.energy.push_back(draw.value() ? std::optional(draw.value()->power.value() * times.share[k])
                                        : std::nullopt);
  }
  return Done{};
}

}  // namespace

Result<LayerTimes> profile_layers(const EngineBackend& backend, const vision::OnnxCutter& cutter,
                                  const LayerProfileRequest& request, const Clock& clock,
                                  const std::function<void(double share)>& report) {
  SACCADE_CHECK(request.set.variants.size() == 1);
  auto runner = FrameRunner::make(request.set, request.images, 1, clock);
  if (!runner) return runner.errors();
  LayerEngines engines(backend, cutter, request);
  LayerTrial trial;
  trial.groups = engines.groups();
  trial.load = [&] { return engines.load(); };
  const std::size_t whole = timed_spans(trial.groups).size() - 1;
  Outputs outputs;
  trial.run = [&](std::size_t span, Engine& engine) {
    if (span < whole) return engine.infer(outputs);
    Status ran = runner.value().run(0, engine);
    runner.value().next_round();
    return ran;
  };
  trial.whole_parts = [&] { return runner.value().parts(); };
  trial.report = report;
  if (request.slowdown > 1.0) {
    trial.rest = [more = request.slowdown - 1.0](Duration took) {
      std::this_thread::sleep_for(
          std::chrono::duration<double, std::nano>(static_cast<double>(took.count()) * more));
    };
  }
  auto times = measure_layers(trial, request.rounds, clock);
  if (!times || !request.energy) return times;
  if (Status measured = measure_energies(engines, request, report, times.value()); !measured)
    return measured.errors();
  return times;
}

}  // namespace saccade::runtime
