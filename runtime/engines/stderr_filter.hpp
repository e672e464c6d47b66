// Holds back what the process writes to standard error while it lives, and at its end passes on every
// line but those that contain a given text. For libraries that write noise there which no setting of
// theirs turns off. Other threads' lines are delayed, never lost; keep its life short.
// Threads: one at a time in a process. Errors: when the system gives no memory file, nothing is
// filtered.
#pragma once

#include <string>

namespace saccade::runtime {

class StderrFilter {
 public:
  explicit StderrFilter(std::string dropped_text);
  ~StderrFilter();
  StderrFilter(const StderrFilter&) = delete;
  StderrFilter& operator=(const StderrFilter&) = delete;

 private:
  std::string dropped_text_;
  int original_ = -1;  // standard error as it was; -1 = not filtering
  int held_ = -1;      // what was written meanwhile
};

}  // namespace saccade::runtime
