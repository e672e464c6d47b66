#include "config/providers.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "profiles/origin.hpp"
#include "runtime/engines/providers.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {
namespace {

std::string with_options(const std::string& provider, const std::string& options) {
  return "`" + provider + "`" + (options.empty() ? "" : " (" + options + ")");
}

// Whether the set was measured for this processor.
bool is_of(const profiles::ProfileSet& set, const scheduler::Processor& processor) {
  const ProcessorId& kind = processor.kind.str().empty() ? processor.id : processor.kind;
  return std::find(set.device.processors.begin(), set.device.processors.end(), kind) !=
         set.device.processors.end();
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

bool uses_untried_card(const runtime::RunConfig& config, const std::vector<std::string>& cards) {
  return std::any_of(
      config.processors.begin(), config.processors.end(), [&](const runtime::ProcessorConfig& processor) {
        const auto at = static_cast<std::size_t>(processor.device);
        return processor.provider == "cuda" &&
               (at >= cards.size() || std::find(runtime::kCudaCards.begin(), runtime::kCudaCards.end(),
                                                cards[at]) == runtime::kCudaCards.end());
      });
}

Errors measured_otherwise(const std::vector<ProfileFile>& sets,
                          const std::vector<runtime::ProcessorConfig>& processors,
                          const std::vector<scheduler::Processor>& planned) {
  Errors errors;
  for (const ProfileFile& file : sets) {
    const profiles::Provenance& measured = file.set->provenance;
    const std::string provider = measured.provider.empty() ? "cpu" : measured.provider;
    for (std::size_t p = 0; p < processors.size(); ++p) {
      if (!is_of(*file.set, planned[p])) continue;
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

Errors measured_on_other_cards(const std::vector<ProfileFile>& sets,
                               const std::vector<runtime::ProcessorConfig>& processors,
                               const std::vector<scheduler::Processor>& planned,
                               const std::vector<std::string>& cards) {
  Errors errors;
  for (const ProfileFile& file : sets) {
    for (std::size_t p = 0; p < processors.size(); ++p) {
      const auto device = static_cast<std::size_t>(processors[p].device);
      if (processors[p].provider == "cpu" || device >= cards.size() || !is_of(*file.set, planned[p]))
        continue;
      const std::string& card = cards[device];
      if (card.empty() || card == file.set->device.name) continue;
      const bool unnamed = file.set->device.name == profiles::kUnnamedCard;
      errors.push_back(
          {file.path,
           "can be planned but not run: it " +
               (unnamed ? "is not known on which card it was measured"
                        : "was measured on the card " + text::in_quotes(file.set->device.name)) +
               ", and processor " + text::in_quotes(processors[p].id.str()) + " uses " +
               text::in_quotes(card),
           "measure it on this one: saccade profile " + file.path + " --provider " + processors[p].provider});
    }
  }
  return errors;
}

Errors other_cards_here(const std::vector<ProfileFile>& sets, const runtime::RunConfig& config) {
  if (config.backend == "simulated" || !uses_accelerator(config)) return {};
  return measured_on_other_cards(sets, config.processors, config.timeline.front().snapshot.processors,
                                 runtime::cuda_device_names());
}

}  // namespace saccade::config
