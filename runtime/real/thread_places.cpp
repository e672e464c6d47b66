#include "runtime/real/thread_places.hpp"

#include "runtime/machine/thread_settings.hpp"
#include "runtime/run/conductor.hpp"

namespace saccade::runtime {
namespace {

// More CPUs than these are hardly all held at once, and each has a probe.
constexpr std::size_t kMostProbed = 8;

std::vector<int> worker_cpus(const RunConfig& config) {
  std::vector<int> cpus;
  for (const ProcessorConfig& processor : config.processors) {
    cpus.insert(cpus.end(), processor.cpus.begin(), processor.cpus.end());
  }
  return cpus;
}

}  // namespace

FrameDesk::Setup placed_desk(const RunConfig& config) {
  const std::vector<int> others = other_cpus(allowed_cpus(), worker_cpus(config));
  const auto probed = [&](const std::vector<int>& cpus) {
    return cpus.size() <= kMostProbed ? cpus : std::vector<int>{};
  };
  FrameDesk::Setup setup = desk_setup(config);
  for (const ProcessorConfig& processor : config.processors) {
    setup.places.processors.push_back(probed(processor.cpus.empty() ? others : processor.cpus));
  }
  setup.places.captures = probed(others);
  return setup;
}

std::set<int> probed_cpus(const StallBook::Places& places) {
  std::set<int> cpus(places.captures.begin(), places.captures.end());
  for (const std::vector<int>& processor : places.processors) cpus.insert(processor.begin(), processor.end());
  return cpus;
}

OffTheProcessors::OffTheProcessors(const RunConfig& config)
    : before_(allowed_cpus()), others_(other_cpus(before_, worker_cpus(config))) {
  pin_to(others_);
}

OffTheProcessors::~OffTheProcessors() { pin_to(before_); }

}  // namespace saccade::runtime
