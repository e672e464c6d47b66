#include "bench/detectors/served.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ilp/core_solver.hpp"
#include "images/scene_generator.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/profiling/profile_request.hpp"
#include "runtime/profiling/profiler.hpp"
#include "runtime/real/real_shell.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/frame_source.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

namespace {

constexpr int kFullWidth = 1920;
constexpr int kFullHeight = 1080;
constexpr std::uint64_t kFullScenes = 16;
// One camera alone: the guard would hide what preparing and decoding take, some hundredths.
constexpr Seconds kNoGuard{0.0};
constexpr std::size_t kServedCameras = 4;
// Of what the most accurate variant would take of the processor: less accurate ones serve as well.
constexpr double kDemandedShare = 2.0;

using FullScenes = std::shared_ptr<const std::vector<images::LabelledScene>>;

// Its pictures are reduced as a camera's are.
class FullCamera final : public runtime::FrameSource {
 public:
  FullCamera(FullScenes scenes, const runtime::Regions& regions, const runtime::NetworkInputs& inputs)
      : scenes_(std::move(scenes)), picture_(regions, inputs) {}

  bool next(Duration /*at*/, runtime::Frame& frame) override {
    if (!picture_.write((*scenes_)[shown_++ % scenes_->size()].bgr, frame)) return false;
    frame.labels.clear();
    frame.truths_known = false;
    frame.captured_at = runtime::captured_now();
    return true;
  }
  [[nodiscard]] std::size_t frame_bytes() const override { return picture_.bytes(kFullWidth, kFullHeight); }

 private:
  FullScenes scenes_;
  runtime::FramePicture picture_;
  std::size_t shown_ = 0;
};

// The scenes as the camera delivers them.
Result<runtime::LabelledImages> delivered(const FullScenes& scenes, const profiles::ProfileSet& set) {
  FullCamera camera(scenes, runtime::WholeFrame{}, runtime::inputs_of(set));
  auto frames = std::make_shared<std::vector<runtime::Frame>>(scenes->size());
  for (runtime::Frame& frame : *frames) {
    if (!camera.next(Duration(0), frame)) return Error{"camera", "it delivers no frame", ""};
  }
  runtime::LabelledImages images;
  images.count = frames->size();
  images.show = [frames](std::size_t index, runtime::Picture& picture) -> Result<runtime::PictureTruth> {
    picture = *frames->at(index).picture;
    return runtime::PictureTruth{};
  };
  return images;
}

// The set with the frame times and components of each variant as it serves alone: one that runs in turn with
// all others finds the caches cold.
Result<profiles::ProfileSet> measured_as_it_serves(const runtime::EngineBackend& backend,
                                                   profiles::ProfileSet set, const FullScenes& scenes,
                                                   const runtime::RoundLimits& rounds) {
  runtime::ProfileRequest request;
  request.processor = set.device.processors.front();
  request.batches = {1};
  request.rounds = rounds;
  request.loads = 1;
  request.memory_engines = 0;
  request.keep_accuracy = true;
  auto images = delivered(scenes, set);
  if (!images) return images.errors();
  request.images = std::move(images).value();
  for (profiles::Variant& variant : set.variants) {
    request.set = set;
    request.set.variants = {variant};
    const auto measured = runtime::measure_profiles(backend, request, runtime::ThreadCpuClock(), {});
    if (!measured) return measured.errors();
    variant.frame_time = measured.value().set.variants.front().frame_time;
    variant.frame_time_parts = measured.value().set.variants.front().frame_time_parts;
  }
  return set;
}

// What is measured while it runs does not reach the plan.
class UncorrectedPolicy final : public scheduler::Policy {
 public:
  explicit UncorrectedPolicy(const scheduler::Policy& policy) : policy_(policy) {}
  [[nodiscard]] const char* name() const override { return policy_.name(); }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override {
    scheduler::Snapshot plain = snapshot;
    for (scheduler::Processor& processor : plain.processors) processor.correction = 1.0;
    return policy_.decide(plain, limits);
  }

