// Passes on what the process writes to standard error while it lives, line by line as it comes, but for the
// lines that contain a given text. For libraries that write noise there which no setting of theirs turns off.
// What was written when the process crashes is passed on first; keep its life short all the same.
// Threads: one filter at a time in a process; one thread inside. Errors: when the system gives no pipe or no
// thread, nothing is filtered.
#pragma once

#include <memory>
#include <string>

namespace saccade::runtime {

class StderrFilter {
 public:
  explicit StderrFilter(std::string dropped_text);
  ~StderrFilter();  // what was written has been passed on, a line without an end as well
  StderrFilter(const StderrFilter&) = delete;
  StderrFilter& operator=(const StderrFilter&) = delete;

 private:
  class Passage;
  std::unique_ptr<Passage> passage_;  // null: not filtering
};

}  // namespace saccade::runtime
