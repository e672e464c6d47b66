#include "runtime/profiler.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "runtime/resident_memory.hpp"

namespace saccade::runtime {

namespace {

using profiles::Variant;
using Engines = std::vector<std::unique_ptr<Engine>>;

// To whole nanoseconds, the clock's own precision; never to nothing.
Seconds rounded(double seconds) { return Seconds(std::max(std::round(seconds * 1e9), 1.0) / 1e9); }

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
      : backend_(backend),
        request_(request),
        clock_(clock),
        progress_(progress),
        set_(request.set),
        load_times_(set_.variants.size()) {
    SACCADE_CHECK(!request.batches.empty() && request.batches.front() == 1);
    SACCADE_CHECK(std::is_sorted(request.batches.begin(), request.batches.end()));
    SACCADE_CHECK(request.fewest_rounds > 0 && request.most_rounds >= request.fewest_rounds);
    SACCADE_CHECK(!set_.variants.empty() && set_.input.size() > 0 && !set_.labels.empty());
    fill_inputs();
  }

  Result<MeasuredProfiles> run() {
    for (Variant& variant : set_.variants) forget(variant);
    for (const auto step :
         {&Measurement::measure_loading, &Measurement::measure_accuracy, &Measurement::measure_times}) {
      const Status status = (this->*step)();
      if (!status) return status.errors();
    }
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      set_.variants[v].load_time = rounded(median(load_times_[v]));
    }
    set_.provenance.engine = backend_.version();
    set_.provenance.warmup_frames = request_.warmup_rounds;
    set_.provenance.energy_source = "unavailable";
    set_.device.processors = {request_.processor};
    set_.device.idle_power.reset();
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
    const int phases = 1 + (request_.images ? 1 : 0) + static_cast<int>(request_.batches.size());
    progress_({phase_name_, phase_, phases, std::min(share, 1.0)});
  }

  // Shows how many of all variants are done.
  void report_variant(std::size_t v) const {
    report(static_cast<double>(v) / static_cast<double>(set_.variants.size()));
  }

  Result<std::unique_ptr<Engine>> load(std::size_t v, int batch) {
    const EngineSpec spec = spec_of(request_, set_.variants[v], batch);
    const TimePoint begin = clock_.now();
    auto engine = backend_.load(spec);
    load_times_[v].push_back(to_seconds(clock_.now() - begin).value());
    return engine;
  }

  Status infer(Engine& engine) {
    const std::size_t images = static_cast<std::size_t>(engine.batch());
    logits_.resize(images * engine.classes());
    return engine.infer(std::span(inputs_).first(images * set_.input.size()), logits_);
  }

  Result<std::unique_ptr<Engine>> load_and_infer(std::size_t v) {
    auto engine = load(v, largest_batch());
    if (!engine) return engine;
    const Status status = infer(*engine.value());
    if (!status) return status.errors();
    return engine;
  }

  // The largest growth that one more engine causes, at the largest batch and with one inference: freed
  // memory that the allocator keeps is held against the engine that needed it.
  Status measure_loading() {
    begin_phase("loading and memory");
    const int together = std::max(request_.memory_engines, 1);
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      // What the library sets up once, at the first model with such layers, belongs to no engine.
      if (auto first = load_and_infer(v); !first) return first.errors();
      const int loads = std::max(request_.loads, request_.memory_engines);
      for (int done = 0; done < loads; done += together) {
        Status status = measure_loading_of(v, together);
        if (!status) return status;
      }
    }
    return Done{};
  }

  Status measure_loading_of(std::size_t v, int together) {
    Variant& variant = set_.variants[v];
    Engines engines;
    trim_memory();
    std::optional<Bytes> before = proportional_memory();
    for (int count = 0; count < together; ++count) {
      const PeakMemory peak;
      auto engine = load_and_infer(v);
      if (!engine) return engine.errors();
      engines.push_back(std::move(engine).value());
      if (request_.memory_engines == 0) continue;
      const std::optional<Bytes> after = proportional_memory();
      if (before && after) raise(variant.memory, *after - *before);
      if (const auto growth = peak.growth()) raise(variant.load_peak, *growth);
      before = after;
    }
    return Done{};
  }

  // A growth of nothing is no measurement.
  static void raise(std::optional<Bytes>& most, Bytes seen) {
    if (seen > most.value_or(Bytes(0.0))) most = seen;
  }

  Status measure_accuracy() {
    if (!request_.images) return Done{};
    begin_phase("accuracy");
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      report_variant(v);
      Status status = measure_accuracy_of(v);
      if (!status) return status;
    }
    return Done{};
  }

  Status measure_accuracy_of(std::size_t v) {
    const LabelledImages& images = *request_.images;
    auto loaded = load(v, largest_batch());
    if (!loaded) return loaded.errors();
    Engine& engine = *loaded.value();
    const std::size_t batch = static_cast<std::size_t>(largest_batch());
    const std::size_t classes = engine.classes();
    std::vector<float> input(batch * set_.input.size());
    std::vector<float> logits(batch * classes);
    std::vector<int> labels(batch);
    std::size_t right = 0;
    for (std::size_t first = 0; first < images.count; first += batch) {
      const std::size_t here = std::min(batch, images.count - first);
      for (std::size_t i = 0; i < here; ++i) {
        labels[i] = images.write(first + i, input.data() + i * set_.input.size());
      }
      Status status = engine.infer(input, logits);
      if (!status) return status;
      for (std::size_t i = 0; i < here; ++i) {
        const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(i * classes);
        const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(classes));
        right += best - begin == labels[i] ? 1U : 0U;
      }
    }
    set_.variants[v].accuracy = static_cast<double>(right) / static_cast<double>(images.count);
    set_.variants[v].accuracy_images = static_cast<int>(images.count);
    return Done{};
  }

  Status measure_times() {
    for (const int batch : request_.batches) {
      auto samples = measure_times_at(batch);
      if (!samples) return samples.errors();
      for (std::size_t v = 0; v < set_.variants.size(); ++v)
        record(set_.variants[v], batch, samples.value()[v]);
      if (batch == 1) summarise(samples.value());
    }
    return Done{};
  }

  // samples[v][round], seconds
  Result<std::vector<std::vector<double>>> measure_times_at(int batch) {
    begin_phase("frame time at batch " + std::to_string(batch));
    Engines engines;
    for (std::size_t v = 0; v < set_.variants.size(); ++v) {
      auto engine = load(v, batch);
      if (!engine) return engine.errors();
      engines.push_back(std::move(engine).value());
    }
    std::vector<std::vector<double>> samples(engines.size());
    const TimePoint begin = clock_.now();
    for (int round = -request_.warmup_rounds; round < request_.most_rounds; ++round) {
      const double used = to_seconds(clock_.now() - begin) / request_.time_per_batch;
      if (round >= request_.fewest_rounds && used >= 1.0) break;
      report(std::max(used, static_cast<double>(round) / request_.most_rounds));
      for (std::size_t v = 0; v < engines.size(); ++v) {
        const TimePoint start = clock_.now();
        const Status status = infer(*engines[v]);
        const Duration took = clock_.now() - start;
        if (!status) return status.errors();
        if (round >= 0) samples[v].push_back(to_seconds(took).value());
      }
    }
    return samples;
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

  void summarise(const std::vector<std::vector<double>>& samples) {
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
  std::vector<std::vector<double>> load_times_;  // per variant, seconds
  std::vector<float> inputs_;
  std::vector<float> logits_;
  int phase_ = 0;
  std::string phase_name_;
  MeasuredProfiles result_;
};

}  // namespace

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
