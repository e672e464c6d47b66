// One receiver over time, without sockets: which results are posted together, what its answer means for them,
// and when it is tried again. One request at a time; at most `queue` results wait, beyond the oldest goes.
//   2xx                   sent
//   429, 5xx, no answer   tried again after a back-off, not before Retry-After; `retry` after the first
//                         attempt they have failed
//   any other             failed; the next request waits for the same back-off, so that a receiver that
//                         refuses everything is not asked for every result
// A batch that is tried again stays what it was, so that a receiver can tell doubles by their ids. Time and
// randomness are arguments. Threads: one at a time. Errors: the last one in account().fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/back_off.hpp"
#include "results/sink.hpp"

namespace saccade::results {

struct WebhookRule {
  std::size_t queue = 256;
  std::size_t batch = 1;
  Duration retry = std::chrono::seconds(300);
  BackOffRule back_off = {};
};

struct HttpAnswer {
  int status = 0;           // 0: none came
  std::string words = {};   // why not
  Duration retry_after{0};  // that the receiver asked for
  Duration at{0};           // when it came, by the clock of Result::ended
};

class WebhookSession {
 public:
  using Item = std::shared_ptr<const Result>;

  // `receiver`: how faults call it. `uniform`: a number in [0, 1).
  WebhookSession(std::string receiver, WebhookRule rule, std::function<double()> uniform);

  void take(Item result);
  void pass(TimePoint now);  // what has been tried for too long has failed
  [[nodiscard]] bool is_due(TimePoint now) const;
  // When something becomes due or has failed, unless more comes; nothing: never, or a request is under way.
  [[nodiscard]] std::optional<TimePoint> alarm() const;
  // What is posted now, if is_due(); answered() follows.
  [[nodiscard]] const std::vector<Item>& begin(TimePoint now);
  void answered(const HttpAnswer& answer, TimePoint now);

  [[nodiscard]] bool is_settled() const { return queue_.empty() && batch_.empty(); }
  // What was posted has to be posted again.
  [[nodiscard]] bool is_failing() const { return !under_way_ && !batch_.empty(); }
  void give_up();  // all that wait have failed
  [[nodiscard]] SinkAccount account() const { return account_; }

 private:
  void settle_batch(std::int64_t SinkAccount::*outcome);
  void set_sent(Duration at);

  const std::string receiver_;
  const WebhookRule rule_;
  const std::function<double()> uniform_;
  BackOff back_off_;
  std::deque<Item> queue_;
  std::vector<Item> batch_;  // in hand: posted, or to be posted again
  bool under_way_ = false;
  TimePoint next_{};     // not before
  TimePoint give_up_{};  // the batch in hand
  SinkAccount account_;
};

}  // namespace saccade::results
