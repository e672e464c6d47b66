#include "runtime/profiler.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "base/check.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/label_images.hpp"
#include "runtime/machine.hpp"
#include "runtime/profile_loading.hpp"

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

EngineSpec spec_of(const ProfileRequest& request, const Variant& variant, int batch) {
  EngineSpec spec;
  spec.model = variant.model.empty() ? std::filesystem::path() : request.set.directory / variant.model;
  spec.sha256 = variant.sha256;
  spec.batch = batch;
  spec.input = request.set.input;
  spec.classes = request.set.labels.size();
  spec.processor = request.processor;
  spec.provider = request.provider;
  spec.profile = &variant;
  return spec;
}

class Measurement {
 public:
  Measurement(const EngineBackend& backend, const ProfileRequest& request, const Clock& clock,
              const ReportProgress& progress)
      : backend_(backend), request_(request), clock_(clock), progress_(progress), set_(request.set) {
    SACCADE_CHECK(!request.batches.empty() && request.batches.front() == 1);
    SACCADE_CHECK(std::is_sorted(request.batches.begin(), request.batches.end()));
    SACCADE_CHECK(request.loads > 0);
    SACCADE_CHECK(!set_.variants.empty() && set_.input.size() > 0 && !set_.labels.empty());
    fill_inputs();
  }

  Result<MeasuredProfiles> run() {
    set_.device.processors = {request_.processor};
    set_.device.idle_power.reset();
    set_.provenance.engine = backend_.version();
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
    variant.batch_time.clear();
    variant.power.reset();
    variant.energy_per_inference.reset();
    variant.load_time.reset();
    variant.load_time_uncached.reset();
    if (request_.memory_engines > 0) {
      variant.memory.reset();
      variant.load_peak.reset();
    }
  }

  // Images to infer, as many as the largest batch; noise unless there are real ones.
  void fill_inputs() {
    const std::size_t images = static_cast<std::size_t>(largest_batch());
    const std::size_t size = set_.input.size();
    inputs_.resize(images * size);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i] = static_cast<float>((i * 2654435761U >> 7U) % 256U) / 255.0F;
    }
    if (!request_.images) return;
    for (std::size_t i = 0; i < std::min(images, request_.images->count); ++i) {
      request_.images->write(i, inputs_.data() + i * size);
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
    const int phases =
        1 + (request_.images ? 1 : 0) + (request_.energy ? 1 : 0) + static_cast<int>(request_.batches.size());
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
  [[nodiscard]] std::string name_of(const char* measure, std::size_t v) const {
    return std::string(measure) + "/" + set_.variants[v].id.str();
  }

  Result<std::unique_ptr<Engine>> load(std::size_t v, int batch) const {
    return backend_.load(spec_of(request_, set_.variants[v], batch));
  }

  Status infer(Engine& engine) {
    const std::size_t images = static_cast<std::size_t>(engine.batch());
    logits_.resize(images * engine.classes());
    return engine.infer(std::span(inputs_).first(images * set_.input.size()), logits_);
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
    const EngineSpec spec = spec_of(request_, set_.variants[v], largest_batch());
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
    trial.infer = [this](Engine& engine) { return infer(engine); };
    trial.loads = request_.loads;
    trial.memory_engines = request_.memory_engines;
    const auto cost = runtime::measure_loading(trial);
    if (!cost) return cost.errors();
    const LoadingCost& c = cost.value();
    return Numbers{number(c.memory), number(c.peak), median(c.loads),
                   c.uncached.empty() ? 0.0 : median(c.uncached)};
  }

  void take_loading(const Numbers& numbers, Variant& variant) const {
    SACCADE_CHECK(numbers.size() == 4);
    if (request_.memory_engines > 0) {
      variant.memory = quantity<Bytes>(numbers[0]);
      variant.load_peak = quantity<Bytes>(numbers[1]);
    }
    variant.load_time = rounded(numbers[2]);
    if (numbers[3] > 0.0) variant.load_time_uncached = rounded(numbers[3]);
  }

  Status measure_accuracy() {
    if (!request_.images) return Done{};
    begin_phase("accuracy");
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      const auto accuracy = once(name_of("accuracy", v), [&]() -> Result<Numbers> {
        const auto engine = load(v, largest_batch());
        if (!engine) return engine.errors();
        const auto labels = label_images(*engine.value(), *request_.images, set_.input);
        if (!labels) return labels.errors();
        return Numbers{labels.value().accuracy()};
      });
      if (!accuracy) return accuracy.errors();
      set_.variants[v].accuracy = accuracy.value().at(0);
      set_.variants[v].accuracy_images = static_cast<int>(request_.images->count);
    }
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
      const auto numbers = once(name_of("energy", v), [&] { return measure_energy_of(v, *idle_watts); });
      if (!numbers) return numbers.errors();
      SACCADE_CHECK(numbers.value().size() == 2);
      Variant& variant = set_.variants[v];
      variant.energy_per_inference = quantity<Joules>(numbers.value()[0]);
      if (!variant.energy_per_inference) continue;
      variant.power = profiles::Power{Watts(numbers.value()[1]), {}};
      set_.device.idle_power = idle_watts;
      set_.provenance.energy_source = "measured";
    }
    return Done{};
  }

  Result<Numbers> measure_energy_of(std::size_t v, Watts idle) {
    const auto engine = load(v, 1);
    if (!engine) return engine.errors();
    const Status warm = infer(*engine.value());
    if (!warm) return warm.errors();
    const auto draw = measure_draw(*request_.energy, idle, [&] { return infer(*engine.value()); });
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
    }
    return Done{};
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
    trial.infer = [this](Engine& engine) { return infer(engine); };
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
  std::vector<float> inputs_;
  std::vector<float> logits_;
  int phase_ = 0;
  std::string phase_name_;
  MeasuredProfiles result_;
};

}  // namespace

