#include "runtime/profiling/profiler.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/profiling/frame_runner.hpp"
#include "runtime/profiling/profile_loading.hpp"

namespace saccade::runtime {

namespace {

using profiles::Variant;
using Engines = std::vector<std::unique_ptr<Engine>>;
using Numbers = ProfileJournal::Numbers;

// To whole nanoseconds, the clock's own precision; never to nothing.
Seconds rounded(double seconds) { return Seconds(std::max(std::round(seconds * 1e9), 1.0) / 1e9); }

// Numbers of a journal; 0 = absent.
template <class Tag>
double number(const std::optional<Quantity<Tag>>& value) {
  return value ? value->value() : 0.0;
}
template <class Q>
std::optional<Q> quantity(double number) {
  return number > 0.0 ? std::optional(Q(number)) : std::nullopt;
}

class Measurement {
 public:
  Measurement(const EngineBackend& backend, const ProfileRequest& request, const Clock& clock,
              const ReportProgress& progress)
      : backend_(backend), request_(request), clock_(clock), progress_(progress), set_(request.set) {
    SACCADE_CHECK(!request.batches.empty() && request.batches.front() == 1);
    SACCADE_CHECK(std::is_sorted(request.batches.begin(), request.batches.end()));
    SACCADE_CHECK(request.loads > 0);
    SACCADE_CHECK(!set_.variants.empty() && set_.input.size() > 0);
  }

  Result<MeasuredProfiles> run() {
    auto runner = FrameRunner::make(set_, request_.images, largest_batch(), clock_);
    if (!runner) return runner.errors();
    runner_ = std::move(runner).value();
    set_.device.processors = {request_.processor};
    set_.device.threads.clear();
    if (request_.threads > 1) set_.device.threads[request_.processor] = request_.threads;
    set_.device.idle_power.reset();
    set_.provenance.engine = backend_.version();
    set_.provenance.provider = request_.provider == "cpu" ? "" : request_.provider;
    set_.provenance.provider_options = provider_options(request_.provider, request_.graphs, request_.block);
    set_.provenance.instruction_set = instruction_set();
    set_.provenance.warmup_frames = request_.rounds.warmup;
    set_.provenance.energy_source = "unavailable";
    set_.provenance.measuring.reset();
    for (Variant& variant : set_.variants) forget(variant);
    for (const auto step : {&Measurement::measure_loading, &Measurement::measure_accuracy,
                            &Measurement::measure_energy, &Measurement::measure_times}) {
      const Status status = (this->*step)();
      if (!status) return status.errors();
    }
    if (request_.journal != nullptr) set_.provenance.measuring = request_.journal->spent();
    result_.set = std::move(set_);
    return std::move(result_);
  }

 private:
  // Takes away what was measured elsewhere or earlier, so that nothing old stands beside the new.
  void forget(Variant& variant) const {
    variant.frame_time.clear();
    variant.frame_time_p99.clear();
    variant.frame_time_parts.reset();
    variant.batch_time.clear();
    variant.power.reset();
    variant.energy_per_inference.reset();
    variant.batch_energy.clear();
    variant.load_time.reset();
    variant.load_time_uncached.reset();
    if (request_.memory_engines > 0 || !measured_with_provider(request_)) {
      variant.memory.reset();
      variant.load_peak.reset();
      variant.device_memory.reset();
      variant.device_load_peak.reset();
    }
  }

  [[nodiscard]] int largest_batch() const { return request_.batches.back(); }

  void begin_phase(const std::string& name) {
    ++phase_;
    phase_name_ = name;
    report(0.0);
  }

  void report(double share) const {
    if (!progress_) return;
    const int phases = 1 + (request_.measures_accuracy() ? 1 : 0) + (request_.energy ? 1 : 0) +
                       static_cast<int>(request_.batches.size());
    progress_({phase_name_, phase_, phases, std::min(share, 1.0)});
  }

  // Shows how many of all variants are done.
  void report_variant(std::size_t v) const {
    report(static_cast<double>(v) / static_cast<double>(set_.variants.size()));
  }

