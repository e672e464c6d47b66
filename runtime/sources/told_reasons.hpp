// Which reasons of a source's outage have been reported, for the log: each once, however often it comes
// again, and at most kMost of one outage. Threads: plain value, one at a time.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace saccade::runtime {

class ToldReasons {
 public:
  static constexpr std::size_t kMost = 8;

  // Whether it is to be reported now; it counts as reported then.
  [[nodiscard]] bool is_new(const std::string& reason) {
    return told_.size() < kMost && told_.insert(reason).second;
  }
  void outage_ended() { told_.clear(); }

 private:
  std::set<std::string> told_;
};

}  // namespace saccade::runtime
