// The table that a run redraws in place on a terminal: per task the serving variant and its rates, the
// budgets as bars, the latest switches. Plain ANSI escapes; lines are truncated to the terminal's width.
// Order: show() whenever the status changes, clear() before anything else is written to the terminal.
// Threads: one at a time.
#pragma once

#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

#include "runtime/real/real_shell.hpp"

namespace saccade::app {

class LiveView {
 public:
  explicit LiveView(std::ostream& out) : out_(out) {}

  void show(const runtime::RunStatus& status);
  void clear();  // erases the table

 private:
  struct Sample {  // of the past, for rates over the last seconds
    Duration at{0};
    std::vector<TaskId> tasks;
    std::vector<std::int64_t> demanded;
    std::vector<std::int64_t> processed;
    std::vector<Duration> busy;
  };
  [[nodiscard]] std::string tasks(const runtime::RunStatus& status) const;
  [[nodiscard]] std::string budgets(const runtime::RunStatus& status) const;
  [[nodiscard]] std::string last_switches(const runtime::RunStatus& status) const;
  void remember(const runtime::RunStatus& status);

  std::ostream& out_;
  std::deque<Sample> past_;  // the last two seconds
  int lines_ = 0;            // on the screen
};

}  // namespace saccade::app
