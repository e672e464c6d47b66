// The latest frame of each task and what its network answered, for people who look at them. Only what
// somebody asked for is kept: look() gives what there is and asks for the next, so that a service
// nobody looks at copies nothing.
//
// Threads: any; captured() and answered() cost one atomic read while nobody looks.
// No allocation per frame once warm.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

class LatestFrames {
 public:
  struct Look {
    std::vector<float> input;  // as the network sees it: float32 NCHW of all regions; empty: none yet
    std::vector<int> answers;  // class of each region, of the latest frame answered; empty: none yet
  };

  void captured(TaskIndex task, const std::vector<float>& input);
  // `logits`: of all regions, `classes` each.
  void answered(TaskIndex task, const std::vector<float>& logits, std::size_t classes);
  [[nodiscard]] Look look(TaskIndex task);
  void forget(TaskIndex task);

 private:
  struct Entry {
    bool frame_wanted = false;
    bool answer_wanted = false;
    Look latest;
  };

  std::atomic<int> wanted_{0};  // frames and answers that somebody waits for
  std::mutex mutex_;
  std::map<TaskIndex, Entry> tasks_;
};

}  // namespace saccade::runtime
