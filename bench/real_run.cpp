#include "bench/real_run.hpp"

#include <utility>

#include "runtime/real/real_shell.hpp"

namespace saccade::bench {

Result<runtime::RunSummary> run_real(const runtime::RunConfig& config, const scheduler::Policy& policy,
                                     Duration duration) {
  auto backend = runtime::make_backend(config.backend, config.graph_cache, config.engine_library);
  if (!backend) return backend.errors();
  auto shell = runtime::RealShell::open(config, std::move(backend).value(), policy, {});
  if (!shell) return shell.errors();
  return shell.value()->run(duration);
}

}  // namespace saccade::bench
