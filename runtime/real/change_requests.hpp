// Requests to replace the configuration, from any thread to the main loop: each waits for its answer.
// Call order: open() once the run can change, close() when it ends; requests still queued after that are
// answered by refuse(). Threads: request() any except the main loop, which answers; the others the main loop.
// Errors: a request while closed is refused as unavailable.
#pragma once

#include <cstdint>

#include "base/mutex.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/run/change_result.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class ChangeRequests {
 public:
  explicit ChangeRequests(MessageQueue& queue) : queue_(queue) {}  // must outlive this

  [[nodiscard]] ChangeResult<std::uint64_t> request(RunConfig config);
  void open();
  void close();
  static void refuse(Reconfiguration& late);

 private:
  MessageQueue& queue_;
  Mutex mutex_;
  bool open_ SACCADE_GUARDED_BY(mutex_) = false;  // a request that is posted now will be answered
};

}  // namespace saccade::runtime
