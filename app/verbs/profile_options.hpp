// The command line of `saccade profile`: what it takes, and what of it is wrong. Threads: pure but for the
// CPUs that this process may use. Errors: collected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/options.hpp"
#include "app/verbs/profile_session.hpp"

namespace saccade::app {

[[nodiscard]] const CommandSpec& profile_spec();

struct ProfileOptions {
  SessionOptions session;
  std::vector<int> cpus;
  bool json = false;
  std::optional<std::string> out;
  std::optional<std::string> plot;
  std::vector<std::string> wrong;  // with the command line
};
[[nodiscard]] ProfileOptions profile_options(const Invocation& call);

}  // namespace saccade::app
