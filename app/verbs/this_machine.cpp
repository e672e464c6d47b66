#include "app/verbs/this_machine.hpp"

#include "runtime/engines/providers.hpp"
#include "runtime/machine/machine.hpp"

namespace saccade::app {

profiles::Machine this_machine() {
  return {runtime::machine_name(), runtime::instruction_set(), runtime::cuda_device_names()};
}

Errors foreign_profiles(const config::LoadedConfig& config, const std::string& file) {
  if (config.run.backend == "simulated") return {};
  return config::machine_warnings(config.profile_files, this_machine(), file);
}

}  // namespace saccade::app