std::string measurement_identity(const EngineBackend& backend, const ProfileRequest& request) {
  std::ostringstream text;
  text << request.set.network << '\n'
       << backend.version() << '\n'
       << machine_name() << '\n'
       << instruction_set() << '\n'
       << request.processor.str() << ' ' << request.provider << '\n'
       << request.rounds.warmup << ' ' << request.rounds.fewest << ' ' << request.rounds.most << ' '
       << request.rounds.time.value() << ' ' << request.loads << ' ' << request.memory_engines << ' '
       << (request.uncached != nullptr) << ' ' << (request.images ? request.images->count : 0) << ' '
       << (request.energy ? request.energy->meter->name() : "no meter") << "\nbatches";
  for (const int batch : request.batches) text << ' ' << batch;
  for (const Variant& variant : request.set.variants) {
    std::string hash = variant.sha256;
    if (hash.empty() && !variant.model.empty()) {
      const auto found = sha256_of(request.set.directory / variant.model);
      if (found) hash = found.value();
    }
    text << '\n' << variant.id.str() << ' ' << hash;
  }
  return sha256_hex(text.str());
}

Errors leave_out_unsupported(const EngineBackend& backend, ProfileRequest& request) {
  Errors reasons;
  std::erase_if(request.set.variants, [&](const Variant& variant) {
    const EngineSpec spec = spec_of(request, variant, 1);
    const auto engine = backend.load(spec);
    if (engine) return false;
    const auto found = sha256_of(spec.model);
    if (!found || found.value() != spec.sha256) return false;  // a damaged file is not left out in silence
    const Error& reason = engine.errors().front();
    reasons.push_back({request.set.network + " " + variant.id.str(),
                       "is left out: " + backend.version() + " says that it " + reason.what, reason.hint});
    return true;
  });
  return reasons;
}

Result<MeasuredProfiles> measure_profiles(const EngineBackend& backend, const ProfileRequest& request,
                                          const Clock& clock, const ReportProgress& progress) {
  return Measurement(backend, request, clock, progress).run();
}

}  // namespace saccade::runtime