  [[nodiscard]] const Numbers* kept(const std::string& name) const {
    return request_.journal != nullptr ? request_.journal->find(name) : nullptr;
  }
  Status keep(const std::string& name, const Numbers& numbers) const {
    if (request_.journal == nullptr) return Done{};
    return request_.journal->add(name, numbers);
  }
  // What the journal has under this name; else what `measure` finds, which it has from then on.
  template <class Measure>
  Result<Numbers> once(const std::string& name, const Measure& measure) const {
    if (const Numbers* const found = kept(name)) return *found;
    Result<Numbers> numbers = measure();
    if (!numbers) return numbers;
    const Status added = keep(name, numbers.value());
    if (!added) return added.errors();
    return numbers;
  }
  [[nodiscard]] std::string name_of(const std::string& measure, std::size_t v) const {
    return measure + "/" + set_.variants[v].id.str();
  }

  Result<std::unique_ptr<Engine>> load(std::size_t v, int batch) const {
    return backend_.load(engine_spec(request_, v, batch));
  }

  Status measure_loading() {
    begin_phase("loading and memory");
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      const auto numbers = once(name_of("loading", v), [&] { return measure_loading_of(v); });
      if (!numbers) return numbers.errors();
      take_loading(numbers.value(), set_.variants[v]);
    }
    return Done{};
  }

  // At the largest batch: memory, peak, load time, and that without kept graphs.
  Result<Numbers> measure_loading_of(std::size_t v) {
    const EngineSpec spec = engine_spec(request_, v, largest_batch());
    const auto timed_load = [&](const EngineBackend& backend) {
      return [&](std::vector<double>& seconds) {
        const TimePoint begin = clock_.now();
        auto engine = backend.load(spec);
        seconds.push_back(to_seconds(clock_.now() - begin).value());
        return engine;
      };
    };
    LoadingTrial trial;
    trial.load = timed_load(backend_);
    if (request_.uncached != nullptr) trial.load_uncached = timed_load(*request_.uncached);
    trial.infer = [this, v](Engine& engine) { return runner_->run(v, engine); };
    trial.loads = request_.loads;
    trial.memory_engines = request_.memory_engines;
    trial.device = request_.device_memory;
    const auto cost = runtime::measure_loading(trial);
    if (!cost) return cost.errors();
    const LoadingCost& c = cost.value();
    return Numbers{number(c.memory),        number(c.peak),
                   median(c.loads),         c.uncached.empty() ? 0.0 : median(c.uncached),
                   number(c.device_memory), number(c.device_peak)};
  }

  void take_loading(const Numbers& numbers, Variant& variant) const {
    SACCADE_CHECK(numbers.size() == 6);
    if (request_.memory_engines > 0) {
      variant.memory = quantity<Bytes>(numbers[0]);
      variant.load_peak = quantity<Bytes>(numbers[1]);
      variant.device_memory = quantity<Bytes>(numbers[4]);
      variant.device_load_peak = quantity<Bytes>(numbers[5]);
    }
    variant.load_time = rounded(numbers[2]);
    if (numbers[3] > 0.0) variant.load_time_uncached = rounded(numbers[3]);
  }

  Status measure_accuracy() {
    if (!request_.measures_accuracy()) return Done{};
    begin_phase("accuracy");
    LabelledImages images = *request_.images;
    if (request_.teacher && !all_kept("accuracy")) {
      if (Status taught = ask_teacher(*request_.teacher, images); !taught) return taught;
    }
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      const auto numbers = once(name_of("accuracy", v), [&]() -> Result<Numbers> {
        const auto answered = answers_of(v, kLeastScore, images);
        if (!answered) return answered.errors();
        const MeasuredAccuracy found =
            accuracy_of(answered.value(), profiles::interface_of(set_, set_.variants[v]), set_.labels.size());
        return Numbers{found.value, found.least, found.most, found.map, found.map50, found.found};
      });
      if (!numbers) return numbers.errors();
      take_accuracy(numbers.value(), set_.variants[v]);
    }
    note_source(images.name);
    return Done{};
  }

