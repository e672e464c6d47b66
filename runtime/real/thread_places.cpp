#include "runtime/real/thread_places.hpp"

#include <algorithm>

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

DecodingPlaces decoding_places(const RunConfig& config, const std::vector<int>& allowed) {
  const std::vector<int> captures = other_cpus(allowed, worker_cpus(config));
  const scheduler::Snapshot& first = config.timeline.front().snapshot;
  DecodingPlaces places;
  places.cpus = captures.size();
  for (std::size_t p = 0; p < config.processors.size(); ++p) {
    const ProcessorConfig& processor = config.processors[p];
    DecodingPlaces::Processor& place = places.processors.emplace_back();
    place.capacity = first.processors.at(p).capacity;
    if (processor.provider != "cpu") continue;
    place.floating = processor.cpus.empty();
    const auto shared = std::count_if(processor.cpus.begin(), processor.cpus.end(), [&](int cpu) {
      return std::find(captures.begin(), captures.end(), cpu) != captures.end();
    });
    if (shared > 0) place.shared = static_cast<double>(shared) / static_cast<double>(processor.cpus.size());
  }
  return places;
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