 private:
  const scheduler::Policy& policy_;
};

profiles::ProfileSet with_inference_alone(profiles::ProfileSet set) {
  for (profiles::Variant& variant : set.variants) {
    for (auto& [processor, time] : variant.frame_time) {
      if (variant.frame_time_parts) time = variant.frame_time_parts->infer;
    }
  }
  return set;
}

struct Demand {
  std::size_t cameras = 0;
  double fps = 0.0;  // of each
  Seconds guard = scheduler::Processor{}.guard;
};

runtime::RunConfig full_cameras(profiles::ProfileSet set, const Demand& demand) {
  const auto shared = std::make_shared<const profiles::ProfileSet>(std::move(set));
  const ProcessorId processor = shared->device.processors.front();
  runtime::RunConfig config;
  config.processors.push_back({.id = processor, .cpus = {runtime::allowed_cpus().back()}});
  runtime::TimelineState state;
  state.snapshot.processors.push_back({.id = processor, .guard = demand.guard});
  for (std::size_t i = 0; i < demand.cameras; ++i) {
    scheduler::Task task;
    task.id = TaskId("camera-" + std::to_string(i + 1));
    task.profiles = shared;
    task.demand = Fps(demand.fps);
    config.tasks.push_back({task.id, runtime::SyntheticSource{}, runtime::WholeFrame{}});
    state.snapshot.tasks.push_back(std::move(task));
  }
  config.timeline.push_back(std::move(state));
  return config;
}

Result<ServedStretch> serve(const std::string& backend, runtime::RunConfig config, const FullScenes& scenes,
                            Duration each) {
  auto engines = runtime::make_backend(backend);
  if (!engines) return engines.errors();
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const UncorrectedPolicy uncorrected(*policy);
  const auto open = [&scenes](
                        const runtime::SourceConfig&, const runtime::Regions& regions,
                        const runtime::NetworkInputs& inputs,
                        const std::vector<std::string>&) -> Result<std::unique_ptr<runtime::FrameSource>> {
    return std::unique_ptr<runtime::FrameSource>(std::make_unique<FullCamera>(scenes, regions, inputs));
  };
  auto shell =
      runtime::RealShell::open(std::move(config), std::move(engines).value(), uncorrected, {}, open, nullptr);
  if (!shell) return shell.errors();
  const runtime::RunSummary summary = shell.value()->run(each);
  std::int64_t granted = 0;
  std::int64_t processed = 0;
  for (const runtime::TaskSummary& task : summary.tasks) {
    granted += task.granted;
    processed += task.processed;
  }
  ServedStretch stretch;
  if (granted > 0) stretch.achieved = static_cast<double>(processed) / static_cast<double>(granted);
  stretch.delivered = summary.delivered_accuracy.value_or(0.0);
  return stretch;
}

Result<ServedFigures> serve_both(const std::string& backend, const profiles::ProfileSet& set,
                                 const Demand& demand, const FullScenes& scenes, Duration each) {
  const auto whole = serve(backend, full_cameras(set, demand), scenes, each);
  if (!whole) return whole.errors();
  const auto alone = serve(backend, full_cameras(with_inference_alone(set), demand), scenes, each);
  if (!alone) return alone.errors();
  return ServedFigures{demand.cameras, demand.fps, whole.value(), alone.value()};
}

}  // namespace

Result<std::vector<ServedFigures>> measure_served(const ServedTrial& trial) {
  const auto generator = images::SceneGenerator::find("yard");
  auto scenes = std::make_shared<std::vector<images::LabelledScene>>();
  for (std::uint64_t i = 0; i < kFullScenes; ++i)
    scenes->push_back(generator->make(images::Split::live, i, {kFullWidth, kFullHeight}));
  const auto engines = runtime::make_backend(trial.backend);
  if (!engines) return engines.errors();
  const auto alone = measured_as_it_serves(*engines.value(), trial.set, scenes, trial.rounds);
  if (!alone) return alone.errors();
  const profiles::ProfileSet& set = alone.value();
  const auto best =
      std::max_element(set.variants.begin(), set.variants.end(),
                       [](const auto& one, const auto& other) { return one.accuracy < other.accuracy; });
  const double seconds = best->frame_time.begin()->second.value();
  const double inference = best->frame_time_parts ? best->frame_time_parts->infer.value() : seconds;
  auto one = serve_both(trial.backend, set, {1, 1.0 / inference, kNoGuard}, scenes, trial.each);
  if (!one) return one.errors();
  const double fps = kDemandedShare / (static_cast<double>(kServedCameras) * seconds);
  auto four = serve_both(trial.backend, set, {kServedCameras, fps}, scenes, trial.each);
  if (!four) return four.errors();
  return std::vector{one.value(), four.value()};
}

}  // namespace saccade::bench
