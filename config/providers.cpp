#include "config/providers.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "runtime/engines/providers.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {
namespace {

std::string with_options(const std::string& provider, const std::string& options) {
  return "`" + provider + "`" + (options.empty() ? "" : " (" + options + ")");
}

}  // namespace

Errors missing_providers(const runtime::RunConfig& config) {
  if (config.backend == "simulated") return {};
  std::vector<runtime::ProviderUse> uses;
  for (const runtime::ProcessorConfig& processor : config.processors)
    uses.push_back({processor.id.str(), processor.provider, processor.device});
  return runtime::missing_here(uses, config.engine_library);
}

bool uses_accelerator(const runtime::RunConfig& config) {
  return std::any_of(config.processors.begin(), config.processors.end(),
                     [](const runtime::ProcessorConfig& processor) { return processor.provider != "cpu"; });
}

Errors measured_otherwise(const std::vector<ProfileFile>& sets,
                          const std::vector<runtime::ProcessorConfig>& processors,
                          const std::vector<scheduler::Processor>& planned) {
  Errors errors;
  for (const ProfileFile& file : sets) {
    const profiles::Provenance& measured = file.set->provenance;
    const std::string provider = measured.provider.empty() ? "cpu" : measured.provider;
    for (std::size_t p = 0; p < processors.size(); ++p) {
      const ProcessorId& kind = planned[p].kind.str().empty() ? planned[p].id : planned[p].kind;
      const auto& of = file.set->device.processors;
      if (std::find(of.begin(), of.end(), kind) == of.end()) continue;
      const runtime::ProcessorConfig& uses = processors[p];
      const std::string options = runtime::provider_options(uses.provider, uses.graphs, uses.block);
      if (provider == uses.provider && measured.provider_options == options) continue;
      errors.push_back({file.path,
                        "can be planned but not run: it was measured with the provider " +
                            with_options(provider, measured.provider_options) + ", and processor " +
                            text::in_quotes(uses.id.str()) + " uses " + with_options(uses.provider, options),
                        "measure it with this provider and these options, or configure those of the set"});
    }
  }
  return errors;
}

}  // namespace saccade::config
