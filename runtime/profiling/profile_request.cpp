#include "runtime/profiling/profile_request.hpp"

#include <sstream>

#include "profiles/interface_io.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/machine/machine.hpp"

namespace saccade::runtime {

using profiles::Variant;

EngineSpec engine_spec(const ProfileRequest& request, std::size_t variant, int batch) {
  EngineSpec spec = engine_spec(request.set, variant, batch);
  spec.processor = request.processor;
  spec.provider = request.provider;
  spec.device = request.device;
  spec.graphs = request.graphs;
  spec.block = request.block;
  spec.threads = request.threads;
  return spec;
}

std::string measurement_identity(const EngineBackend& backend, const ProfileRequest& request) {
  std::ostringstream text;
  text << "with preparing and decoding, device memory\n"  // what is measured, and how
       << request.set.network << '\n'
       << backend.version() << '\n'
       << machine_name() << '\n'
       << instruction_set() << '\n'
       << request.processor.str() << ' ' << request.provider << ' ' << request.device << ' '
       << provider_options(request.provider, request.graphs, request.block) << ' ' << request.threads << '\n'
       << request.rounds.warmup << ' ' << request.rounds.fewest << ' ' << request.rounds.most << ' '
       << request.rounds.time.value() << ' ' << request.loads << ' ' << request.memory_engines << ' '
       << (request.uncached != nullptr) << ' ' << (request.images ? request.images->count : 0) << ' '
       << (request.energy ? request.energy->meter->name() : "no meter") << "\nbatches";
  for (const int batch : request.batches) text << ' ' << batch;
  if (request.images) text << '\n' << request.images->identity << ' ' << request.keep_accuracy;
  if (request.teacher) text << "\nteacher " << request.set.variants.at(*request.teacher).id.str();
  for (const Variant& variant : request.set.variants) {
    std::string hash = variant.sha256;
    if (hash.empty() && !variant.model.empty()) {
      const auto found = sha256_of(request.set.directory / variant.model);
      if (found) hash = found.value();
    }
    text << '\n'
         << variant.id.str() << ' ' << hash << ' '
         << profiles::to_json(profiles::interface_of(request.set, variant));
  }
  return sha256_hex(text.str());
}

bool measured_with_provider(const ProfileRequest& request) {
  const std::string& measured = request.set.provenance.provider;
  return request.provider == (measured.empty() ? "cpu" : measured);
}

Errors leave_out_unsupported(const EngineBackend& backend, ProfileRequest& request) {
  Errors reasons;
  std::vector<Variant>& variants = request.set.variants;
  std::vector<bool> unsupported;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    unsupported.push_back(false);
    const EngineSpec spec = engine_spec(request, v, 1);
    const auto engine = backend.load(spec);
    if (engine) continue;
    const auto found = sha256_of(spec.model);
    if (!found || found.value() != spec.sha256) continue;  // a damaged file is not left out in silence
    const Error& reason = engine.errors().front();
    reasons.push_back({request.set.network + " " + variant.id.str(),
                       "is left out: " + backend.version() + " says that it " + reason.what, reason.hint});
    unsupported.back() = true;
  }
  std::size_t v = 0;
  std::erase_if(variants, [&](const Variant&) { return unsupported[v++]; });
  return reasons;
}

namespace {

// Why an engine of that batch cannot be run, although one of batch 1 can.
std::optional<std::string> refusal_of_batch(const EngineBackend& backend, const EngineSpec& spec) {
  const auto engine = backend.load(spec);
  if (!engine) return engine.errors().front().what;
  Outputs outputs;
  Status ran = prepare_black(*engine.value(), spec);
  if (ran) ran = engine.value()->infer(outputs);
  if (ran) return std::nullopt;
  return ran.errors().front().what;
}

}  // namespace

Errors leave_out_batches(const EngineBackend& backend, ProfileRequest& request) {
  Errors notes;
  for (std::size_t v = 0; v < request.set.variants.size() && request.batches.size() > 1; ++v) {
    const int largest = request.batches.back();
    const auto refusal = refusal_of_batch(backend, engine_spec(request, v, largest));
    if (!refusal || refusal_of_batch(backend, engine_spec(request, v, 1))) continue;
    notes.push_back(
        {request.set.network + " " + request.set.variants[v].id.str(),
         "batches are not measured, because a batch of " + std::to_string(largest) + " fails: " + *refusal,
         "export the model with an open batch dimension, if tasks with regions are to share one "
         "inference"});
    request.batches = {1};
  }
  return notes;
}

}  // namespace saccade::runtime
