#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <iostream>

#include "app/verbs/verbs.hpp"
#include "base/crash_note.hpp"
#include "runtime/machine/process_end.hpp"

int main(int argc, char** argv) {
  saccade::say_work_at_crashes();
  // Results go to stdout, so the log may not.
  spdlog::set_default_logger(spdlog::stderr_color_mt("saccade"));
  const int exit_code = saccade::app::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
  saccade::runtime::end_now_if_threads_run(exit_code);
  return exit_code;
}
