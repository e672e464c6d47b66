// While it lives, forwards what the process writes to standard error, line by line as it arrives, except
// lines that contain a given text. For libraries that print noise which cannot be turned off. If the process
// crashes, what was written is forwarded first; keep its lifetime short nevertheless.
// Threads: one filter at a time in a process; one thread of its own. Errors: if the system provides no pipe
// or no thread, nothing is filtered.
#pragma once

#include <memory>
#include <string>

namespace saccade::runtime {

class StderrFilter {
 public:
  explicit StderrFilter(std::string dropped_text);
  ~StderrFilter();  // forwards everything written so far, including an incomplete line
  StderrFilter(const StderrFilter&) = delete;
  StderrFilter& operator=(const StderrFilter&) = delete;

 private:
  class Passage;
  std::unique_ptr<Passage> passage_;  // null: not filtering
};

}  // namespace saccade::runtime