  // Of the accuracies just measured. Empty: on images that provenance does not name, and then not on those
  // that it named before either.
  void note_source(const std::string& images) {
    set_.provenance.accuracy_source.reset();
    set_.provenance.accuracy_data = images;
    if (images.empty()) return;
    set_.provenance.accuracy_source = profiles::AccuracySource::measured;
    if (!request_.teacher) return;
    set_.provenance.accuracy_source = profiles::AccuracySource::teacher;
    set_.provenance.accuracy_data =
        "what " + set_.variants.at(*request_.teacher).id.str() + " finds in " + images;
  }

  [[nodiscard]] bool all_kept(const char* measure) const {
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      if (kept(name_of(measure, v)) == nullptr) return false;
    }
    return true;
  }

  void take_accuracy(const Numbers& numbers, Variant& variant) {
    SACCADE_CHECK(numbers.size() == 6);
    const MeasuredAccuracy measured{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    result_.accuracy.push_back(measured);
    variant.accuracy = measured.value;
    variant.accuracy_known = true;
    variant.accuracy_images = static_cast<int>(request_.images->count);
    variant.accuracy_interval.reset();
    if (!request_.images->name.empty()) variant.accuracy_interval = {measured.least, measured.most};
  }

  // Objects from `score` on. Detectors get one picture at a time, as most of their graphs take them.
  Result<AnsweredImages> answers_of(std::size_t v, double score, const LabelledImages& images) const {
    const bool labels =
        profiles::interface_of(set_, set_.variants[v]).task == profiles::NetworkTask::classify;
    const EngineSpec spec = engine_spec(request_, v, labels ? largest_batch() : 1);
    return answer_images(backend_, spec, set_, v, score, images);
  }

  // What the teacher answers becomes the truth; not kept in the journal, which has no place for objects.
  Status ask_teacher(std::size_t teacher, LabelledImages& images) const {
    const auto answered = answers_of(teacher, kTeacherScore, images);
    if (!answered) return answered.errors();
    auto taught =
        taught_by(answered.value(), images, profiles::interface_of(set_, set_.variants.at(teacher)));
    if (!taught) return taught.errors();
    images = std::move(taught).value();
    return Done{};
  }

  Status measure_energy() {
    if (!request_.energy) return Done{};
    begin_phase("energy");
    const auto idle = once(
        "energy-idle", [&]() -> Result<Numbers> { return Numbers{number(idle_power(*request_.energy))}; });
    if (!idle) return idle.errors();
    const std::optional<Watts> idle_watts = quantity<Watts>(idle.value().at(0));
    if (!idle_watts) return Done{};
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      const auto one = draw_of(v, 1, *idle_watts);
      if (!one) return one.errors();
      if (!one.value()) continue;
      Variant& variant = set_.variants[v];
      variant.energy_per_inference = one.value()->energy;
      variant.power = profiles::Power{one.value()->power, {}};
      set_.device.idle_power = idle_watts;
      set_.provenance.energy_source = "measured";
      // At a larger batch a card draws more power, but less than it works more: neither follows from batch 1.
      if (largest_batch() == 1) continue;
      const auto batch = draw_of(v, largest_batch(), *idle_watts);
      if (!batch) return batch.errors();
      if (!batch.value()) continue;
      variant.batch_energy[largest_batch()] = batch.value()->energy;
      variant.power->device = std::max(*variant.power->device, batch.value()->power);
    }
    return Done{};
  }

  Result<std::optional<Draw>> draw_of(std::size_t v, int batch, Watts idle) {
    const std::string measure = batch > 1 ? "energy-" + std::to_string(batch) : "energy";
    const auto numbers = once(name_of(measure, v), [&] { return measure_energy_of(v, batch, idle); });
    if (!numbers) return numbers.errors();
    SACCADE_CHECK(numbers.value().size() == 2);
    if (!quantity<Joules>(numbers.value()[0])) return std::optional<Draw>();
    return std::optional<Draw>(Draw{Joules(numbers.value()[0]), Watts(numbers.value()[1])});
  }

  // Of an inference of a whole batch; zeros: nothing was seen above rest.
  Result<Numbers> measure_energy_of(std::size_t v, int batch, Watts idle) {
    const auto engine = load(v, batch);
    if (!engine) return engine.errors();
    const Status warm = runner_->run(v, *engine.value());
    if (!warm) return warm.errors();
    const auto draw = measure_draw(*request_.energy, idle, [&] { return runner_->run(v, *engine.value()); });
    if (!draw) return draw.errors();
    if (!draw.value()) return Numbers{0.0, 0.0};
    return Numbers{draw.value()->energy.value(), draw.value()->power.value()};
  }

  Status measure_times() {
    for (const int batch : request_.batches) {
      const auto samples = measure_times_at(batch);
      if (!samples) return samples.errors();
      for (std::size_t v = 0; v < set_.variants.size(); ++v) {
        record(set_.variants[v], batch, samples.value()[v]);
      }
      if (batch == 1) summarise(samples.value());
      if (batch == 1) record_parts();
    }
    return Done{};
  }

  // What the frame times at batch 1 are made of, by the shares that the rounds had.
  void record_parts() {
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      const TimeParts& sums = parts_.at(v);
      const double whole = sums[0] + sums[1] + sums[2];
      if (whole <= 0.0) continue;
      const double time = set_.variants[v].frame_time.at(request_.processor).value();
      const auto part = [&](std::size_t i) {
        return Seconds(std::round(time * sums[i] / whole * 1e9) / 1e9);
      };
      set_.variants[v].frame_time_parts = profiles::FrameTimeParts{part(0), part(1), part(2)};
    }
  }

  Result<Samples> measure_times_at(int batch) {
    begin_phase("frame time at batch " + std::to_string(batch));
    RoundTrial trial;
    trial.engines = set_.variants.size();
    trial.load = [&]() -> Result<Engines> {
      Engines engines;
      for (std::size_t v = 0; v < set_.variants.size(); ++v) {
        auto engine = load(v, batch);
        if (!engine) return engine.errors();
        engines.push_back(std::move(engine).value());
      }
      return engines;
    };
    trial.infer = [this](std::size_t v, Engine& engine) { return runner_->run(v, engine); };
    trial.round_ended = [this] { runner_->next_round(); };
    if (batch == 1) {
      trial.last_parts = [this] { return runner_->parts(); };
      trial.parts = &parts_;
    }
    trial.report = [this](double share) { report(share); };
    trial.journal = request_.journal;
    trial.name = "times-" + std::to_string(batch);
    return measure_rounds(trial, request_.rounds, clock_);
  }

  void record(Variant& variant, int batch, const std::vector<double>& samples) const {
    const Seconds time = rounded(median(samples));
    if (batch > 1) {
      variant.batch_time[batch][request_.processor] = time;
      return;
    }
    variant.frame_time[request_.processor] = time;
    variant.frame_time_p99[request_.processor] = rounded(quantile(samples, 0.99));
  }

  void summarise(const Samples& samples) {
    set_.provenance.frames = static_cast<int>(samples.front().size());
    for (const std::vector<double>& one : samples) {
      result_.spread.push_back(spread(one));
      result_.mean.push_back(mean(one));
    }
    result_.unranked = unranked_neighbours(samples);
  }

  const EngineBackend& backend_;
  const ProfileRequest& request_;
  const Clock& clock_;
  const ReportProgress& progress_;
  profiles::ProfileSet set_;
  std::optional<FrameRunner> runner_;  // once run() has begun
  std::vector<TimeParts> parts_;       // of the rounds at batch 1, summed, by variant
  int phase_ = 0;
  std::string phase_name_;
  MeasuredProfiles result_;
};

}  // namespace

Result<MeasuredProfiles> measure_profiles(const EngineBackend& backend, const ProfileRequest& request,
                                          const Clock& clock, const ReportProgress& progress) {
  return Measurement(backend, request, clock, progress).run();
}

}  // namespace saccade::runtime
